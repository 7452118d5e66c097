"""The founder's first story (000, the flow of a whole mission): a wish in words, a hire, a question, a program, a report.

No key, no model: the shipped scripts answer, the real coding program builds in the sandbox, the system checks.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.days import Days
from tests.support.jobs import JobHand
from tests.support.sandboxes import MISSING

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
    [question] = (await hq.do("escalation.list", status="open"))["items"]
    await hq.do("escalation.resolve", ref=question["slug"], answer=ANSWER)
    await days.pass_by()

    told = await days.say("Build me a web app that logs my gliding hours and costs.")

    assert "Forge has it" in told
    assert set((await days.missions()).values()) == {"done"}
    assert not (await hq.do("escalation.list", status="open"))["items"]
    assert len((await hq.do("escalation.list"))["items"]) == 1
    [second] = [row["slug"] for row in (await hq.do("mission.list"))["items"] if "gliding" in row["slug"]]
    outcome = (await hq.do("mission.show", ref=second))["props"]["outcome_summary"]
    assert f"as you decided on {hq.clock.now():%a %d %b %Y}: {ANSWER}" in outcome


@pytest.mark.parametrize(
    ("word", "kinds"),
    [
        ("From a list, please.", 'KINDS = ("Cessna 152", "Cessna 172"'),
        ("As free text.", "KINDS = ()"),
    ],
)
async def test_a_word_in_the_chat_is_the_answer_and_changes_what_is_built(days: Days, word: str, kinds: str):
    hq = days.hq
    await days.say(WISH)
    await days.say("Yes, please.")
    [hire] = (await hq.do("approval.list"))["items"]
    assert hire["status"] == "done", "the hire is approved with a word, too"
    [question] = (await hq.do("escalation.list", status="open"))["items"]
    await JobHand(hq, "heartbeat").run_once()

    assert word.partition(",")[0].rstrip(".") in await days.say(word)

    assert set((await days.missions()).values()) == {"done"}
    decided = await hq.do("escalation.show", ref=question["slug"])
    assert decided["props"]["resolution"] == word.partition(",")[0].rstrip(".")
    [workspace] = (await hq.do("workspace.list"))["items"]
    assert kinds in str(await hq.do("workspace.diff", ref=workspace["slug"], patch=True))


async def hired_for(days: Days, wish: str) -> str:
    """The mission that came of a wish, once its developer is hired."""
    await days.say(wish)
    [asked] = (await days.hq.do("approval.list", status="pending"))["items"]
    await days.hq.do("approval.approve", ref=asked["slug"])
    await days.pass_by()
    [mission] = (await days.hq.do("mission.list"))["items"]
    return mission["slug"]


async def test_a_tracker_is_built_as_the_log_that_it_is(days: Days):
    mission = await hired_for(days, "Build me a flight tracker")
    await days.say("answer: a list")

    shown = (await days.hq.do("mission.show", ref=mission))["props"]
    assert shown["status"] == "done"
    assert "it is the one log I know: day, kind, hours, cost and a note" in shown["outcome_summary"]

    # How it is opened is said wherever it is said that it is done.
    place = Path(shown["files_at"])
    assert place.is_absolute() and (place / "app.py").is_file()
    assert shown["start_with"] == "python3 app.py"
    for asked in ("how do I use the app?", "where is it?", "open it", "How do I start the tracker?"):
        told = await days.say(asked)
        assert str(place) in told and f"hq mission open {mission}" in told, (asked, told)


async def test_what_no_script_can_build_goes_up_to_the_founder_with_the_reason(days: Days):
    mission = await hired_for(days, "Build me a chess game")

    [question] = (await days.hq.do("escalation.list", status="open"))["items"]
    assert question["title"] == f"{mission} needs a model: without one I only build a log, a page or a guest book"
    waits = await days.say("what is waiting for me?")
    assert question["title"] in waits
    going_on = await days.say("what's going on?")
    assert question["title"] in going_on and "Chess game" in going_on
    assert question["title"] in (await days.hq.do("ceo.brief"))["text"]
    assert (await days.hq.do("mission.show", ref=mission))["props"]["status"] == "in_progress", (
        "nothing says it is done"
    )

    await days.say("answer: give it up")

    shown = (await days.hq.do("mission.show", ref=mission))["props"]
    assert (shown["status"], shown["status_reason"]) == ("failed", "Give it up")


async def test_what_is_given_up_is_one_mission_and_trying_again_asks_anew(days: Days):
    hq = days.hq
    first = await hired_for(days, "I need a small website for my bakery where people can leave their orders")
    [question] = (await hq.do("escalation.list", status="open"))["items"]
    await hq.do("escalation.resolve", ref=question["slug"], answer="Give it up, thank you")
    await days.pass_by()
    assert (await hq.do("mission.show", ref=first))["props"]["status"] == "failed"

    await days.say("I need a program that converts bank statements into invoices")

    [second] = [row["slug"] for row in (await hq.do("mission.list"))["items"] if row["slug"] != first]
    [question] = (await hq.do("escalation.list", status="open"))["items"]
    assert second in question["title"] and "needs a model" in question["title"]
    await hq.do("escalation.resolve", ref=question["slug"], answer="Give it up, thank you")
    await days.pass_by()
    await hq.do("mission.assign", ref=second)
    await days.pass_by()
    [question] = (await hq.do("escalation.list", status="open"))["items"]
    assert second in question["title"], "trying again asks anew"
    # What was said of one mission is with that mission; the company remembers none of it.
    assert not (await hq.do("memory.list"))["items"]


async def test_two_wishes_ask_for_one_developer(days: Days):
    await days.say("Build me a chess game")
    told = await days.say("Build me a flight tracker")

    [asked] = (await days.hq.do("approval.list", status="pending"))["items"]
    assert asked["slug"] not in told and "for which I asked you already: approve that on its card" in told


async def test_a_blog_post_is_no_program(days: Days):
    assert "no model" in await days.say("Write me a blog post about cats")
    assert not (await days.hq.do("mission.list"))["items"]


async def test_x11_a_word_in_the_chat_changes_what_was_built_and_what_was_decided_is_still_checked(days: Days):
    hq = days.hq
    first = await hired_for(days, "Build me a flight tracker")
    await days.say("answer: From a list: C172, PA-28 and glider")
    built = (await hq.do("mission.show", ref=first))["props"]
    [point] = built["decided"]
    assert (point["answer"], point["passed"]) == ("From a list: C172, PA-28 and glider", True)
    text = (await hq.do("mission.read_file", ref=first, path="settings.py"))["text"]
    assert 'KINDS = ("C172", "PA-28", "glider")' in text and "OTHER = False" in text
    assert [each for each in (await hq.do("mission.tree", ref=first))["evidence"] if "decided" in each["deliverable"]]

    told = await days.say("Make it green")

    assert "Forge changes" in told
    [second] = [row["slug"] for row in (await hq.do("mission.list"))["items"] if row["slug"] != first]
    changed = (await hq.do("mission.show", ref=second))["props"]
    assert changed["status"] == "done", changed
    assert changed["decided"][0]["passed"] is True, "what was decided before holds for the change too"
    assert [file["path"] for file in (await hq.do("mission.changes", ref=second))["items"]] == ["settings.py"]
    assert "#15803d" in (await hq.do("mission.read_file", ref=first, path="settings.py"))["text"]
    assert len((await hq.do("workspace.list"))["items"]) == 1, "on the same files"

    await days.say("Change flight-tracker: rewrite all of it in Rust")
    [raised] = (await hq.do("escalation.list", status="open"))["items"]
    assert raised["title"].startswith("change-of-flight-tracker") and "needs a model" in raised["title"]


async def test_what_could_be_changed_in_part_is_not_closed_as_done_until_somebody_says_so(days: Days):
    hq = days.hq
    first = await hired_for(days, "Build me a flight tracker")
    await days.say("answer: From a list: C172, PA-28 and glider")

    await days.say("Make it green and draw a chart of the costs")

    [second] = [row["slug"] for row in (await hq.do("mission.list"))["items"] if row["slug"] != first]
    assert (await hq.do("mission.show", ref=second))["props"]["status"] != "done"
    [question] = (await hq.do("escalation.list", status="open"))["items"]
    assert "done in part" in question["title"] and question["title"].endswith("a model: draw a chart of the costs")

    await hq.do("ask.answer", ask=question["slug"], text="Leave it at that")
    await days.pass_by()

    closed = (await hq.do("mission.show", ref=second))["props"]
    assert closed["status"] == "done", closed
    assert "Not changed, for that needs a model: draw a chart of the costs" in closed["outcome_summary"]


async def test_a_change_that_was_taken_back_is_gone_from_the_files_and_counts_as_done_nowhere(days: Days):
    hq = days.hq
    first = await hired_for(days, "Build me a flight tracker")
    await days.say("answer: As free text")
    colours = {"green": "#15803d", "orange": "#c2410c"}

    async def shown(colour: str) -> bool:
        return colours[colour] in (await hq.do("mission.read_file", ref=first, path="settings.py"))["text"]

    for colour in ("green", "orange"):
        await changed(days, first, f"Make it {colour}.")
    green, orange = f"change-of-{first}", f"change-of-{first}-2"
    assert await shown("orange")

    assert "the files are as they were" in await undone(days)
    assert await shown("green")
    back = (await hq.do("mission.show", ref=orange))["props"]
    assert back["status"] == "taken_back"
    assert "orange taken back" in await days.say("what's going on?")
    assert "**Taken back**" in (await hq.do("ceo.brief"))["text"]

    # What is changed now goes on with what the files show.
    assert await changed(days, first, "Make it red.") == green
    assert "the files are as they were" in await undone(days)

    assert "the files are as they were" in await undone(days), "the first change, on which nothing stands now"
    assert not await shown("green") and not await shown("orange")
    assert (await hq.do("mission.show", ref=green))["props"]["status"] == "taken_back"
    assert "take back mission" not in await undone(days), "of what is gone nothing says that it goes once more"


async def test_changes_are_taken_back_one_after_the_other_and_a_failed_one_stands_on_nothing(days: Days):
    hq = days.hq
    first = await hired_for(days, "Build me a flight tracker")
    await days.say("answer: As free text")
    await days.say("make the flight tracker green")
    await days.say("Change flight-tracker: rewrite all of it in Rust")
    await days.say("answer: give it up")
    green, failed = f"change-of-{first}", f"change-of-{first}-2"
    assert (await hq.do("mission.show", ref=failed))["props"]["status"] == "failed"
    await days.say("make the flight tracker orange")

    assert "-3 stands on it" in (await hq.call("mission.revert", ref=green)).error["message"]
    await hq.do("mission.revert", ref=f"change-of-{first}-3")
    await hq.do("mission.revert", ref=green)

    assert "#1d4ed8" in (await hq.do("mission.read_file", ref=first, path="settings.py"))["text"]
    assert "taken back already" in (await hq.call("mission.revert", ref=green)).error["message"]


async def changed(days: Days, mission: str, words: str) -> str:
    """As the form of its page asks for it; what it goes on with."""
    begun = await days.hq.do("mission.change", ref=mission, words=words)
    await days.pass_by()
    return begun["continues"]


async def undone(days: Days) -> str:
    return await said(days, "undo that")


async def said(days: Days, text: str) -> str:
    """What the house says to it."""
    lines = [line for line in (await days.hq.do("chat.history"))["items"] if line["role"] != "user"]
    told = (await days.hq.do("chat.say", text=text, shown=lines[-1]["id"])).get("house") or ""
    await days.pass_by()
    return told
