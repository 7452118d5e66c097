"""Events wake agents: the right ones, once, together, never in circles; and nothing wakes anybody in an idle company."""

from __future__ import annotations

import pytest

from hq.engine.sessions.leases import Leases
from tests.support.supervised import Supervised, close

DONE = '<task-complete reason="done"/>'


def make(title: str) -> tuple[str, dict]:
    return ("hq_task", {"action": "create", "title": title})


@pytest.fixture
async def listening(house: Supervised) -> Supervised:
    """The operator wakes on tasks, the chief on nothing."""
    await house.wakes_on("task.*")
    await house.wakes_on("none", "chief")
    return house


async def test_an_event_wakes_whose_triggers_name_it(listening):
    await listening.hq.do("task.create", title="Count")
    await listening.hq.do("entity.create", name="Acme")

    assert await listening.settle() == 1

    (session,) = await listening.sessions()
    shown = await listening.hq.do("session.show", id=session["session"])
    assert (shown["agent"], shown["trigger_kind"], shown["state"]) == ("operator", "outbox", "queued")
    assert [event["topic"] for event in shown["trigger"]["events"]] == ["task.created"]
    assert shown["trigger"]["events"][0]["payload"]["slug"] == "count"


async def test_routing_twice_wakes_once(listening):
    await listening.hq.do("task.create", title="Count")
    await listening.settle()

    again = Supervised(listening.hq)  # another leader
    assert await again.settle() == 0
    assert len(await listening.sessions()) == 1


async def test_what_happened_before_the_agents_came_wakes_nobody(own_hq):
    await own_hq.do("task.create", title="Old")
    house = Supervised(own_hq)
    await house.settle()
    await own_hq.do("agent.load")
    await house.wakes_on("*")

    await house.settle()

    topics = [t for s in await house.sessions() for t in (s["trigger"],)]
    assert not any("task.created" in topic for topic in topics)


async def test_a_burst_becomes_one_wake(listening):
    for number in range(5):
        await listening.hq.do("task.create", title=f"Task {number}")

    await listening.settle()

    (session,) = await listening.sessions()
    assert len((await listening.hq.do("session.show", id=session["session"]))["trigger"]["events"]) == 5


async def test_what_follows_before_the_session_began_goes_along(listening):
    for number in range(3):
        await listening.hq.do("task.create", title=f"Task {number}")
        await listening.settle()
        listening.hq.clock.advance(seconds=0.5)

    (session,) = await listening.sessions()
    shown = await listening.hq.do("session.show", id=session["session"])
    assert len(shown["trigger"]["events"]) == 3 and shown["trigger"]["summary"] == "3 events"


async def test_what_comes_while_it_works_is_the_next_batch(listening):
    await listening.hq.do("task.create", title="First")
    await listening.settle()
    (claimed,) = await Leases(listening.hq.door.pool, listening.hq.clock).claim(4)
    listening.hq.clock.advance(seconds=10)
    for title in ("Second", "Third"):
        await listening.hq.do("task.create", title=title)
        assert await listening.settle() == 0

    await close(listening, claimed)
    assert await listening.settle() == 1

    _, second = await listening.sessions()
    shown = await listening.hq.do("session.show", id=second["session"])
    assert [event["payload"]["slug"] for event in shown["trigger"]["events"]] == ["second", "third"]


async def test_two_seconds_pass_between_two_wakes(listening):
    await listening.hq.do("task.create", title="First")
    await listening.settle()
    (claimed,) = await Leases(listening.hq.door.pool, listening.hq.clock).claim(4)
    await close(listening, claimed)
    await listening.hq.do("task.create", title="Second")
    assert await listening.settle() == 0

    listening.hq.clock.advance(seconds=2)

    assert await listening.settle() == 1


async def test_an_agents_own_deeds_do_not_wake_it(listening):
    token = await listening.hq.agent("operator")
    await listening.settle()
    await listening.hq.do("task.create", title="Mine", _token=token)

    assert await listening.settle() == 0
    assert await listening.sessions() == []


async def test_in_a_session_too_its_own_deeds_do_not_wake_it(listening, stage):
    await listening.hq.do("agent.send", agent="operator", text="make a task")
    await stage(listening, [make("Mine"), DONE]).run_once()

    assert await listening.settle() == 0
    assert len(await listening.sessions()) == 1


async def test_two_that_only_wake_each_other_are_parted_and_raised_once(house, stage):
    await house.wakes_on("task.created", "operator")
    await house.wakes_on("task.created", "chief")
    runner = stage(house, lambda ask: make("Again") if len(ask.messages) == 1 else DONE)
    await house.hq.do("agent.send", agent="operator", text="make a task")

    for _ in range(30):
        house.hq.clock.advance(seconds=5)
        await house.settle()
        await runner.run_once()

    woken = [s["agent"] for s in await house.sessions() if s["trigger"] == "task.created"]
    assert woken == ["chief", "operator"] * 4
    (incident,) = (await house.hq.do("agent_incident.list", kind="loop"))["items"]
    assert incident["title"] == "operator and chief woke each other 8 times with nobody else in between"


async def test_messages_back_and_forth_are_parted_too(house, stage):
    def answer(ask):
        if len(ask.messages) > 1:
            return DONE
        return ("hq_agent", {"action": "send", "agent": the_other(ask), "text": "thanks"})

    assert await talk(house, stage(house, answer)) == 9
    assert len((await house.hq.do("agent_incident.list", kind="loop"))["items"]) == 1


async def test_those_that_work_while_they_talk_are_not_parted(house, stage):
    def answer(ask):
        match len(ask.messages):
            case 1:
                return ("hq_task", {"action": "create", "title": f"Something for {the_other(ask)}"})
            case 3:
                return ("hq_agent", {"action": "send", "agent": the_other(ask), "text": "thanks"})
            case _:
                return DONE

    assert await talk(house, stage(house, answer)) == 31
    assert (await house.hq.do("agent_incident.list", kind="loop"))["items"] == []


def the_other(ask) -> str:
    return "operator" if "You are agent:chief" in str(ask.messages[0]) else "chief"


async def talk(house, runner) -> int:
    """How many sessions it comes to when one message is sent and every answer is followed."""
    await house.wakes_on("none", "operator")
    await house.wakes_on("none", "chief")
    await house.hq.do("agent.send", agent="chief", text="say hello to operator")
    for _ in range(30):
        house.hq.clock.advance(seconds=5)
        await house.settle()
        await runner.run_once()
    return len(await house.sessions())


async def test_no_more_than_two_agents_work_at_once(house):
    text = (house.folder / "operator" / "agent.md").read_text()
    for name in ("ada", "bob"):
        (house.folder / name).mkdir()
        (house.folder / name / "agent.md").write_text(
            text.replace("name: operator", f"name: {name}").replace(
                "- CLAUDE.md\n- playbook.md\n- personality.md\n", ""
            )
        )
    await house.hq.do("agent.load")
    for name in ("operator", "ada", "bob"):
        await house.wakes_on("task.*", name)
    await house.hq.do("task.create", title="For all")

    assert await house.settle() == 2
    assert await house.settle() == 0
    leases = Leases(house.hq.door.pool, house.hq.clock)
    for claimed in await leases.claim(1):
        await close(house, claimed)
    assert await house.settle() == 1


async def test_nobody_is_woken_while_memory_is_short(listening):
    await listening.hq.do("task.create", title="Count")
    listening.memory = 599 * 1024 * 1024
    assert await listening.settle() == 0

    listening.memory = 600 * 1024 * 1024
    assert await listening.settle() == 1


async def test_for_a_paused_agent_events_wait(listening):
    await listening.hq.do("agent.pause", agent="operator")
    await listening.hq.do("task.create", title="Count")
    assert await listening.settle() == 0
    (status,) = (await listening.hq.do("agent.status", agent="operator"))["items"]
    assert (status["presence"], status["events"]) == ("stopped", 1)

    await listening.hq.do("agent.resume", agent="operator")

    assert await listening.settle() == 1


async def test_one_company_does_not_wake_anothers_agents(listening):
    other = await listening.hq.tenant()
    await listening.hq.do("task.create", title="Theirs", _token=other)

    assert await listening.settle() == 0


async def test_an_idle_week_opens_no_session_at_all(house):
    await house.look()
    calls = len((await house.hq.do("action.list", limit=200))["items"])
    for _ in range(7 * 8):
        house.hq.clock.advance(hours=3)
        await house.look()

    assert await house.sessions() == []
    since = (await house.hq.do("action.list", limit=200))["items"]
    assert {row["verb"] for row in since[: len(since) - calls]} == {"memory.tend", "agent.beat"}


async def test_an_idle_week_opens_the_beats_that_are_meant_for_every_day_and_nothing_else(house):
    await house.beat_every_day()
    await house.look()
    for _ in range(7 * 8):
        house.hq.clock.advance(hours=3)
        await house.look()
        for claimed in await Leases(house.hq.door.pool, house.hq.clock).claim(8):
            await close(house, claimed)

    sessions = [(s["agent"], s["trigger"].split(":")[0]) for s in await house.sessions()]
    assert sorted(set(sessions)) == [
        ("chief", "beat 0 7 * * *"),
        ("operator", "beat 0 22 * * *"),
        ("operator", "beat 0 3 * * *"),
    ]
    assert len(sessions) == 21
