"""Work that nobody goes on with, and what only the founder can answer, come before the founder; nothing goes round in circles."""

from __future__ import annotations

from datetime import timedelta

from hq.engine.sessions.leases import Leases
from tests.support.heart import left, mission
from tests.support.supervised import close
from tests.support.thinking import thinking


async def scout_with(heart, *titles: str) -> tuple[str, list[str]]:
    """A researcher, and missions of the founder's for it."""
    await heart.hq.do("ceo.quiet", hours="off")
    await heart.hq.do("agent.create", name="scout", role="Researcher")
    slugs = [await mission(heart, title) for title in titles]
    return await heart.hq.agent("scout"), slugs


async def given(heart, *titles: str) -> tuple[str, list[str]]:
    token, slugs = await scout_with(heart, *titles)
    for slug in slugs:
        await heart.hq.do("mission.assign", ref=slug, to="scout")
    return token, slugs


async def test_what_an_agent_gave_back_is_not_given_to_it_again_and_again(heart):
    token, [slug] = await scout_with(heart, "Research the market")
    for _ in range(12):
        await heart.beat(minutes=11)
        if (await heart.hq.do("mission.show", ref=slug))["props"]["status"] == "assigned":
            await heart.hq.do("mission.decline", ref=slug, why="I have no model.", _token=token)
            await left(heart)

    assert await heart.titles() == [
        "I went through the backlog and gave out a mission",
        "I could not give out research-the-market",
    ]
    assert "scout declined: I have no model." in (await heart.cards())[1]["facts"][0]["value"]
    assert (await heart.hq.do("mission.assign", ref=slug, to="scout"))["agent"] == "scout", "named, it gets it again"


async def test_what_one_gave_back_goes_to_another(heart):
    token, [slug] = await given(heart, "Research the market")
    await heart.hq.do("mission.decline", ref=slug, why="No time.", _token=token)
    await heart.hq.do("agent.create", name="atlas", role="Researcher")

    assert (await heart.hq.do("mission.assign", ref=slug))["agent"] == "atlas"


async def test_what_is_given_back_while_everybody_is_busy_is_said_at_once(heart):
    token, [back, other] = await given(heart, "Research the market", "Research the rivals")
    await heart.hq.do("mission.accept", ref=other, _token=token)
    await heart.hq.do("mission.decline", ref=back, why="I have no model.", _token=token)

    await heart.beat(minutes=1)
    await heart.beat(minutes=1)

    assert await heart.titles() == ["I could not give out research-the-market"]


async def test_what_comes_back_to_an_agent_wakes_it_once_and_is_noticed_only_where_it_stays_lying(heart):
    token, _ = await scout_with(heart)
    chief = await heart.hq.agent("chief")
    slug = (await heart.hq.do("mission.create", title="Research the market", _token=chief))["slug"]
    await heart.hq.do("mission.assign", ref=slug, to="scout", _token=chief)
    await heart.beat(minutes=20)
    await heart.hq.do("mission.decline", ref=slug, why="I have no model.", _token=token)

    await heart.beat(minutes=1)
    woken = [each for each in (await heart.hq.do("session.list", agent="chief"))["items"] if each["kind"] == "agent"]
    assert len(woken) == 1 and await heart.noticed("backlog") == []

    await heart.beat(minutes=10)
    assert await heart.noticed("backlog") == ["backlog"]


async def test_what_nobody_has_is_noticed_at_its_deadline(heart):
    await heart.hq.do("ceo.quiet", hours="off")
    due = heart.hq.clock.now() + timedelta(minutes=1)
    slug = await mission(heart, "Pay the hangar rent", deadline=due.isoformat())
    await heart.beat(seconds=50)
    assert await heart.noticed("backlog") == []

    await heart.beat(seconds=20)
    await heart.beat(minutes=20)

    [item] = (await heart.hq.do("ceo.noticed", trigger="backlog"))["items"]
    [card] = [each for each in await heart.cards() if each["title"] == f"I could not give out {slug}"]
    assert item["severity"] == "warning"
    assert card["facts"][0]["value"].startswith(f"It was due {due:%Y-%m-%d %H:%M} UTC.")


async def test_what_was_noticed_before_is_noticed_again_once_it_is_overdue(heart):
    await heart.hq.do("agent.create", name="scout", role="Researcher")
    due = heart.hq.clock.now() + timedelta(minutes=40)
    await mission(heart, "Research the birds", deadline=due.isoformat())
    mind = await thinking(heart, [], [])

    await heart.beat(minutes=20)
    assert len(mind.asked) == 1
    await heart.beat(minutes=11)

    said = str(mind.asked[1].messages)
    assert '"overdue": true' in said and f'"deadline": "{due:%Y-%m-%d}' in said


async def test_a_mission_that_goes_from_hand_to_hand_is_left_to_the_founder_in_the_end(heart):
    token, [slug] = await given(heart, "Research the market")
    for _ in range(10):
        await heart.hq.do("mission.decline", ref=slug, why="No.", _token=token)
        await heart.beat(minutes=1)
        await heart.hq.do("mission.assign", ref=slug, to="scout")

    assert len(await heart.noticed("backlog")) == 6


async def test_a_mission_that_is_left_is_told_though_its_agent_waits_in_another(heart):
    token, slugs = await given(heart, "Research the market", "Research the rivals")
    for slug in slugs:
        await heart.hq.do("mission.accept", ref=slug, _token=token)
    claimed = await Leases(heart.hq.door.pool, heart.hq.clock).claim(8)
    await close(heart, next(each for each in claimed if "market" in each.trigger.text), "All done!")

    await heart.beat(minutes=1)

    assert await heart.titles() == ["scout stopped, and Research the market is not done"]


async def test_who_was_done_with_something_else_before_did_not_leave_the_mission(heart):
    token, [slug] = await scout_with(heart, "Research the market")
    await heart.hq.do("agent.send", agent="scout", text="Look at that incident.")
    await left(heart)
    heart.hq.clock.advance(seconds=30)
    await heart.hq.do("mission.assign", ref=slug, to="scout")
    await heart.hq.do("mission.accept", ref=slug, _token=token)
    await left(heart)

    await heart.beat(minutes=1)

    assert await heart.noticed("mission_left") == ["mission_left"]


async def test_of_two_sessions_that_end_over_a_mission_the_last_one_is_told(heart):
    token, [slug] = await given(heart, "Research the market")
    await heart.hq.do("mission.accept", ref=slug, _token=token)
    await left(heart)
    heart.hq.clock.advance(seconds=30)
    await heart.hq.do("agent.send", agent="scout", text="Look at that incident.")
    await left(heart)

    await heart.beat(minutes=1)

    assert await heart.noticed("mission_left") == ["mission_left"]


async def test_a_mission_that_is_left_again_after_go_on_is_told_again(heart):
    token, [slug] = await given(heart, "Research the market")
    await heart.hq.do("mission.accept", ref=slug, _token=token)
    await left(heart)
    await heart.beat(minutes=1)
    [card] = await heart.cards()
    await heart.hq.do("card.press", card=card["id"], button="go_on")
    await left(heart)

    await heart.beat(minutes=1)
    await heart.beat(minutes=1)

    assert await heart.noticed("mission_left") == ["mission_left", "mission_left"]


async def test_a_question_that_nobody_below_can_answer_comes_before_the_founder(heart):
    token, [slug] = await given(heart, "Research the market")
    await heart.hq.do("mission.accept", ref=slug, _token=token)
    asked = await heart.hq.call("escalation.raise", summary="Which market?", mission=slug, _token=token)
    await heart.beat(minutes=1)
    assert await heart.titles() == [], "it is with the CEO"
    await heart.hq.do("escalation.pass_on", ref=asked.data["slug"], _token=await heart.hq.agent("chief"))

    await heart.beat(minutes=1)
    await heart.beat(minutes=1)

    [card] = await heart.cards()
    assert card["title"] == "Scout asks: Which market?"
    told = await heart.hq.do("ceo.brief")
    assert "- Which market?: a question of scout" in told["text"]
    await heart.hq.do("escalation.resolve", ref=asked.data["slug"], answer="The one for bread.")
    assert (await heart.hq.do("card.show", card=card["id"]))["state"] == "over"
    await heart.beat(hours=30)
    assert [title for title in await heart.titles() if "Which market?" in title] == ["Scout asks: Which market?"]


async def test_what_is_asked_of_a_founder_who_gave_the_mission_comes_with_buttons(heart):
    token, [terms, plan] = await given(heart, "Research the market", "Research the rivals")
    await heart.hq.do("mission.revise", ref=plan, deliverables=["file:a.md", "file:b.md", "file:c.md"])
    await heart.hq.call("mission.counter", ref=terms, note="It takes longer.", token_budget=5000, _token=token)
    await heart.hq.do("tenant.set", risk_tolerance="cautious")
    await heart.hq.do("mission.accept", ref=plan, _token=token)
    await heart.hq.call("mission.plan", ref=plan, steps=["Look", "Compare", "Write"], _token=token)

    await heart.beat(minutes=1)

    cards = {card["title"]: card for card in await heart.cards()}
    agree = cards["Scout takes Research the market on other terms only"]
    assert agree["text"] == "It takes longer.\ntoken budget: 5000"
    go = cards["Scout has a plan for Research the rivals, and waits for your yes"]
    assert go["text"] == "- Look\n- Compare\n- Write"
    for card in (agree, go):
        pressed = await heart.hq.do("card.press", card=card["id"], button="yes")
        assert pressed["pressed"] == "yes" and not pressed["already"]
    assert (await heart.hq.do("mission.show", ref=terms))["props"]["token_budget"] == 5000
    assert (await heart.hq.do("mission.show", ref=plan))["props"]["status"] == "in_progress"


async def test_help_that_is_asked_for_in_a_mission_of_the_founders_comes_with_buttons(heart):
    token, [slug] = await given(heart, "Research the market")
    await heart.hq.do("agent.create", name="atlas", role="Researcher")
    await heart.hq.do("mission.accept", ref=slug, _token=token)
    help_ = {"ref": slug, "title": "Research the bakeries", "to": "atlas", "reason": "There are many."}
    asked = await heart.hq.call("mission.delegate", **help_, _token=token)

    await heart.beat(minutes=1)

    [card] = await heart.cards()
    assert card["title"] == "Scout asks for help: Research the bakeries"
    assert (await heart.hq.do("card.press", card=card["id"], button="no"))["pressed"] == "no"
    assert (await heart.hq.do("delegation.show", ref=asked.data["slug"]))["props"]["status"] == "rejected"


async def test_a_part_that_waits_for_a_word_is_given_to_nobody_before_it(heart):
    token, [slug] = await given(heart, "Research the market")
    await heart.hq.do("agent.create", name="atlas", role="Researcher")
    await heart.hq.do("mission.accept", ref=slug, _token=token)
    help_ = {"ref": slug, "title": "Research the bakeries", "to": "atlas", "reason": "There are many."}
    asked = await heart.hq.call("mission.delegate", **help_, _token=token)

    await heart.beat(minutes=11)

    assert (await heart.hq.do("mission.show", ref=asked.data["mission"]))["props"]["status"] == "backlog"
    assert await heart.noticed("backlog") == []


async def test_a_message_that_came_to_the_founder_is_put_before_the_founder(heart):
    await heart.hq.do("ceo.quiet", hours="off")
    chief = await heart.hq.agent("chief")
    asked = await heart.hq.call("agent.ask", agent="founder", text="Shall we open in Porto?", _token=chief)

    await heart.beat(minutes=1)
    await heart.beat(minutes=1)

    assert await heart.titles() == ["Chief asks: Shall we open in Porto?"]
    assert "Shall we open in Porto?: a message of chief" in (await heart.hq.do("ceo.brief"))["text"]
    await heart.hq.do("agent.reply", message=asked.data["message"], text="Yes.")
    await heart.beat(hours=30)
    assert len([title for title in await heart.titles() if "Porto" in title]) == 1
    assert "Porto" not in (await heart.hq.do("ceo.brief", since="1d"))["text"]
