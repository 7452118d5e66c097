"""One wake for one event (M7), what is told of a mission that was left or is late (M15), and a backlog nothing blocks (J-4)."""

from __future__ import annotations

import pytest

from tests.support.desk import desk
from tests.support.firm import Shift, firm, own_firm, shift
from tests.support.heart import Heart
from tests.support.passable import tmp_path
from tests.support.play import Told, house  # noqa: F401
from tests.support.sandboxes import MISSING
from tests.support.story_worker import worker
from tests.support.supervised import announced

__all__ = ["Shift", "firm", "own_firm", "shift", "tmp_path"]

needs_sandbox = pytest.mark.skipif(bool(MISSING), reason=str(MISSING))


async def begun(firm, *, words: str = "Build me a flight tracker.") -> str:
    """A mission that the CEO gave out in the founder's conversation."""
    hq = firm.hq
    await hq.do("agent.load")
    await hq.do("chat.say", text=words)
    chief = await hq.agent("chief", scopes=["read", "write"])
    mission = (await hq.do("mission.create", title="Flight tracker", deliverables=["file:app.py"], _token=chief))[
        "slug"
    ]
    await hq.do("mission.assign", ref=mission, to="forge", _token=chief)
    await hq.do("mission.accept", ref=mission)
    return mission


async def woken(hq) -> list[dict]:
    """Sessions of the CEO beside the founder's conversation."""
    found = (await hq.do("session.list", agent="chief"))["items"]
    return [each for each in found if each["kind"] != "thread"]


@needs_sandbox
async def test_m7_a_mission_that_is_done_wakes_the_founders_conversation_and_nobody_else(own_firm):
    firm = own_firm
    mission = await begun(firm)
    mind = Told(lambda ask: "I gave it out.")

    class House:
        hq = firm.hq

    await worker(House, mind).run_once()
    forge = await desk(firm, mission)
    await forge.write("app.py", "print('hello')")
    await forge.do("mission.submit", ref=mission, outcome="It runs.")

    assert await woken(firm.hq) == []
    before = len(mind.asked)
    mind.lines = lambda ask: "The tracker is there." if "is done" in str(ask.messages[-1]) else "?"
    await worker(House, mind).run_once()
    asked = [ask for ask in mind.asked[before:] if "chief" in ask.instructions]

    assert len(asked) == 1, "one event, one mind"
    said = [line["text"] for line in (await firm.hq.do("chat.history"))["items"]]
    assert any("The tracker is there." in text for text in said), "and what it says the founder reads"


@needs_sandbox
async def test_m7_what_came_back_is_told_by_a_rule_and_no_second_mind(own_firm):
    from hq.ceo.triggers import BY_NAME

    assert not BY_NAME["task_done"].weighed
    firm = own_firm
    mission = await begun(firm)
    await firm.hq.do("ceo.quiet", hours="off")
    forge = await desk(firm, mission)
    await forge.write("app.py", "print('hello')")
    await forge.do("mission.submit", ref=mission, outcome="It runs.")

    heart = Heart(firm.hq)
    await heart.beat()

    assert [card["title"] for card in await heart.cards()] == ["Flight tracker is done"]


async def test_j4_a_mission_nobody_can_take_does_not_block_what_is_behind_it(own_firm):
    firm = own_firm
    hq = firm.hq
    await hq.do("agent.load")
    await hq.do("agent.pause", agent="scout")
    await hq.do("mission.create", title="Sail round the world by boat", priority="critical", category="sailing")
    await hq.do("mission.create", title="Build a web app in React", priority="low")
    await firm.index()
    heart = Heart(hq)

    await heart.beat(minutes=11)
    await heart.beat(minutes=1)

    status = {each["slug"]: each["status"] for each in (await hq.do("mission.list"))["items"]}
    assert status["build-a-web-app-in-react"] == "assigned", status


async def test_j4_a_pause_is_no_overload_and_a_hire_makes_it_another_matter(own_firm):
    hq = own_firm.hq
    await hq.do("agent.load")
    for agent in ("forge", "scout"):
        await hq.do("agent.pause", agent=agent)
    for n in range(3):
        await hq.do("mission.create", title=f"Something nobody can do {n}")
    heart = Heart(hq)

    await heart.beat(minutes=11)

    assert "overload" not in await heart.noticed()


async def test_a_whole_is_not_given_out_beside_its_parts_and_waits_for_a_yes_when_they_are_done(own_firm):
    firm = own_firm
    hq = firm.hq
    await hq.do("agent.load")
    whole = await firm.mission("Both halves")
    parts = [await firm.at_work(f"Half {n}", to=who, parent=whole) for n, who in enumerate(("forge", "scout"))]
    heart = Heart(hq)
    await heart.beat(minutes=20)
    assert await firm.status(whole) == "backlog"

    for part in parts:
        await hq.do("mission.submit", ref=part, outcome="Here.")
        await hq.do("mission.sign_off", ref=part)

    assert await firm.status(whole) == "review"
    await hq.do("mission.sign_off", ref=whole)
    assert await firm.status(whole) == "done"


async def test_m15_why_it_stopped_and_how_far_it_is_stands_on_the_cards(own_firm):
    firm = own_firm
    hq = firm.hq
    await hq.do("agent.load")
    await hq.do("ceo.quiet", hours="off")
    mission = await firm.at_work("Flight tracker", deliverables=["file:app.py"], deadline="2026-01-01T11:00:00Z")
    [session] = await firm.sessions("forge")
    await hq.do("session.stop", id=session["session"], why="out of tokens")
    await announced(hq)
    heart = Heart(hq)
    await heart.beat()
    await heart.beat(hours=2)

    [left] = [card for card in await heart.cards() if "stopped" in card["title"]]
    facts = {fact["name"]: fact["value"] for fact in left["facts"]}
    assert "out of tokens" in facts["stopped"] and facts["file:app.py"] == "open"
    [late] = [each for each in (await hq.do("escalation.list"))["items"] if "was due" in each["title"]]
    said = (await hq.do("escalation.show", ref=late["slug"]))["props"]["context_md"]
    assert "nobody works on it; the last session of forge ended: " in said and "out of tokens" in said
    assert mission in late["title"]


@needs_sandbox
async def test_p9_a_change_that_comes_while_another_is_under_way_is_made_after_it(firm):
    mission = await firm.at_work("Flight tracker", deliverables=["file:app.py"])
    await firm.deliver(mission, app__py="print('hello')")
    await firm.hq.do("mission.submit", ref=mission, outcome="It runs.")
    one = await firm.hq.do("mission.change", ref=mission, words="Say goodbye.")
    await firm.hq.do("mission.accept", ref=one["slug"])

    two = await firm.hq.do("mission.change", ref=mission, words="Say it twice.")

    assert two["continues"] == one["slug"] and one["slug"] in two["says"]
    assert (await firm.hq.do("mission.show", ref=two["slug"]))["now"]["waits_for"] == [
        f"{one['slug']}, which has to be finished first"
    ]
    forge = await desk(firm, one["slug"])
    await forge.write("app.py", "print('goodbye')")
    await forge.do("mission.submit", ref=one["slug"], outcome="It says goodbye.")
    await firm.hq.do("mission.accept", ref=two["slug"])
    later = await desk(firm, two["slug"])
    assert later.session != forge.session
    back = await later.do("mission.submit", ref=two["slug"], outcome="Twice.")
    assert back["status"] == "in_progress", "what the first change did is not the second's"


async def test_p9_a_queued_change_goes_on_where_the_one_before_it_was_given_up(firm):
    mission = await firm.at_work("Flight tracker", deliverables=["file:app.py"])
    await firm.deliver(mission, app__py="print('hello')")
    await firm.hq.do("mission.submit", ref=mission, outcome="It runs.")
    one = await firm.hq.do("mission.change", ref=mission, words="Say goodbye.")
    two = await firm.hq.do("mission.change", ref=mission, words="Say it twice.")

    await firm.hq.do("mission.fail", ref=one["slug"], why="no longer wanted")

    now = (await firm.hq.do("mission.show", ref=two["slug"]))["now"]
    assert now["works_on_it"] == ["forge (queued)"] and "waits_for" not in now


@needs_sandbox
async def test_m15_go_on_gives_the_agent_its_mission_and_its_tree_again(own_firm):
    firm = own_firm
    hq = firm.hq
    await hq.do("agent.load")
    await hq.do("ceo.quiet", hours="off")
    mission = await firm.at_work("Flight tracker", deliverables=["file:app.py"])
    busy = await hq.call("mission.resume", ref=mission)
    [session] = await firm.sessions("forge")
    await hq.do("session.stop", id=session["session"], why="out of tokens")
    await announced(hq)
    heart = Heart(hq)
    await heart.beat()
    [card] = [card for card in await heart.cards() if "stopped" in card["title"]]

    pressed = await hq.do("card.press", card=card["id"], button="go_on")

    assert busy.code == "conflict" and pressed["result"]["ok"]
    forge = await desk(firm, mission)
    assert forge.session != session["session"]
    await forge.write("app.py", "print('hello')")
    assert (await forge.do("mission.submit", ref=mission, outcome="It runs."))["status"] == "done"


@needs_sandbox
async def test_a_card_that_asks_whether_work_goes_on_is_over_when_somebody_lets_it_go_on(own_firm):
    firm = own_firm
    hq = firm.hq
    await hq.do("agent.load")
    await hq.do("ceo.quiet", hours="off")
    mission = await firm.at_work("Flight tracker", deliverables=["file:app.py"])
    [session] = await firm.sessions("forge")
    await hq.do("session.stop", id=session["session"], why="out of tokens")
    await announced(hq)
    heart = Heart(hq)
    await heart.beat()
    [card] = [card for card in await heart.cards() if "stopped" in card["title"]]

    await hq.do("mission.resume", ref=mission, _token=await hq.agent("chief", scopes=["read", "write"]))

    [card] = [each for each in (await hq.do("card.list"))["items"] if each["id"] == card["id"]]
    assert card["state"] == "over"
