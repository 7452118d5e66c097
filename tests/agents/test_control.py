"""Looking after agents: presence, restart, handover by hand and at night, watching one at work, its files in a session."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest

from hq.door.toolset import all_tools
from hq.engine.sessions.leases import Leases
from hq.minds.scripted.script_input import commands_of
from hq.sessions.runner import Runner
from tests.support.supervised import close
from tests.support.watched import Watched

DONE = '<task-complete reason="done"/>'
NAMED = re.compile(r"\b[a-z]+_[a-z_]+\b")
"""Words that may be tools, as the house names them: `mission_accept`."""
SNAPSHOT = '{"summary": "Half done.", "handover": "Ana still waits for the offer.", "memories": []}'


async def presence(house, agent="chief") -> str:
    (row,) = (await house.hq.do("agent.status", agent=agent))["items"]
    return row["presence"]


async def test_presence_is_told_from_the_sessions(house):
    assert await presence(house) == "cold"
    await house.hq.do("agent.send", agent="chief", text="hi")
    (claimed,) = await Leases(house.hq.door.pool, house.hq.clock).claim(1)
    assert await presence(house) == "warm"
    await close(house, claimed)
    assert await presence(house) == "cooldown"
    house.hq.clock.advance(seconds=90)
    assert await presence(house) == "cold"
    await house.hq.do("agent.pause", agent="chief")
    assert await presence(house) == "stopped"


async def test_a_paused_agent_takes_no_message(house):
    await house.hq.do("agent.pause", agent="chief")

    outcome = await house.hq.call("agent.send", agent="chief", text="hi")

    assert outcome.error["code"] == "conflict" and "hq agent resume chief" in outcome.error["hint"]


async def test_restart_stops_and_begins_again_with_the_same(house):
    first = (await house.hq.do("agent.send", agent="chief", text="count to ten"))["session"]

    made = await house.hq.do("agent.restart", agent="chief")

    assert made["stopped"] == [first]
    assert (await house.hq.do("session.show", id=first))["state"] == "stopped"
    assert (await house.hq.do("session.show", id=made["session"]))["trigger"]["text"] == "count to ten"
    fresh = await house.hq.do("agent.restart", agent="chief", fresh_session=True)
    assert "restarted" in (await house.hq.do("session.show", id=fresh["session"]))["trigger"]["text"]


@pytest.mark.parametrize("way", ["by hand", "at night"])
async def test_a_running_session_hands_over_and_a_fresh_one_goes_on(house, stage, way):
    asked = []

    def answer(ask):
        asked.append(ask)
        if "Leave a snapshot" in str(ask.messages[-1]):
            return SNAPSHOT
        return ("hq_task", {"action": "list", "limit": len(asked)})

    await house.rotate.run_once()
    session = (await house.hq.do("agent.send", agent="chief", text="write the offer"))["session"]
    runner = stage(house, answer, remembers=True)
    stop = runner.leases.claim
    (claimed,) = await stop(1)
    if way == "by hand":
        await house.hq.do("agent.handover", agent="chief", why="by hand")
    else:
        house.hq.clock.set(datetime(2026, 1, 2, 3, 0, tzinfo=UTC))
        assert await house.rotate.run_once() == 1
        assert await house.rotate.run_once() == 0
    ours = await runner.leases.keep([claimed.id])
    assert ours[claimed.id].startswith("handover: ")
    runner._start(claimed)
    running = runner.sessions[claimed.id]
    # It learns of the stop with its next heartbeat, after its first turn.
    running.host.told.lines = lambda ask: (setattr(running.signals, "stop", ours[claimed.id]), answer(ask))[1]
    import asyncio

    await asyncio.wait(runner._tasks)

    shown = await house.hq.do("session.show", id=session)
    assert (shown["state"], shown["closed_as"].split(":")[0]) == ("stopped", "handover")
    assert "Ana still waits" in (await house.hq.do("context.show", agent="chief"))["text"]
    house.hq.clock.advance(seconds=5)
    assert await house.settle() == 1
    (fresh,) = await house.sessions(state="queued")
    trigger = (await house.hq.do("session.show", id=fresh["session"]))["trigger"]
    assert trigger["events"][0]["topic"] == "session.rotated"
    assert trigger["events"][0]["payload"]["was"] == "write the offer"


async def test_what_waits_is_left_alone_at_night(house):
    await house.rotate.run_once()
    session = (await house.hq.do("agent.send", agent="chief", text="hi"))["session"]
    house.hq.clock.set(datetime(2026, 1, 2, 3, 0, tzinfo=UTC))

    assert await house.rotate.run_once() == 0

    assert (await house.hq.do("session.show", id=session))["state"] == "queued"


async def test_watching_an_agent_shows_its_steps_and_goes_on_from_there(house, stage):
    assert (await house.hq.do("agent.attach", agent="chief"))["state"] == "none"
    session = (await house.hq.do("agent.send", agent="chief", text="hi"))["session"]
    await stage(house, [("hq_task", {"action": "list"}), DONE]).run_once()

    seen = await house.hq.do("agent.attach", agent="chief")

    assert (seen["session"], seen["state"]) == (session, "done")
    assert [step["kind"] for step in seen["items"]] == ["open", "mind", "verb", "mind", "close"]
    more = await house.hq.do("agent.attach", agent="chief", after=3)
    assert [step["step"] for step in more["items"]] == [4, 5]


# ---- its files in a session


async def run(house, told, agent="chief") -> str:
    session = (await house.hq.do("agent.send", agent=agent, text="go"))["session"]
    await worker(house, told).run_once()
    return session


def worker(house, told) -> Runner:
    return Runner(Watched(house.hq, told), house.hq.address.app_url, Leases(house.hq.door.pool, house.hq.clock))


async def test_a_session_is_told_its_files_in_order_and_offered_its_tools(house, told):
    await run(house, told)

    ask = told.asked[0]
    places = [
        ask.instructions.index(text)
        for text in ("# Rules", "# Words", "# What you do", "# Playbook", "# Voice", "## How it ends", "# Who you are")
    ]
    assert places == sorted(places)
    tools = {tool.name: tool for tool in ask.tools}
    assert {"mission_create", "agent_hire", "graph_search", "memory_add", "mission_read_file", "hq"} <= set(tools)
    limits = {"daily_usd_hard", "daily_tokens_hard"}
    assert limits <= set(tools["agent_hire"].parameters_json_schema["properties"]), (
        "a day's limit without asking for help"
    )
    beyond = tools["hq"].description
    assert "; entity (find, profile, list, show);" in beyond and "sql (" not in beyond and "feature (" not in beyond


async def test_a_change_of_its_files_holds_from_the_next_session_on(house, told):
    await run(house, told)
    house.edit("chief/CLAUDE.md", "# What you do", "# What you do, reborn")
    await run(house, told)

    assert "reborn" not in told.asked[0].instructions and "reborn" in told.asked[-1].instructions
    assert len((await house.hq.do("agent.history", ref="chief"))["items"]) == 2


async def test_an_agent_without_files_works_from_its_record(house, told):
    await house.hq.do("agent.create", name="scout", role="Scout", tools=["task"])
    await run(house, told, "scout")

    assert "You are **scout**: Scout at" in told.asked[0].instructions
    shown = {tool.name for tool in told.asked[0].tools}
    assert {"mission_show", "mission_accept", "read_file", "hq"} <= shown
    assert any(name.startswith("task_") for name in shown)


def named_and_missing(house, ask) -> set[str]:
    """What a brief tells to call and the mind was shown neither as a tool nor as a command."""
    known = {tool.name for tool in all_tools(house.hq.door.registry)}
    named = {
        name
        for name in NAMED.findall(str(ask.messages))
        if name in known and name.startswith(("mission", "escalation", "agent"))
    }
    assert {"mission_accept", "mission_submit", "escalation_raise"} <= named
    shown = {tool.name for tool in ask.tools}
    commands = commands_of(ask.tools[-1].description)
    return {name for name in named - shown if name.split("_", 1)[1] not in commands.get(name.split("_", 1)[0], ())}


async def test_m2_the_tools_of_a_hire_come_on_top_of_what_its_work_needs(house, told):
    """It is told to begin with mission_accept, so it has that, whatever else it was hired with."""
    await house.hq.do("agent.hire", name="Forge", title="Developer", role="developer", tools=["cost_show", "code"])
    mission = (await house.hq.do("mission.create", title="Build the page"))["slug"]
    await house.hq.do("mission.assign", ref=mission, to="forge")
    await worker(house, told).run_once()

    has = {tool.name for tool in told.asked[0].tools}
    assert {"cost_show", "code_execute", "mission_accept", "escalation_raise", "agent_ask", "read_file", "hq"} <= has
    assert named_and_missing(house, told.asked[0]) == set()


async def test_whoever_gets_a_mission_is_offered_what_its_brief_names(house, told):
    """The operator's files name no mission at all; the chief's name other actions of it."""
    for agent in ("operator", "chief"):
        mission = (await house.hq.do("mission.create", title=f"Look after {agent}'s page"))["slug"]
        await house.hq.do("mission.assign", ref=mission, to=agent)
        await worker(house, told).run_once()

        assert named_and_missing(house, told.asked[-1]) == set(), agent


async def test_reaching_across_in_a_session_is_told_to_the_mind(house, told):
    told.lines = [("hq_engagement", {"action": "create", "name": "x", "entity": "y"}), DONE]
    session = await run(house, told)

    rows = (await house.hq.do("session.replay", id=session))["items"]
    (error,) = [row["payload"]["error"] for row in rows if row["kind"] == "verb"]
    assert error["code"] == "cross_scope_violation" and "operator" in error["hint"]
