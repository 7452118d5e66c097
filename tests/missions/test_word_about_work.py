"""A word about a mission: an answer or a message joins who is at work on it, or opens a session at the mission's tree, booked to it."""

from __future__ import annotations

from unittest.mock import patch

import pytest

from hq.engine.sessions.journal import Journal
from tests.support.desk import desk
from tests.support.passable import tmp_path
from tests.support.play import DONE, Told, route, texts
from tests.support.sandboxes import MISSING

__all__ = ["tmp_path"]
pytestmark = pytest.mark.skipif(bool(MISSING), reason=str(MISSING))


async def ended(firm) -> None:
    [session] = await firm.sessions("forge")
    await firm.hq.do("session.stop", id=session["session"], why="out of tokens")


@pytest.mark.parametrize("word", ["answer", "command", "question"])
async def test_a_word_about_a_mission_goes_to_who_is_at_work_on_it(firm, word):
    mission = await firm.at_work("Flight tracker", deliverables=["file:app.py"])
    at_work = await desk(firm, mission)

    await say(firm, mission, word)

    assert [each["session"] for each in await firm.sessions("forge")] == [at_work.session]
    waiting = (await firm.hq.do("agent.inbox", agent="forge"))["items"]
    assert "Postgres" in str(waiting), "it is read at the next turn"


@pytest.mark.parametrize("word", ["answer", "command", "question"])
async def test_a_word_about_a_mission_that_nobody_is_at_opens_a_session_at_its_tree_booked_to_it(firm, word):
    mission = await firm.at_work("Flight tracker", deliverables=["file:app.py"])
    await ended(firm)

    await say(firm, mission, word)

    forge = await desk(firm, mission)
    await forge.write("app.py", "print(1)")
    handed = await forge.do("mission.submit", ref=mission, outcome="It runs.")
    assert handed["status"] == "done"
    told = (await firm.hq.do("session.show", id=forge.session))["trigger"]
    assert told["mission"] == (await firm.hq.do("mission.show", ref=mission))["id"]


MERGE = ("hq_entity", {"action": "merge", "loser": "acme-inc", "into": "acme"})
"""A call that waits for the founder's yes."""


async def accounts(firm) -> None:
    for name in ("Acme", "Acme Inc"):
        await firm.hq.do("entity.create", name=name)


def calls_in(ask) -> list[str]:
    return [part.tool_name for message in ask.messages for part in message.parts if part.part_kind == "tool-call"]


@pytest.mark.parametrize("word", ["answer", "command", "question"])
async def test_a_word_about_a_mission_whose_session_waits_is_read_there_and_the_wait_goes_on(shift, word):
    firm = shift.firm
    await accounts(firm)
    mission = await firm.mission("Flight tracker", deliverables=["file:app.py"])
    await firm.hq.do("mission.assign", ref=mission, to="forge")
    heard: list[str] = []

    def mind(ask):
        told = " ".join(texts(ask.messages[-1:]))
        if "mission_accept" not in calls_in(ask):
            return [("mission_accept", {"ref": mission}), MERGE]
        heard.append(told)
        done = "came back" in told or told.startswith("Your mission is open")
        return '<task-complete reason="merged"/>' if done else "Postgres it is; I wait for the yes."

    runner = shift.play.runner(mind)
    await runner.run_once()
    [waits] = await firm.sessions("forge")
    assert waits["state"] == "waiting"

    await say(firm, mission, word)
    await route(firm.hq)
    await runner.run_once()

    [still] = await firm.sessions("forge")
    assert (still["session"], still["state"]) == (waits["session"], "waiting"), "one session, and it waits on"
    assert len(heard) == 1 and "Postgres" in heard[0]

    [yes] = (await firm.hq.do("approval.list", status="pending"))["items"]
    await firm.hq.do("approval.approve", ref=yes["slug"])
    await route(firm.hq)
    await runner.run_once()

    assert shift.play.ended[waits["session"]].state == "done"
    assert len(heard) == 3 and "entity_merge" in heard[1]
    assert len(await firm.sessions("forge")) == 1


async def test_a_word_about_another_mission_than_the_one_that_waits_opens_a_session_there(shift):
    firm = shift.firm
    await accounts(firm)
    one, two = [await firm.mission(title, deliverables=["file:app.py"]) for title in ("Flight tracker", "Guest book")]
    await firm.hq.do("mission.assign", ref=one, to="forge")
    mind = Told([[("mission_accept", {"ref": one}), MERGE], DONE])
    await shift.play.runner(mind).run_once()
    await firm.hq.do("mission.assign", ref=two, to="forge")
    await firm.hq.do("mission.accept", ref=two)
    before = {each["session"] for each in await firm.sessions("forge")}
    for session in before - {(await firm.sessions("forge"))[-1]["session"]}:
        await firm.hq.do("session.stop", id=session, why="out of tokens")

    await firm.hq.do("agent.send", agent="forge", text=f"Go on with {two}, please.")

    [new] = [each for each in await firm.sessions("forge") if each["session"] not in before]
    assert (await firm.hq.do("session.show", id=new["session"]))["trigger"]["mission"] == (
        await firm.hq.do("mission.show", ref=two)
    )["id"]


async def test_what_is_said_while_a_session_lies_down_wakes_it(shift):
    """Between its last look and its rest: who lies down looks once more."""
    firm = shift.firm
    await accounts(firm)
    mission = await firm.mission("Flight tracker", deliverables=["file:app.py"])
    await firm.hq.do("mission.assign", ref=mission, to="forge")
    lines = Told([[("mission_accept", {"ref": mission}), MERGE], "Read."])
    runner = shift.play.runner(lines)
    park = Journal._append

    async def said_then(self, conn, payload):
        if payload.kind == "wait" and len(lines.asked) == 1:
            await firm.hq.do("agent.send", agent="forge", text="Postgres, please.")
        await park(self, conn, payload)

    with patch.object(Journal, "_append", said_then):
        await runner.run_once()
        await runner.run_once()

    assert len(lines.asked) == 2 and "Postgres" in str(texts(lines.asked[1].messages))
    assert [each["state"] for each in await firm.sessions("forge")] == ["waiting"]


async def test_of_several_missions_the_one_that_is_named_is_meant(firm):
    one, two = [await firm.at_work(title, deliverables=["file:app.py"]) for title in ("Flight tracker", "Guest book")]
    for session in await firm.sessions("forge"):
        await firm.hq.do("session.stop", id=session["session"], why="out of tokens")

    await firm.hq.do("agent.send", agent="forge", text=f"Go on with {two}, please.")

    told = (await firm.hq.do("session.show", id=(await firm.sessions("forge"))[0]["session"]))["trigger"]
    assert told["mission"] == (await firm.hq.do("mission.show", ref=two))["id"]
    assert one != two


async def say(firm, mission: str, how: str) -> None:
    if how == "answer":
        slug = (await firm.hq.call("escalation.raise", summary="Postgres or SQLite?", mission=mission)).data["slug"]
        await firm.hq.do("escalation.resolve", ref=slug, answer="Postgres.")
    elif how == "command":
        await firm.hq.do("agent.send", agent="forge", text="The founder says: Postgres.")
    else:
        await firm.hq.call("agent.ask", agent="forge", text="Why Postgres?")


async def test_a_submit_that_ends_the_mission_ends_the_session_without_another_word(shift):
    firm = shift.firm
    mission = await firm.mission("Flight tracker", deliverables=["file:app.py"])
    await firm.hq.do("mission.assign", ref=mission, to="forge")
    write = ("file_write", {"path": "app.py", "content": "print(1)"})
    submit = ("mission_submit", {"ref": mission, "outcome": "It runs."})
    mind = Told([[("mission_accept", {"ref": mission}), write, submit], "asked once too often"])

    await shift.run(mind)

    assert await firm.status(mission) == "done" and len(mind.asked) == 1
    [session] = await firm.sessions("forge")
    shown = await firm.hq.do("session.show", id=session["session"])
    assert shown["state"] == "done" and "is done" in str(shown)


async def test_a_submit_that_comes_back_is_told_and_the_session_goes_on(shift):
    firm = shift.firm
    mission = await firm.mission("Flight tracker", deliverables=["file:app.py"])
    await firm.hq.do("mission.assign", ref=mission, to="forge")
    submit = ("mission_submit", {"ref": mission, "outcome": "It runs."})
    mind = Told([[("mission_accept", {"ref": mission}), submit], '<task-complete reason="left"/>'])

    await shift.run(mind)

    assert len(mind.asked) == 3 and await firm.status(mission) == "in_progress"
