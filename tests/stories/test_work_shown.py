"""`mission show` has what a model needs of a mission (M11): who works on it, what it waits for, cost, files, how it opens."""

from __future__ import annotations

import pytest

from tests.support.desk import desk
from tests.support.firm import firm
from tests.support.passable import tmp_path
from tests.support.sandboxes import MISSING

__all__ = ["firm", "tmp_path"]

pytestmark = pytest.mark.skipif(bool(MISSING), reason=str(MISSING))


async def test_m11_a_mission_is_shown_with_how_it_stands(firm):
    mission = await firm.mission("Flight tracker", deliverables=["file:app.py"])
    assert (await firm.hq.do("mission.show", ref=mission))["now"]["with"] == "nobody"
    await firm.hq.do("mission.assign", ref=mission, to="forge")
    await firm.hq.do("mission.accept", ref=mission)
    forge = await desk(firm, mission)
    await forge.write("app.py", "print('hello')")

    now = (await firm.hq.do("mission.show", ref=mission))["now"]

    assert now["with"] == "forge" and now["works_on_it"] == ["forge (queued)"]
    assert now["files_not_merged_yet"] == ["app.py (added)"] and "opens" not in now
    assert now["cost"] == "$0.00, 0 tokens" and now["evidence"] == [{"deliverable": "file:app.py", "status": "open"}]

    handed = await forge.do("mission.submit", ref=mission, outcome="It runs.")
    now = (await firm.hq.do("mission.show", ref=mission))["now"]

    assert "result" not in handed, "what the house does on the side is no part of the answer"
    assert now["opens"].startswith("an app, started with python3 app.py; the founder opens it")
    assert "files_not_merged_yet" not in now and "works_on_it" not in now


async def test_m11_what_a_mission_waits_for_and_why_it_stopped_is_told(firm):
    first = await firm.mission("First")
    second = await firm.mission("Second", depends_on=[first])
    await firm.hq.do("mission.assign", ref=second, to="forge")
    assert (await firm.hq.do("mission.show", ref=second))["now"]["waits_for"] == [
        f"{first}, which has to be finished first"
    ]

    third = await firm.at_work("Third", to="scout")
    [session] = await firm.sessions("scout")
    await firm.hq.do("session.stop", id=session["session"], why="the lights went out")

    now = (await firm.hq.do("mission.show", ref=third))["now"]
    assert (
        now["stopped"].startswith("nobody works on it; the last session of scout ended: ")
        and "lights" in now["stopped"]
    )
