"""Asks by the clock: what nobody needs any more is taken back, what was lost on its way is asked for again, all are reminded of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from hq.asks.follow_up import follow_up
from hq.asks.kinds import AskAnswer, Kind, Kinds
from hq.asks.types import Ask, Option, Proposal
from hq.door.door import Door
from hq.door.tx import Tx
from hq.engine.sessions.leases import Leases
from hq.graph.records import Stored
from tests.support.jobs import JobHand
from tests.support.supervised import close

from .conftest import Made, approval, card, plan, proposal, review, terms


async def tended(hq) -> list[str]:
    while await JobHand(hq, "asks", tenant=await hq.company()).run_once():  # so many at a time
        pass
    events = await hq.do("sql.query", query="select topic from hq.events order by sequence, ordinal")
    return [each["topic"] for each in events["items"]]


async def state(hq, slug: str) -> str:
    return (await hq.do("ask.show", ask=slug))["state"]


async def test_when_the_session_that_asked_is_over_its_approval_is_withdrawn(own_hq):
    hq = own_hq
    await hq.do("agent.load")
    for name in ("Acme", "Acme Inc"):
        await hq.do("entity.create", name=name)
    session = (await hq.do("agent.send", agent="operator", text="Tidy up."))["session"]
    (claimed,) = await Leases(hq.door.pool, hq.clock).claim(1)
    assert str(claimed.id) == session
    parked = await hq.call(
        "entity.merge", loser="acme-inc", into="acme", _token=claimed.token, _session_id=claimed.id, _key="k"
    )
    assert "approval.cancelled" not in await tended(hq)

    await close(type("Heart", (), {"hq": hq})(), claimed, "Gone.")

    assert "approval.cancelled" in await tended(hq)
    shown = await hq.do("approval.show", ref=parked.data["approval"])
    assert shown["props"]["status"] == "cancelled" and "is over" in shown["props"]["note"]
    assert (await hq.do("ask.list"))["items"] == []


async def test_when_the_agent_that_asked_has_left_its_asks_are_withdrawn(hq):
    await hq.do("agent.load")
    made = await terms(hq)
    await hq.do("agent.archive", ref="scout")

    await tended(hq)

    assert await state(hq, made.slug) == "withdrawn"


async def test_when_the_mission_moved_on_what_was_asked_about_it_is_withdrawn(hq):
    await hq.do("agent.load")
    made = await plan(hq)
    await hq.do("mission.fail", ref="research-the-market", why="No longer wanted.")

    await tended(hq)

    assert await state(hq, made.slug) == "withdrawn"


class Errand(Kind):
    """A kind that another room brings: of proposals, with a call and a key of its own."""

    name, type, permission = "errand", Proposal, True

    def fits(self, ask: Ask) -> bool:
        return isinstance(ask, Proposal) and ask.kind == self.name

    def options(self, ask: Ask) -> Sequence[Option]:
        return [Option(key="yes", label="Do")]

    def key(self, ask: Stored[Any]) -> str:
        return f"errand:{ask.slug}"

    async def answered(self, tx: Tx, ask: Stored[Proposal], answer: AskAnswer) -> Stored[Proposal]:
        ask = await tx.move(ask, "accepted", decided_by=answer.by, decided_at=tx.now)
        tx.follow_ups.append(follow_up(tx, ask, self.key(ask), "memo.create", {"title": "M", "content_md": "x"}))
        return ask


async def errand(hq) -> Made:
    kinds = hq.door.services[Kinds]
    hq.door.services[Kinds] = Kinds([Errand(), *kinds.kinds])
    made = await hq.do("proposal.propose", kind="errand", body="Write it down.")
    return Made(made["slug"], "proposal", {"option": "yes"}, "yes")


@pytest.mark.parametrize("make", [approval, proposal, card, errand], ids=["approval", "proposal", "card", "new kind"])
async def test_an_answer_whose_call_was_lost_is_asked_for_again(hq, monkeypatch, make):
    """Killed between the answer and what follows it: nothing is lost, and nothing happens twice."""
    await hq.do("agent.load")
    made = await make(hq)

    class Killed(BaseException):
        pass

    call = Door.call

    async def dies(self, wanted):
        if wanted.inside:
            raise Killed
        return await call(self, wanted)

    monkeypatch.setattr(Door, "call", dies)
    with pytest.raises(Killed):
        await hq.call("ask.answer", ask=made.slug, **made.answer)
    monkeypatch.setattr(Door, "call", call)
    assert await state(hq, made.slug) == "answered"

    hq.clock.advance(minutes=2)
    await tended(hq)
    assert await state(hq, made.slug) == "open"
    told = await hq.do("ask.answer", ask=made.slug, **made.answer)

    assert told["result"]["ok"] and await state(hq, made.slug) == "answered"
    hq.clock.advance(minutes=2)
    await tended(hq)
    assert await state(hq, made.slug) == "answered"


@pytest.mark.parametrize("make", [approval, proposal, review], ids=["approval", "proposal", "review"])
async def test_who_is_asked_is_reminded_and_then_told_that_it_is_urgent(hq, make):
    await hq.do("agent.load")
    made = await make(hq)
    told = []
    for hours in (3, 2, 10, 10, 30):
        hq.clock.advance(hours=hours)
        told = [topic for topic in await tended(hq) if topic.endswith((".nudged", ".escalated"))]

    assert told == [f"{made.type}.{word}" for word in ("nudged", "nudged", "escalated")]


async def test_what_is_put_off_is_out_of_sight_until_then(hq):
    made = await proposal(hq)
    await hq.do("ask.snooze", ask=made.slug, until="3h")

    assert (await hq.do("ask.list"))["items"] == []
    hq.clock.advance(hours=2)
    assert (await hq.do("ask.list"))["items"] == []
    hq.clock.advance(hours=2)
    assert [each["slug"] for each in (await hq.do("ask.list"))["items"]] == [made.slug]


@pytest.mark.parametrize(
    "make, verb, ref",
    [(approval, "ask.snooze", "ask"), (review, "ask.snooze", "ask"), (review, "review.defer", "ref")],
    ids=["approval", "review", "review by its own name"],
)
async def test_what_is_put_off_is_reminded_of_only_after_its_time(hq, make, verb, ref):
    await hq.do("agent.load")
    made = await make(hq)
    await hq.do(verb, **{ref: made.slug}, until="20h")

    hq.clock.advance(hours=19)
    assert f"{made.type}.nudged" not in await tended(hq)
    hq.clock.advance(hours=2)
    assert f"{made.type}.nudged" in await tended(hq)


async def test_putting_off_has_a_history_and_is_undone(hq):
    made = await proposal(hq)
    before = hq.clock.now()
    hq.clock.advance(hours=1)
    snoozed = await hq.call("ask.snooze", ask=made.slug)
    hq.clock.advance(hours=1)

    async def listed(**more: Any) -> list[str]:
        return [each["slug"] for each in (await hq.do("ask.list", **more))["items"]]

    assert await listed(_at=before.isoformat()) == [made.slug]
    assert await listed() == await listed(_at=hq.clock.now().isoformat()) == []
    await hq.do("action.undo", id=str(snoozed.action_id))
    assert await listed() == [made.slug]


async def test_a_review_is_put_off_into_the_time_to_come(hq):
    made = await review(hq)
    await hq.do("review.defer", ref=made.slug, until="2h")

    assert (await hq.do("ask.list"))["items"] == []
    refused = await hq.call("review.defer", ref=made.slug, until="2020-01-01")
    assert refused.error["code"] == "invalid" and "is over" in refused.error["message"]
    hq.clock.advance(hours=3)
    assert [each["slug"] for each in (await hq.do("ask.list"))["items"]] == [made.slug]


async def test_a_grant_to_an_agent_covers_who_works_for_it(hq):
    for name in ("Acme", "Acme Inc"):
        await hq.do("entity.create", name=name)
    await hq.do("grant.add", actor="agent:operator", verb="entity.merge")
    worker = (await hq.do("auth.token", worker="operator"))["token"]

    assert (await hq.call("entity.merge", loser="acme-inc", into="acme", _token=worker)).ok
