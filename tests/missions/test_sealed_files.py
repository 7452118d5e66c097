"""What was handed in stays as it was looked at: its files change by a mission that goes on with it, or by people."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from tests.support.desk import AtDesk, delivered, desk
from tests.support.firm import Firm
from tests.support.passable import tmp_path
from tests.support.sandboxes import MISSING

__all__ = ["tmp_path"]
pytestmark = pytest.mark.skipif(bool(MISSING), reason=str(MISSING))


async def written_late(firm: Firm, mission: str, text: str = "print('EVIL')") -> str:
    """A tree of forge's own, with another app.py saved in it; the workspace."""
    token = await firm.token("forge")
    (space,) = (await firm.hq.do("workspace.list", mission=mission))["items"]
    await firm.hq.do("workspace.begin", ref=space["slug"], session="late", _token=token)
    await firm.hq.do("file.write", workspace=space["slug"], session="late", path="app.py", content=text, _token=token)
    await firm.hq.do("workspace.save", ref=space["slug"], session="late", _token=token)
    return space["slug"]


async def app_of(firm: Firm, mission: str) -> str:
    return (await firm.hq.do("mission.read_file", ref=mission, path="app.py"))["text"].strip()


@pytest.mark.parametrize("ended", ["done", "failed", "review"])
async def test_what_was_handed_in_is_not_changed_behind_it(firm, ended):
    if ended == "done":
        mission = await delivered(firm)
    else:
        mission = await firm.at_work("Flight tracker", deliverables=["person: I like it"])
        await firm.deliver(mission, app__py="print('hello')")
    if ended == "review":
        await firm.hq.do("mission.submit", ref=mission, outcome="It runs.")
    if ended == "failed":
        await firm.hq.do("mission.fail", ref=mission, why="No longer wanted.")
    assert await firm.status(mission) == ended
    space = await written_late(firm, mission)
    before = (await firm.hq.do("workspace.show", ref=space))["props"]["snapshot"]
    token, empty = await firm.token("forge"), hashlib.sha256(b"[]").hexdigest()

    merged = await firm.hq.call("workspace.merge", ref=space, session="late", _token=token)
    reverted = await firm.hq.call("workspace.revert", ref=space, snapshot=empty, _token=token)
    taken = await firm.hq.call("workspace.take", ref=space, _token=token)

    assert merged.error["code"] == "conflict" and "mission change" in merged.error["hint"]
    assert reverted.error["code"] == taken.error["code"] == "cross_scope_violation"
    assert (await firm.hq.do("workspace.show", ref=space))["props"]["snapshot"] == before
    assert await app_of(firm, mission) == "print('hello')"


async def test_a_change_is_shown_once_it_was_accepted(firm):
    mission = await delivered(firm)
    change = (await firm.hq.do("mission.change", ref=mission, words="Say goodbye."))["slug"]
    await firm.hq.do("mission.accept", ref=change)
    at = await desk(firm, change)
    await at.write("app.py", "print('goodbye')")
    await at.do("workspace.merge", ref=at.workspace)

    assert await app_of(firm, mission) == "print('hello')" and await app_of(firm, change) == "print('goodbye')"
    await firm.hq.do("mission.submit", ref=change, outcome="It says goodbye.")

    assert await firm.status(change) == "done"
    assert await app_of(firm, mission) == await app_of(firm, change) == "print('goodbye')"
    changed = await firm.hq.do("mission.changes", ref=change)
    assert "goodbye" in str(changed) and "hello" in str(changed)


async def test_what_people_bring_back_is_what_counts(firm):
    mission = await delivered(firm)
    (space,) = (await firm.hq.do("workspace.list", mission=mission))["items"]
    change = (await firm.hq.do("mission.change", ref=mission, words="Say goodbye."))["slug"]
    before = (await firm.hq.do("workspace.show", ref=space["slug"]))["props"]["snapshot"]
    await firm.hq.do("mission.accept", ref=change)
    at = await desk(firm, change)
    await at.write("app.py", "print('goodbye')")
    await at.do("mission.submit", ref=change, outcome="It says goodbye.")
    assert await firm.status(change) == "done" and await app_of(firm, mission) == "print('goodbye')"

    await firm.hq.do("workspace.revert", ref=space["slug"], snapshot=before)

    assert await app_of(firm, mission) == await app_of(firm, change) == "print('hello')"


async def test_who_hands_in_anew_hands_in_what_is_there_now(firm):
    mission = await firm.at_work("Flight tracker", deliverables=["person: I like it"])
    at = await desk(firm, mission)
    for text in ("print('hello')", "print('hello, you')"):
        await at.write("app.py", text)
        await at.do("mission.submit", ref=mission, outcome="It runs.")
        assert await firm.status(mission) == "review" and await app_of(firm, mission) == text


async def test_an_agent_that_the_founder_speaks_to_changes_what_the_founder_says(firm):
    mission = await delivered(firm)
    (space,) = (await firm.hq.do("workspace.list", mission=mission))["items"]
    thread = (await firm.hq.do("thread.say", agent="forge", text="Say goodbye instead."))["session"]
    at = AtDesk(firm, thread, await firm.token("forge"), space["slug"], Path())
    await at.do("workspace.begin", ref=space["slug"], session=thread)
    await at.do("file.write", workspace=space["slug"], path="app.py", content="print('goodbye')")

    await at.do("workspace.merge", ref=space["slug"])

    assert await app_of(firm, mission) == "print('goodbye')", "and that is what is opened"
