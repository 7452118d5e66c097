"""Work that is handed in: what the agent has in its working tree counts, and a change has to have changed something (X11, P9)."""

from __future__ import annotations

import pytest

from tests.support.desk import delivered, desk
from tests.support.firm import firm
from tests.support.passable import tmp_path
from tests.support.sandboxes import MISSING

__all__ = ["firm", "tmp_path"]

pytestmark = pytest.mark.skipif(bool(MISSING), reason=str(MISSING))


async def test_x11_what_lies_unsaved_in_the_agents_tree_is_handed_in_with_the_mission(firm):
    mission = await firm.at_work("Flight tracker", deliverables=["file:app.py"])
    forge = await desk(firm, mission)
    await forge.write("app.py", "print('hello')")

    seen = await forge.do("mission.check", ref=mission)
    handed = await forge.do("mission.submit", ref=mission, outcome="It runs.")

    assert seen["says"].startswith("1 of 1"), "a check looks at what would be handed in"
    assert handed["status"] == "done" and "1 file" in handed["says"]
    assert (await firm.hq.do("mission.read_file", ref=mission, path="app.py"))["text"] == "print('hello')"


async def test_x11_what_conflicts_is_not_handed_in_and_says_what_to_call(firm):
    mission = await firm.at_work("Flight tracker", deliverables=["file:app.py"])
    forge = await desk(firm, mission)
    await forge.write("app.py", "print('mine')")
    await firm.deliver(mission, app__py="print('theirs')")

    refused = await forge.call("mission.submit", ref=mission, outcome="It runs.")

    assert refused.code == "conflict" and "app.py" in refused.message and "--prefer session" in refused.error["hint"]
    assert await firm.status(mission) == "in_progress"
    await forge.do("workspace.merge", ref=forge.workspace, prefer="session")
    await forge.do("mission.submit", ref=mission, outcome="It runs.")
    assert (await firm.hq.do("mission.read_file", ref=mission, path="app.py"))["text"] == "print('mine')"


async def test_x11_a_change_that_changed_nothing_is_not_done(firm):
    change = await firm.hq.do("mission.change", ref=await delivered(firm), words="Say goodbye instead.")
    await firm.hq.do("mission.accept", ref=change["slug"])
    forge = await desk(firm, change["slug"])

    back = await forge.do("mission.submit", ref=change["slug"], outcome="It says goodbye.")

    assert back["status"] == "in_progress", "app.py was there before: that shows nothing"
    assert "nothing is different" in back["evidence"][0]["seen"]
    await forge.write("app.py", "print('goodbye')")
    done = await forge.do("mission.submit", ref=change["slug"], outcome="It says goodbye.")
    assert done["status"] == "done"
    assert done["evidence"][0]["seen"] == "1 file is different: app.py"


async def test_x11_what_running_the_tests_left_lying_is_no_change(firm):
    change = await firm.hq.do("mission.change", ref=await delivered(firm), words="Say goodbye instead.")
    await firm.hq.do("mission.accept", ref=change["slug"])
    forge = await desk(firm, change["slug"])
    for path in (
        "__pycache__/app.cpython-311.pyc",
        ".pytest_cache/v/lastfailed",
        "node_modules/x/index.js",
        ".coverage",
    ):
        await forge.write(path, "left by a run")

    back = await forge.do("mission.submit", ref=change["slug"], outcome="It says goodbye.")

    assert back["status"] == "in_progress"
    assert "nothing is different" in back["evidence"][0]["seen"]
    assert "__pycache__" in back["evidence"][0]["seen"], "it says why what it sees in its tree does not count"
    await forge.write("app.py", "print('goodbye')")
    await forge.do("mission.submit", ref=change["slug"], outcome="It says goodbye.")
    shown = await firm.hq.do("mission.changes", ref=change["slug"])
    assert [each["path"] for each in shown["items"]] == ["app.py"]
    files = await firm.hq.do("mission.files", ref=change["slug"])
    assert [each["path"] for each in files["items"]] == ["app.py"]
    kept = await firm.hq.do("workspace.files", ref=forge.workspace)
    assert any("node_modules" in each["path"] for each in kept["items"]), "what runs needs it: it is kept"


async def test_x11_a_deliverable_may_name_what_has_to_change(firm):
    mission = await firm.at_work("Two files", deliverables=["changed:docs/*"])
    forge = await desk(firm, mission)
    await forge.write("app.py", "x")
    assert (await forge.do("mission.submit", ref=mission, outcome="Done."))["status"] == "in_progress"
    await forge.write("docs/use.md", "x")
    assert (await forge.do("mission.submit", ref=mission, outcome="Done."))["status"] == "done"
