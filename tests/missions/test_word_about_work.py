"""A word about a mission: an answer or a message joins who is at work on it, or opens a session at the mission's tree, booked to it."""

from __future__ import annotations

import pytest

from tests.support.desk import desk
from tests.support.passable import tmp_path
from tests.support.play import Told
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

    assert len(mind.asked) == 2 and await firm.status(mission) == "in_progress"
