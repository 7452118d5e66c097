"""The watchdog: every occurrence is raised once, and what is well is left alone."""

from __future__ import annotations

from uuid import UUID

from hq.agents.watchdog import Watchdog
from hq.engine.sessions.leases import Leases
from hq.jobs.job import JobRegistry
from hq.minds.mind import MindRefused
from tests.support.jobs import JobHand
from tests.support.paying import rows

DONE = '<task-complete reason="done"/>'


async def look(play, **limits) -> list[str]:
    """The occurrences raised as incidents."""
    play.hq.door.services[JobRegistry] = JobRegistry([Watchdog(**limits).job])
    ran = await JobHand(play.hq).runs()
    assert not [each.error for each in ran if each.error]
    return [each.result.result for each in ran]


async def claimed(play) -> str:
    session = (await play.hq.do("agent.send", agent="scout", text="go"))["session"]
    await Leases(play.hq.door.pool, play.hq.clock).claim(1)
    return session


async def test_a_healthy_company_is_left_alone(play):
    await play.run([DONE])

    assert await look(play) == []


async def test_a_worker_that_fell_silent_is_raised_once(play):
    session = await claimed(play)
    await rows(play.hq, "update ops.sessions set lease_until = clock_timestamp() - interval '2 minutes'")

    first, second = [await look(play) for _ in range(2)]

    assert len(first) == 1 and first[0].startswith(f"heartbeat:{session}") and second == []
    (incident,) = (await play.hq.do("agent_incident.list", kind="heartbeat"))["items"]
    assert "fell silent" in incident["title"]


async def test_a_session_without_a_step_for_ten_minutes_is_raised(play, clock):
    session = await claimed(play)
    await rows(
        play.hq,
        "insert into ops.journal select tenant_id, id, 1, 'note', null, '{}', holder, created_at from ops.sessions",
    )
    assert (await look(play)) == []

    clock.advance(minutes=11)

    assert await look(play) == [f"activity:{session}:1"]
    assert (await look(play)) == []


async def test_an_agent_whose_sessions_keep_failing_is_raised_once_an_hour(play, clock):
    for _ in range(4):
        await play.run([MindRefused("bad key")])

    found = [await look(play) for _ in range(2)]

    assert [len(seen) for seen in found] == [1, 0] and found[0][0].startswith("errors:scout:")


async def test_too_many_memories_are_raised(play):
    scout = await play.hq.agent("scout")
    snapshot = [{"body": f"Thing {n}"} for n in range(3)]
    session, _ = await play.run([DONE])
    await play.hq.do(
        "session.finalise", session=session, summary="s", memories=snapshot, _token=scout, _session_id=UUID(session)
    )

    assert (await look(play, memories=3)) == []
    assert len(await look(play, memories=2)) == 1


async def test_a_program_that_got_no_answer_is_no_failure_of_the_agents(play):
    """Its requests during an outage stood in `hq catch-up` as failed sessions, and nobody could do anything about them."""
    for _ in range(4):
        messages = [{"role": "user", "parts": [{"text": "hi"}]}]
        await play.hq.do("client.ask", agent="scout", messages=messages)
        await play.runner([MindRefused("too long")]).run_once()

    assert await look(play) == []
