"""A pause holds: it binds whoever acts for what is paused, and only who is of the rank of who paused it ends it."""

from __future__ import annotations

from typing import Any

import pytest
from psycopg import AsyncConnection

from hq.engine.sessions.leases import Leases
from tests.support.play import Told, route

DONE = '<task-complete reason="done"/>'


def make(title: str) -> tuple[str, dict]:
    return ("hq_task", {"action": "create", "title": title})


async def firm(house: Any) -> dict[str, str]:
    """`top` leads `boss`, who leads `dev`; their tokens, and those of the CEO and the operator."""
    org = (await house.hq.do("org.create", template="software-team"))["slug"]
    for name, title in (("top", "Principal Architect"), ("boss", "Project Manager"), ("dev", "Developer")):
        seat = await house.hq.do("position.show", org=org, title=title)
        await house.hq.do("agent.hire", name=name, position_id=seat["position_id"])
    tokens = {name: await house.hq.agent(name) for name in ("top", "boss", "dev", "chief", "operator")}
    return {**tokens, "org": org}


async def tasks(hq: Any) -> list[str]:
    return sorted(task["title"] for task in (await hq.do("task.list"))["items"])


async def status(hq: Any, noun: str, ref: str) -> str:
    return (await hq.do(f"{noun}.show", ref=ref))["props"]["status"]


# ---- who ends it


@pytest.mark.parametrize("who", ["boss", "top", "operator", "chief"])
async def test_what_the_founder_paused_no_agent_resumes_in_any_way(house, who):
    hq, token = house.hq, (await firm(house))[who]
    paused = await hq.call("agent.pause", agent="dev")

    resumed = await hq.call("agent.resume", agent="dev", _token=token)
    again = await hq.call("agent.pause", agent="dev", **{"for": "1s"}, _token=token)
    undone = await hq.call("action.undo", id=str(paused.action_id), _token=token)

    assert resumed.error["code"] == again.error["code"] == "cross_scope_violation"
    undo = {"operator": "waiting", "chief": "cross_scope_violation"}  # who undoes at all; others do not see the call
    assert undone.error["code"] == undo.get(who, "not_found")
    if who != "chief":  # who does not lead it at all is told that
        assert resumed.error["message"] == "agent:dev is paused, by the founder; only the founder may change that"
        assert resumed.error["details"]["ask"] == "founder"
    house.hq.clock.advance(hours=1)
    await house.beat.run_once()
    assert await status(hq, "agent", "dev") == "paused"
    assert (await hq.call("agent.resume", agent="dev")).ok


async def test_what_a_lead_paused_it_resumes_or_who_is_above_it_or_the_founder(house):
    hq, tokens = house.hq, await firm(house)
    for who in ("boss", "top", None):
        await hq.do("agent.pause", agent="dev", _token=tokens["boss"])
        refused = await hq.call("agent.resume", agent="dev", _token=tokens["operator"])
        assert "by agent:boss; only boss, who leads boss, and the founder may" in refused.error["message"]
        assert refused.error["details"]["ask"] == "boss"

        assert (await hq.call("agent.resume", agent="dev", _token=tokens[who] if who else hq.token)).ok


async def test_the_founder_s_pause_takes_the_place_of_a_lead_s(house):
    hq, tokens = house.hq, await firm(house)
    await hq.do("agent.pause", agent="dev", _token=tokens["boss"])
    await hq.do("agent.pause", agent="dev")

    refused = await hq.call("agent.resume", agent="dev", _token=tokens["boss"])
    assert "paused, by the founder" in refused.error["message"]


async def test_the_founder_s_pause_of_a_mission_is_not_ended_by_who_gave_it(house):
    hq, tokens = house.hq, await firm(house)
    await hq.do("mission.create", title="Ship", _token=tokens["chief"])
    await hq.do("mission.assign", ref="ship", to="dev", _token=tokens["chief"])
    await hq.do("mission.pause", ref="ship", why="wait")

    for verb, args in (
        ("mission.resume", {}),
        ("mission.assign", {"to": "boss"}),
        ("mission.pause", {"why": "mine now"}),
        ("mission.fail", {"why": "over"}),
    ):
        tried = await hq.call(verb, ref="ship", **args, _token=tokens["chief"])
        assert "paused, by the founder" in tried.error["message"], verb
    assert "by the founder" in (await hq.call("mission.resume", ref="ship", _token=tokens["chief"])).error["message"]
    assert await status(hq, "mission", "ship") == "paused"
    assert (await hq.call("mission.resume", ref="ship")).ok


async def test_who_gave_a_mission_and_paused_it_resumes_it(house):
    hq, tokens = house.hq, await firm(house)
    await hq.do("mission.create", title="Ship", _token=tokens["chief"])
    await hq.do("mission.assign", ref="ship", to="dev", _token=tokens["chief"])
    await hq.do("mission.pause", ref="ship", why="wait", _token=tokens["chief"])

    assert (await hq.call("mission.resume", ref="ship", _token=tokens["chief"])).ok


async def test_schedules_projects_and_organisations_rest_until_the_founder_says_otherwise(house):
    hq, tokens = house.hq, await firm(house)
    made = await hq.do("schedule.add", task="look", when="every day at 7", agent="dev")
    await hq.do("schedule.pause", ref=made["slug"])
    await hq.do("project.create", name="Site")
    moved = await hq.call("project.update", ref="site", status="paused")
    await hq.do("org.update", org=tokens["org"], status="dormant")
    await hq.do("grant.add", actor="agent:operator", verb="action.undo")
    await hq.do("grant.add", actor="agent:chief", verb="org.update")

    tried = [
        await hq.call("schedule.resume", ref=made["slug"], _token=tokens["chief"]),
        await hq.call("org.update", org=tokens["org"], status="active", _token=tokens["chief"]),
        await hq.call("project.update", ref="site", status="planned", _token=tokens["operator"]),
        await hq.call("project.update", ref="site", clear=["status"], _token=tokens["operator"]),
        await hq.call(
            "project.update", ref="site", status="planned", valid_from="2031-01-01", _token=tokens["operator"]
        ),
        await hq.call("action.undo", id=str(moved.action_id), _token=tokens["operator"]),
    ]

    for each in tried:
        assert each.error["code"] == "cross_scope_violation" and "by the founder" in each.error["message"], each.error
    assert (await hq.call("project.update", ref="site", status="planned")).ok
    assert (await hq.call("schedule.resume", ref=made["slug"])).ok


async def test_a_job_that_the_founder_paused_no_grant_resumes(house):
    hq, chief = house.hq, await house.hq.agent("chief")
    for verb in ("job.resume", "job.pause", "job.run", "beat.on"):
        await hq.do("grant.add", actor="agent:chief", verb=verb)
    await hq.do("job.pause", job="weekly-digest")
    await hq.do("beat.off", agent="chief")
    await hq.do("agent.pause", agent="operator", **{"for": "2h"})

    tried = [
        await hq.call("job.resume", job="weekly-digest", _token=chief),
        await hq.call("job.pause", job="weekly-digest", _token=chief),
        await hq.call("beat.on", agent="chief", _token=chief),
        await hq.call("job.run", job="resume:operator", _token=chief),
    ]

    for each in tried:
        assert each.error["code"] == "cross_scope_violation" and "by the founder" in each.error["message"], each.error
    assert await status(hq, "agent", "operator") == "paused"
    assert (await hq.call("job.resume", job="weekly-digest")).ok and (await hq.call("beat.on", agent="chief")).ok
    await hq.do("job.pause", job="weekly-digest", _token=chief)
    assert (await hq.call("job.resume", job="weekly-digest", _token=chief)).ok


@pytest.mark.parametrize(
    ("off", "on", "args"),
    [("beat.off", "beat.on", {"agent": "chief"}), ("job.pause", "job.resume", {"job": "weekly-digest"})],
)
async def test_what_an_agent_let_rest_it_wakes_again_and_no_other_agent_does(house, off, on, args):
    hq, tokens = house.hq, {name: await house.hq.agent(name) for name in ("chief", "operator")}
    for name, verb in (("chief", off), ("chief", on), ("operator", on)):
        await hq.do("grant.add", actor=f"agent:{name}", verb=verb)
    await hq.do(off, **args, _token=tokens["chief"])

    other = await hq.call(on, **args, _token=tokens["operator"])

    assert "by agent:chief" in other.error["message"], other.error
    assert (await hq.call(on, **args, _token=tokens["chief"])).ok


# ---- whom it binds


async def test_a_paused_agent_s_tokens_change_nothing_and_look(house):
    hq, tokens = house.hq, await firm(house)
    worker = (await hq.do("auth.token", worker="dev"))["token"]
    await hq.do("agent.pause", agent="dev", _reason="an audit")

    for token in (tokens["dev"], worker):
        for verb, args in (("task.create", {"title": "x"}), ("agent.send", {"agent": "boss", "text": "hi"})):
            refused = await hq.call(verb, **args, _token=token)
            assert refused.error["code"] == "paused", refused.error
        assert "agent:dev is paused, by the founder: an audit" in refused.error["message"]
        assert refused.error["hint"] == "`hq agent resume dev` lets it go on; the founder may"
        assert (await hq.call("task.list", _token=token)).ok
    assert (await hq.call("task.create", title="x", _token=tokens["boss"])).ok

    await hq.do("agent.resume", agent="dev")
    assert (await hq.call("task.create", title="y", _token=worker)).ok


async def test_a_quarantined_agent_s_tokens_change_nothing(house):
    token = (await firm(house))["dev"]
    await house.hq.do("agent.update", ref="dev", status="quarantined")

    assert (await house.hq.call("task.create", title="x", _token=token)).error["code"] == "paused"


async def test_who_left_changes_nothing_any_more(house):
    token = (await firm(house))["dev"]
    worker = (await house.hq.do("auth.token", worker="dev"))["token"]
    await house.hq.do("agent.succeed", agent="dev", by="Dana")

    for left in (token, worker):
        refused = await house.hq.call("task.create", title="x", _token=left)
        assert (refused.error["code"], "agent:dev is retired" in refused.error["message"]) == ("paused", True)
    assert (await house.hq.call("task.create", title="x", _token=await house.hq.agent("dana"))).ok


async def test_who_paused_itself_is_told_who_lets_it_go_on(house):
    token = (await firm(house))["dev"]
    await house.hq.do("agent.pause", agent="dev", _token=token)

    refused = await house.hq.call("agent.resume", agent="dev", _token=token)

    assert refused.error["code"] == "paused"
    assert refused.error["hint"] == "`hq agent resume dev` lets it go on; who leads dev, and the founder, may"


async def test_who_was_archived_changes_nothing_any_more_and_asks_for_nothing(house):
    token = (await firm(house))["dev"]
    worker = (await house.hq.do("auth.token", worker="dev"))["token"]
    await house.hq.do("agent.archive", ref="dev")

    for left in (token, worker):
        refused = await house.hq.call("task.create", title="x", _token=left)
        assert (refused.error["code"], "agent:dev is archived" in refused.error["message"]) == ("paused", True)
    assert (await house.hq.call("agent.restore", ref="dev", _token=token)).error["code"] == "paused"
    refused = await house.hq.call("org.whoami", _token=token)
    assert refused.error["message"] == "dev is archived, and sits nowhere"
    await house.hq.do("agent.restore", ref="dev")
    assert (await house.hq.call("task.create", title="x", _token=token)).ok


async def test_a_sub_agent_by_another_name_stands_under_who_sent_it(house):
    hq = house.hq
    await hq.do("project.create", name="Website")
    await hq.do("project.run", project="website", task="mend it", background=True, _token=await hq.agent("operator"))
    (claimed,) = await Leases(hq.door.pool, hq.clock).claim(8)
    assert claimed.actor == "worker:project-website"

    async def code() -> str | None:
        outcome = await hq.call("task.create", title="x", project="website", _token=claimed.token)
        return outcome.error["code"] if outcome.error else None

    before = await code()
    assert before not in ("paused", "frozen")
    await hq.do("agent.pause", agent="operator")
    assert await code() == "paused"
    await hq.do("agent.resume", agent="operator")
    await hq.do("freeze.set", scope="agent:operator")
    assert await code() == "frozen"
    await hq.do("freeze.lift")
    await hq.do("project.update", ref="website", status="paused")
    assert await code() == "paused"
    await hq.do("project.archive", ref="website")
    assert await code() == "paused", "put away, it rests all the same"
    await hq.do("project.restore", ref="website")
    await hq.do("project.update", ref="website", status="planned")
    assert await code() == before


async def test_a_freeze_of_an_agent_is_upon_its_workers(house):
    hq, tokens = house.hq, await firm(house)
    worker = (await hq.do("auth.token", worker="dev"))["token"]
    await hq.do("worker.spawn", task="count", _token=tokens["dev"])
    (claimed,) = await Leases(hq.door.pool, hq.clock).claim(8)
    await hq.do("freeze.set", scope="agent:dev")

    for token in (tokens["dev"], worker, claimed.token):
        assert (await hq.call("task.create", title="x", _token=token)).error["code"] == "frozen"
    assert (await hq.call("task.create", title="x", _token=tokens["boss"])).ok


async def test_a_stop_of_an_organisation_is_upon_all_who_sit_in_it(house):
    hq, tokens = house.hq, await firm(house)
    worker = (await hq.do("auth.token", worker="dev"))["token"]

    async def codes() -> list[str | None]:
        made = [await hq.call("task.create", title="x", _token=t) for t in (tokens["dev"], worker)]
        return [each.error["code"] if each.error else None for each in made]

    await hq.do("freeze.set", scope=tokens["org"])
    assert await codes() == ["frozen", "frozen"]
    assert (await hq.call("task.create", title="x", _token=tokens["chief"])).ok
    await hq.do("freeze.lift")
    await hq.do("org.update", org=tokens["org"], status="dormant")
    assert await codes() == ["paused", "paused"]
    await hq.do("org.update", org=tokens["org"], status="active")
    assert await codes() == [None, None]


async def test_a_stop_of_a_mission_is_upon_the_session_that_does_it_and_whom_that_sent(play):
    hq = play.hq
    await hq.do("mission.create", title="Launch")
    await hq.do("mission.create", title="Ship", parent="launch")
    await hq.do("mission.assign", ref="ship", to="scout")
    leases = Leases(hq.door.pool, hq.clock)
    (claimed,) = await leases.claim(8)

    async def code() -> str | None:
        outcome = await hq.call("task.create", title="x", _token=claimed.token)
        return outcome.error["code"] if outcome.error else None

    assert await code() is None
    for scope in ("mission:ship", "mission:launch"):
        await hq.do("freeze.set", scope=scope)
        assert await code() == "frozen", scope
        await hq.do("freeze.lift")
    await hq.do("mission.pause", ref="ship", why="wait")
    assert await code() == "paused"
    assert (await hq.call("task.create", title="x", _token=await hq.agent("scout"))).ok


async def test_a_yes_to_a_paused_agent_s_call_can_be_said_again_after_it(play):
    hq = play.hq
    for name in ("Acme", "Acme Inc"):
        await hq.do("entity.create", name=name)
    asked = await hq.call(
        "entity.merge", loser="acme-inc", into="acme", _token=await hq.agent("scout", scopes=["read", "entity.merge"])
    )
    await hq.do("agent.pause", agent="scout")

    assert (await hq.do("approval.approve", ref=asked.data["approval"]))["result"]["error"]["code"] == "paused"
    await hq.do("agent.resume", agent="scout")
    assert (await hq.do("approval.approve", ref=asked.data["approval"]))["result"]["ok"]


# ---- what is under way


async def test_a_session_under_way_stops_at_its_step_and_goes_on_after_with_nothing_lost_or_done_twice(play):
    hq = play.hq
    paused = []

    async def pause() -> None:
        if not paused:
            paused.append(await hq.call("agent.pause", agent="scout"))

    mind = Interrupted([[make("One"), make("Two")], make("Three"), DONE], after=1, then=pause)
    session, ended = await play.run(mind)

    assert ended.state == "queued" and await tasks(hq) == []
    assert (await hq.do("session.show", id=session))["state"] == "queued"
    assert await play.runner(mind).run_once() == 0, "nobody takes it up"
    assert (await hq.do("chat.status", agent="scout"))["why"] == "is paused"

    await hq.do("agent.resume", agent="scout")
    assert await play.runner(mind).run_once() == 1
    assert play.ended[session].state == "done" and await tasks(hq) == ["One", "Three", "Two"]
    kinds = [row["kind"] for row in (await hq.do("session.replay", id=session))["items"]]
    assert kinds == ["open", "mind", "wait", "verb", "verb", "mind", "verb", "mind", "close"]
    assert len(mind.asked) == 3, "what the mind had said is not asked for again"


async def test_one_that_only_looks_is_told_with_its_next_heartbeat(play):
    hq = play.hq
    session = (await hq.do("agent.send", agent="scout", text="look"))["session"]
    runner = play.runner([("hq_task", {"action": "list"}), DONE])
    (claimed,) = await runner.leases.claim(1)
    await hq.do("agent.pause", agent="scout")

    assert await runner.leases.keep([claimed.id]) == {claimed.id: "rest"}
    runner._start(claimed)
    runner.sessions[claimed.id].signals.halt("rest")
    await runner.run_once()

    assert play.ended[session].state == "queued"
    await hq.do("agent.resume", agent="scout")
    assert await runner.run_once() == 1 and play.ended[session].state == "done"


async def test_a_worker_rests_with_its_agent_and_that_is_not_its_own_time(play):
    hq = play.hq
    await hq.do("worker.spawn", task="count", timeout=60, _token=await hq.agent("scout"))

    async def pause() -> None:
        if await status(hq, "agent", "scout") == "active" and len(mind.asked) == 1:
            await hq.do("agent.pause", agent="scout")

    mind = Interrupted([make("One"), DONE], after=1, then=pause)
    await play.runner(mind).run_once()
    assert await tasks(hq) == []
    hq.clock.advance(hours=2)
    await route(hq)
    assert await play.runner(mind).run_once() == 0

    await hq.do("agent.resume", agent="scout")
    await play.runner(mind).run_once()
    (worker,) = (await hq.do("worker.list"))["items"]
    assert await tasks(hq) == ["One"] and worker["status"] == "success"


async def test_what_was_about_to_begin_begins_after_the_pause(play):
    hq = play.hq
    session = (await hq.do("agent.send", agent="scout", text="go"))["session"]
    other = await play.agent("forge")
    await hq.do("agent.pause", agent="scout")
    theirs = (await hq.do("agent.send", agent=other, text="go"))["session"]

    assert await play.runner([DONE]).run_once() == 1, "one that rests stands in nobody's way"
    assert play.ended.keys() == {theirs}
    await hq.do("agent.resume", agent="scout")
    assert await play.runner([DONE]).run_once() == 1 and play.ended[session].state == "done"


async def test_a_paused_one_whose_worker_fell_silent_waits_like_any_other(play):
    hq = play.hq
    session = (await hq.do("agent.send", agent="scout", text="go"))["session"]
    await Leases(hq.door.pool, hq.clock).claim(1)
    await hq.do("agent.pause", agent="scout")
    async with await AsyncConnection[Any].connect(hq.address.url, autocommit=True) as conn:
        await conn.execute("update ops.sessions set lease_until = now() - interval '1 hour' where state = 'running'")

    assert await play.runner([DONE]).run_once() == 0
    assert (await hq.do("session.show", id=session))["state"] == "queued"
    await hq.do("agent.resume", agent="scout")
    assert await play.runner([DONE]).run_once() == 1 and play.ended[session].state == "done"


async def test_one_that_is_to_stop_comes_to_its_end_although_its_agent_is_paused(play):
    hq = play.hq
    session = (await hq.do("agent.send", agent="scout", text="go"))["session"]
    told: list[str] = []

    async def pause_and_hand_over() -> None:
        if not told:
            told.append("once")
            await hq.do("agent.pause", agent="scout")
            await hq.do("agent.handover", agent="scout")
            runner.sessions[next(iter(runner.sessions))].signals.halt("handover: by hand")

    runner = play.runner(Interrupted([make("One"), DONE], after=1, then=pause_and_hand_over))
    await runner.run_once()

    shown = await hq.do("session.show", id=session)
    assert shown["state"] == "stopped" and await tasks(hq) == []


class Interrupted(Told):
    """A mind after whose n-th answer something happens, before anything is made of what it said."""

    def __init__(self, lines: Any, *, after: int, then: Any) -> None:
        super().__init__(lines)
        self._after, self._then = after, then

    async def answer(self, ask, *, on_text=None):
        reply = await super().answer(ask, on_text=on_text)
        if len(self.asked) == self._after:
            await self._then()
        return reply
