"""The founder's first story (000, the flow of a whole mission): a wish in words, a hire, a question, a program, a report.

No key, no model: the shipped scripts answer, the real coding program builds in the sandbox, the system checks.
"""

from __future__ import annotations

import pytest
from sandboxes import MISSING

from agents.days import Days

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(MISSING), reason=str(MISSING))]
WISH = "I need a web app that tracks my flight training hours and expenses. Simple dashboard, login, CRUD for flights."
ANSWER = "Dropdown with common types, and Other as free text"


@pytest.fixture
async def days(own_hq) -> Days:
    made = Days(own_hq)
    await own_hq.do("agent.load")
    await made.pass_by()
    return made


async def test_from_the_first_sentence_to_the_report(days: Days):
    hq = days.hq
    assert "hire Forge" in await days.say(WISH)
    # The CEO does not fall silent while it waits for the founder.
    assert "2 agents" in await days.say("who works here?")

    [asked] = (await hq.do("approval.list", status="pending"))["items"]
    await hq.do("approval.approve", ref=asked["slug"])
    await days.pass_by()
    [(title, status)] = (await days.missions()).items()
    assert title == "Web app that tracks my flight training hours and expenses" and status == "in_progress"
    [question] = (await hq.do("escalation.list", status="open"))["items"]

    days.restart()
    assert ANSWER in await days.say(f"answer: {ANSWER}.")

    assert (await days.missions())[title] == "done"
    [workspace] = (await hq.do("workspace.list"))["items"]
    files = {file["path"] for file in (await hq.do("workspace.files", ref=workspace["slug"]))["items"]}
    assert {"app.py", "test_app.py", "README.md"} <= files
    changes = await hq.do("workspace.diff", ref=workspace["slug"], patch=True)
    assert "Cessna 172" in str(changes)
    decided = await hq.do("escalation.show", ref=question["slug"])
    assert decided["props"]["resolution"] == ANSWER


async def test_what_was_decided_once_is_not_asked_again(days: Days):
    hq = days.hq
    await days.say(WISH)
    [asked] = (await hq.do("approval.list", status="pending"))["items"]
    await hq.do("approval.approve", ref=asked["slug"])
    await days.pass_by()
    await days.say(f"answer: {ANSWER}.")

    told = await days.say("Build me a web app that logs my gliding hours and costs.")

    assert "Forge has it" in told
    assert set((await days.missions()).values()) == {"done"}
    assert not (await hq.do("escalation.list", status="open"))["items"]
    assert len((await hq.do("escalation.list"))["items"]) == 1
