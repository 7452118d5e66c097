"""Cards come when they may, few at a time; they are pressed once, and the CEO knows what was asked and chosen."""

from __future__ import annotations

import asyncio

from hq.engine.sessions.leases import Leases
from tests.support.heart import mission
from tests.support.play import Told, route, texts


async def test_two_devices_that_press_different_buttons_at_once_act_once(heart):
    await mission(heart)
    await heart.beat(minutes=11)
    [card] = await heart.cards()
    tokens = [(await heart.hq.do("auth.token", device=name))["token"] for name in ("phone", "laptop")]

    both = await asyncio.gather(
        heart.hq.do("card.press", card=card["id"], button="approve", _token=tokens[0]),
        heart.hq.do("card.press", card=card["id"], button="decline", _token=tokens[1]),
    )

    assert sorted(each.get("already", False) for each in both) == [False, True]
    assert both[0]["pressed"] == both[1]["pressed"]
    made = [item for item in (await heart.hq.do("action.list"))["items"] if item["verb"] == "agent.hire"]
    assert len(made) == (both[0]["pressed"] == "approve")


async def test_a_press_whose_call_is_refused_can_be_made_again_and_then_counts(heart):
    slug = await mission(heart)
    button = {"key": "go", "label": "Go on", "verb": "mission.resume", "args": {"ref": slug}}
    chief = await heart.hq.agent("chief")
    card = await heart.hq.do("card.send", kind="mission", title="Go on?", buttons=[button], _token=chief)
    refused = await heart.hq.do("card.press", card=card["id"], button="go")
    assert refused["result"]["error"]["code"] == "conflict", "it is not paused"
    await heart.hq.do("mission.pause", ref=slug, why="rain", _token=chief)
    heart.hq.clock.advance(minutes=1)

    again = [await heart.hq.do("card.press", card=card["id"], button="go") for _ in range(2)]

    assert again[0]["result"]["ok"] and again[1]["already"]


async def test_a_card_asks_no_mind_and_is_known_when_the_founder_speaks_next(heart, stage):
    mind = Told(["Hello.", "I did."])
    await heart.hq.do("chat.say", text="Hi")
    await stage(heart, mind).run_once()
    await heart.hq.do("card.send", kind="alert", title="The tea is out", _token=await heart.hq.agent("chief"))

    heart.hq.clock.advance(minutes=11)
    await route(heart.hq)
    await stage(heart, mind).run_once()
    assert len(mind.asked) == 1, "it has gone quiet, and nobody said anything"

    await heart.hq.do("chat.say", text="Did you tell me?")
    await stage(heart, mind).run_once()
    assert "[The house told the founder, in your name: The tea is out]" in texts(mind.asked[-1].messages)


async def test_at_night_it_is_held_and_said_in_the_morning_but_not_what_is_critical(heart):
    heart.hq.clock.set(heart.hq.clock.now().replace(hour=22, minute=30))
    await heart.hq.do("tenant.set", time_zone="Europe/Lisbon")
    await heart.approval()
    token = await heart.hq.agent("chief")
    heart.hq.clock.set(heart.hq.clock.now().replace(hour=23, minute=0))
    urgent = await heart.hq.do("card.send", kind="alert", title="Fire", severity="critical", _token=token)

    await heart.beat(minutes=11)
    await heart.beat(hours=4)
    assert urgent["state"] == "open"
    states = {card["title"]: card["state"] for card in await heart.cards()}
    assert states.pop("Fire") == "open" and set(states.values()) == {"held"}
    assert [line["text"] for line in await said(heart)] == ["Fire"]

    heart.hq.clock.set(heart.hq.clock.now().replace(hour=7, minute=0))
    await heart.beat()

    assert {card["state"] for card in await heart.cards()} == {"open"}
    assert len(await said(heart)) == len(await heart.cards())


async def test_the_open_cards_are_those_that_are_said_to_be_open(heart):
    chief = await heart.hq.agent("chief")
    ok = [{"key": "ok", "label": "Noted"}]
    for title, kind in (
        ("By the way", "alert"),
        ("Done with", "alert"),
        ("Which?", "choice"),
        ("Also done with", "alert"),
    ):
        await heart.hq.do("card.send", kind=kind, title=title, buttons=ok, _token=chief)
    for card in await heart.cards():
        if "one with" in card["title"]:
            await heart.hq.do("card.press", card=card["id"], button="ok")

    first = await heart.hq.do("card.list", open=True, limit=1)
    second = await heart.hq.do("card.list", open=True, limit=1, after=first["next"])
    asked = await heart.hq.do("card.list", open=True, asks=True)

    assert [[each["title"] for each in page["items"]] for page in (first, second)] == [["Which?"], ["By the way"]]
    assert "next" not in second or second["next"] is None
    assert [each["title"] for each in asked["items"]] == ["Which?"]


async def test_more_than_six_things_an_hour_wait_their_turn(heart):
    chief = await heart.hq.agent("chief")
    sent = [await heart.hq.do("card.send", kind="alert", title=str(n), _token=chief) for n in range(8)]

    assert [each["state"] for each in sent] == ["open"] * 6 + ["held"] * 2
    await heart.beat(minutes=61)
    assert {card["state"] for card in await heart.cards()} == {"open"}


async def enough(heart) -> str:
    """As much as is said within an hour; the token of who said it."""
    chief = await heart.hq.agent("chief")
    for n in range(6):
        await heart.hq.do("card.send", kind="alert", title=str(n), _token=chief)
    return chief


async def test_what_somebody_waits_for_is_never_held_because_enough_was_said(heart):
    chief = await enough(heart)
    done = await mission(heart, "Research the rivals")

    result = {"kind": "report", "title": "Research the rivals is done", "about": done}
    sent = await heart.hq.do("card.send", **result, _token=chief)
    ask = {"kind": "choice", "title": "Which?", "buttons": [{"key": "a", "label": "A"}, {"key": "b", "label": "B"}]}
    asked = await heart.hq.do("card.send", **ask, _token=chief)

    assert (sent["state"], asked["state"]) == ("open", "open")
    assert (await heart.hq.do("card.send", kind="alert", title="Chatter", _token=chief))["state"] == "held"


async def test_what_is_said_twice_counts_once(heart):
    chief = await heart.hq.agent("chief")
    sent = [await heart.hq.do("card.send", kind="alert", title="The same", _token=chief) for _ in range(8)]

    assert {each["state"] for each in sent} == {"open"}


async def test_what_is_held_is_told_with_when_it_is_shown(heart):
    chief = await enough(heart)
    for title in ("Chatter", "More chatter"):
        held = await heart.hq.do("card.send", kind="alert", title=title, _token=chief)

    at = held["shown_after"][11:16]
    brief = await heart.hq.do("ceo.brief")
    [section] = [each for each in brief["sections"] if each["section"] == "held"]
    assert [(each["title"], each["says"]) for each in section["items"]] == [
        ("Chatter", f"shown at {at}"),
        ("More chatter", f"shown at {at}"),
    ]
    assert (await heart.hq.do("chat.status"))["why"] == f"ready; 2 cards held until {at}"


async def test_the_brief_and_the_inbox_name_the_same_things_that_wait(heart):
    await heart.approval()
    await heart.hq.do("review.create", question_text="Which name?", options=[{"key": "a", "label": "A"}])
    for n in range(22):
        await heart.hq.do("review.create", question_text=f"Which, of {n}?", options=[{"key": "a", "label": "A"}])
    await heart.hq.call("agent.send", agent="founder", text="By the way", _token=await heart.hq.agent("operator"))

    brief = await heart.hq.do("ceo.brief")
    inbox = await heart.hq.do("ask.list")

    [waits] = [each for each in brief["sections"] if each["section"] == "waits for you"]
    assert [each["slug"] for each in waits["items"]] == [each["slug"] for each in inbox["items"]]


async def test_an_agent_other_than_the_ceo_puts_nothing_before_the_founder(heart):
    outcome = await heart.hq.call("card.send", kind="alert", title="Psst", _token=await heart.hq.agent("operator"))

    assert outcome.error["code"] == "forbidden"


async def test_a_button_cannot_be_made_to_do_what_only_the_founder_decides(heart):
    chief = await heart.hq.agent("chief")
    button = {"key": "ok", "label": "Nice!", "verb": "approval.approve", "args": {"ref": "x"}}

    outcome = await heart.hq.call("card.send", kind="choice", title="A present", buttons=[button], _token=chief)

    assert outcome.error["code"] == "invalid" and "cannot call approval.approve" in outcome.error["message"]


async def said(heart) -> list[dict]:
    return (await heart.hq.do("chat.history"))["items"]


async def test_what_was_chosen_is_told_to_the_ceo_who_knows_what_was_asked(heart, stage):
    options = [{"key": "a", "label": "The Weekly"}, {"key": "b", "label": "Field Notes"}]
    chief = await heart.hq.agent("chief")
    card = await heart.hq.do("card.send", kind="choice", title="Which name?", buttons=options, _token=chief)
    assert (await heart.hq.do("chat.status"))["why"] == "wants to talk to you about something"

    await heart.hq.do("card.press", card=card["id"], button="b")
    mind = Told(["Field Notes it is."])
    await stage(heart, mind).run_once()

    seen = " ".join(texts(mind.asked[0].messages))
    chosen = "I chose the option “Field Notes” of which-name, where chief asked “Which name?”"
    assert "The house told the founder, in your name: Which name?" in seen and chosen in seen
    assert [line["text"] for line in await said(heart)] == ["Which name?", chosen, "Field Notes it is."]
    assert (await said(heart))[0]["card"]["pressed"] == "b"
    assert (await heart.hq.do("chat.status"))["state"] == "ready"


async def test_a_card_waits_while_the_ceo_speaks(heart):
    await heart.hq.do("chat.say", text="Tell me a story")
    [claimed] = await Leases(heart.hq.door.pool, heart.hq.clock).claim(8)

    sent = await heart.hq.do("card.send", kind="alert", title="By the way", _token=await heart.hq.agent("chief"))

    assert sent["state"] == "held" and claimed.kind == "thread"
