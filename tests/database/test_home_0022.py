"""A home of schema 0022 with one of everything that waits: under today's hq all of it is there, and is answered once.

What is added to `ANSWERS` is answered, tried a second time, and looked at for what came of it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest

from hq.app import migrate
from hq.ceo.triggers import BY_NAME
from hq.database.address import Address
from hq.engine.sessions.steps import read_step
from hq.engine.sessions.trigger import SessionTrigger
from hq.rooms import rooms
from tests.database.homes import OldHome, opened, restored
from tests.support.company import cloned
from tests.support.jobs import JobHand
from tests.support.passable import needs_sandbox, tmp_path

__all__ = ["tmp_path"]


@pytest.fixture(scope="module")
def upgraded(server: Address) -> Iterator[str]:
    """The home's database, migrated to now."""
    with restored(server) as name:
        assert migrate(server.database(name)).applied
        yield name


@pytest.fixture
async def old(server: Address, upgraded: str, tmp_path: Path):
    with cloned(server, upgraded) as address:
        async with opened(address, tmp_path) as home:
            yield home


@dataclass(frozen=True)
class Answer:
    """How one thing that waits is answered, and what is then true, however often it was answered."""

    verb: str
    args: Callable[[dict[str, Any]], dict[str, Any]]
    came: Callable[[OldHome], Awaitable[bool]]


async def merged(old: OldHome) -> bool:
    again = await old.as_agent("operator", "entity.merge", "merge-acme", loser="acme-inc", into="acme")
    return again.ok and await old.made("entity.merge") == 2  # one of them before


async def hired(old: OldHome) -> bool:
    return [row["slug"] for row in (await old.hq.do("agent.list"))["items"]].count("ada") == 1


async def effect_not_made(old: OldHome) -> bool:
    args = {"url": "https://warehouse.example/orders", "method": "POST", "body": "{}"}
    again = await old.as_agent("chief", "http.request", "order-1", **args)
    return again.error["code"] == "forbidden" and await old.made("http.request") == 0


async def built(old: OldHome) -> bool:
    seat = await old.hq.do("position.show", position_id=5)
    return seat["title"] == "Builder" and await old.status("approval", old.told["organisation"]["change"]) == "done"


async def task_written(old: OldHome) -> bool:
    return (await old.titles("task")).count("Write to the bank") == 1


async def task_taken_back(old: OldHome) -> bool:
    return "Write to the tax office" not in await old.titles("task")


async def launch_is_in_june(old: OldHome) -> bool:
    shown = [await old.hq.do("memory.show", ref=f"the-launch-is-in-{month}") for month in ("may", "june")]
    return [memory["status"] for memory in shown] == ["superseded", "active"]


async def review_resolved(old: OldHome) -> bool:
    shown = await old.hq.do("review.show", ref=old.told["reviews"]["open"])
    return (shown["props"]["status"], shown["props"]["choice"]) == ("resolved", "yes")


async def deferred_dismissed(old: OldHome) -> bool:
    return await old.status("review", old.told["reviews"]["deferred"]) == "dismissed"


async def escalation_heard(old: OldHome) -> bool:
    return await old.finish(old.told["sessions"]["escalation"]) == "done"


async def question_heard(old: OldHome) -> bool:
    return await old.finish(old.told["sessions"]["question"]) == "done"


async def session_went_on(old: OldHome) -> bool:
    return await old.finish(old.told["sessions"]["approval"]) == "done" and await old.made("entity.merge") == 2


async def part_begun(old: OldHome) -> bool:
    return await old.status("delegation", old.told["delegation"]) == "in_progress"


async def plan_went_ahead(old: OldHome) -> bool:
    mission, steps = old.told["missions"]["plan"], ["Scaffold", "Build", "Test"]
    again = await old.as_agent("forge", "mission.plan", "plan-1", ref=mission, steps=steps)
    return again.data["status"] == "in_progress" and await old.made("mission.settle_plan") == 1


async def terms_granted(old: OldHome) -> bool:
    props = (await old.hq.do("mission.show", ref=old.told["missions"]["counter"]))["props"]
    return props["token_budget"] == 90_000 and await old.made("mission.answer") == 1


async def woken(old: OldHome) -> bool:
    return await old.status("agent", "napping") == "active" and await old.made("agent.resume") == 1


ANSWERS = {
    "approval": Answer("approval.approve", lambda told: {"ref": told["approvals"]["merge"]}, merged),
    "approval of a hire": Answer("approval.approve", lambda told: {"ref": told["approvals"]["hire"]}, hired),
    "approval of an effect": Answer("approval.reject", lambda told: {"ref": told["approvals"]["effect"]}, effect_not_made),
    "change of the organisation": Answer("org.decide", lambda told: {"ref": told["organisation"]["change"]}, built),
    "proposal": Answer("proposal.accept", lambda told: {"ref": told["proposals"]["open"]}, task_written),
    "proposal that was applied": Answer("proposal.rollback", lambda told: {"ref": told["proposals"]["applied"]}, task_taken_back),
    "memories that contradict": Answer("proposal.accept", lambda told: {"ref": told["proposals"]["memory"]}, launch_is_in_june),
    "review": Answer("review.resolve", lambda told: {"ref": told["reviews"]["open"], "choice": "yes"}, review_resolved),
    "review that was deferred": Answer("review.dismiss", lambda told: {"ref": told["reviews"]["deferred"], "_reason": "no"}, deferred_dismissed),
    "escalation": Answer("escalation.resolve", lambda told: {"ref": told["escalation"], "answer": "Postgres"}, escalation_heard),
    "question": Answer("agent.reply", lambda told: {"message": told["question"], "text": "Blue."}, question_heard),
    "delegation": Answer("delegation.approve", lambda told: {"ref": told["delegation"]}, part_begun),
    "plan": Answer("mission.settle_plan", lambda told: {"ref": told["missions"]["plan"]}, plan_went_ahead),
    "other terms": Answer("mission.answer", lambda told: {"ref": told["missions"]["counter"], "decision": "yes"}, terms_granted),
    "card": Answer("card.press", lambda told: {"card": told["cards"]["own"], "button": "go"}, woken),
}  # fmt: skip


@pytest.mark.parametrize("what", ANSWERS)
async def test_what_waited_is_answered_once(old: OldHome, what: str):
    answer = ANSWERS[what]
    args = answer.args(old.told)

    await old.hq.do(answer.verb, **args)
    old.hq.clock.advance(minutes=1)
    await old.hq.call(answer.verb, **args)

    assert await answer.came(old)


async def test_one_of_every_kind_of_ask_waits(old: OldHome):
    """Once the house has looked after it: what waited without an ask gets one. A kind that an old home cannot have is named here."""
    await JobHand(old.hq, "work", "mail", "heartbeat").run_once()
    waiting = (await old.hq.do("ask.list", to="all", limit=200))["items"]

    younger = {"start"}  # whether what was imported shall begin
    assert {each["kind"] for each in waiting} | younger == {kind.name for room in rooms() for kind in room.kinds}


async def test_everything_still_waits(old: OldHome):
    async def slugs(noun: str, *states: str) -> set[str]:
        rows = [row for state in states for row in (await old.hq.do(f"{noun}.list", status=state))["items"]]
        return {row["slug"] for row in rows}

    told = old.told
    waiting = {*told["approvals"].values(), told["organisation"]["change"]}
    assert waiting <= await slugs("approval", "pending") and len(await slugs("approval", "pending")) == 7
    assert await slugs("proposal", "pending") == {told["proposals"]["open"], told["proposals"]["memory"]}
    assert await slugs("review", "open", "deferred") == set(told["reviews"].values())
    assert await slugs("escalation", "open") == {told["escalation"]}
    assert await slugs("delegation", "requested") == {told["delegation"]}
    assert await slugs("code_run", "waiting") == set(told["code"]["runs"])
    cards = (await old.hq.do("card.list", open=True, asks=True, limit=200))["items"]
    assert {card["id"] for card in cards} == set(told["cards"]["open"])
    acting = [button for card in cards for button in card["buttons"] if "verb" in button]
    assert acting and all(button["does"].startswith(button["verb"]) for button in acting)
    for session in (*told["sessions"].values(), *told["code"]["sessions"].values()):
        assert (await old.hq.do("session.show", id=session))["state"] == "waiting"


async def test_what_was_decided_stays_decided_and_the_ledger_holds(old: OldHome):
    told = old.told["decided"]
    assert await old.status("approval", told["approved"]) == "done"
    assert await old.status("approval", told["rejected"]) == "rejected"
    assert [row["status"] for row in (await old.hq.do("grant.list"))["items"]] == ["active"]
    assert (await old.hq.do("ledger.verify"))["intact"]


async def test_what_runs_by_the_clock_and_who_rests_stay_as_they_were(old: OldHome):
    assert [row["slug"] for row in (await old.hq.do("schedule.list"))["items"]] == [old.told["house"]["schedule"]]
    beats = {(row["agent"], row["on"]) for row in (await old.hq.do("beat.list"))["items"]}
    assert beats == {("chief", True), ("operator", False)}
    assert [row["slug"] for row in (await old.hq.do("webhook.list"))["items"]] == [old.told["house"]["webhook"]]
    for agent in old.told["house"]["paused"]:
        assert await old.status("agent", agent) == "paused"
    persona = await old.hq.do("persona.show", slug=old.told["organisation"]["persona"])
    assert persona["status"] == "active" and not persona.get("assignments"), persona


async def test_the_past_is_read_as_it_was(old: OldHome):
    task = old.told["past"]["task"]
    for seen in old.told["past"]["seen"]:
        shown = await old.hq.do("task.show", ref=task, _at=seen["at"], _known_at=seen["sequence"])
        assert (shown["title"], shown["props"]) == (seen["title"], seen["props"])
    then = await old.hq.do("task.show", ref=task, _at="2026-05-10T00:00:00+00:00", _known_at=old.told["now"])
    assert then["props"]["description"] == "Ask for the offer."


def test_every_step_of_its_journals_is_read_as_it_was_written(server: Address, upgraded: str):
    with psycopg.connect(server.database(upgraded).url) as conn:
        kept = conn.execute("select kind, payload from ops.journal").fetchall()

    assert {kind for kind, _ in kept} >= {"open", "mind", "wait", "note"}
    assert [read_step(kind, payload).as_json() for kind, payload in kept] == [payload for _, payload in kept]


def test_what_set_its_sessions_off_and_what_was_noticed_is_known_by_its_names(server: Address, upgraded: str):
    with psycopg.connect(server.database(upgraded).url) as conn:
        triggers = conn.execute("select trigger from ops.sessions").fetchall()
        noticed = conn.execute("select trigger, facts from ops.occurrences").fetchall()

    assert triggers and noticed
    assert not [kept for (kept,) in triggers if SessionTrigger.model_validate(kept).model_extra]
    assert [BY_NAME[trigger].facts.model_validate(facts).as_json() for trigger, facts in noticed] == [
        f for _, f in noticed
    ]


@pytest.mark.parametrize("key", ["merge-acme", "delegate-1"])
async def test_a_call_that_waits_is_not_made_again_under_its_key(old: OldHome, key: str):
    mission = old.told["missions"]["delegation"]
    part = {
        "title": "Compare chart libraries",
        "to": "scout",
        "reason": "to choose one",
        "description": "Research three.",
    }
    agent, verb, args = {
        "merge-acme": ("operator", "entity.merge", {"loser": "acme-inc", "into": "acme"}),
        "delegate-1": ("forge", "mission.delegate", {"ref": mission, "tokens": 2000, **part}),
    }[key]

    again = await old.as_agent(agent, verb, key, **args)

    assert again.error["code"] == "waiting"
    assert len((await old.hq.do("approval.list", status="pending"))["items"]) == 7
    assert len((await old.hq.do("delegation.list"))["items"]) == 1


@needs_sandbox
@pytest.mark.parametrize(
    ("verb", "answer", "left"),
    [
        ("code.allow", {}, []),
        ("code.deny", {}, ["README.md"]),
        ("ask.answer", {"option": "yes"}, []),
        ("ask.answer", {"option": "no"}, ["README.md"]),
    ],
)
async def test_a_coding_program_that_asked_goes_on(old: OldHome, verb: str, answer: dict[str, str], left: list[str]):
    session = old.told["code"]["sessions"]["scout"]
    run = (await old.hq.do("session.show", id=session))["waits_for"][0].removeprefix("code:")

    await old.hq.do(verb, **{"ask" if verb == "ask.answer" else "ref": run}, **answer)
    await JobHand(old.hq, "code").run_once()

    assert await old.finish(session) == "done"
    assert [each["path"] for each in (await old.hq.do("workspace.files", ref="app1"))["items"]] == left
