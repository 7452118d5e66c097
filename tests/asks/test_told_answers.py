"""An answer is told where it was asked: on the card, by who pressed it, in what changed since, and to who may not give it."""

from __future__ import annotations

from hq.asks.word import offered_words
from hq.chat.card_text import card as card_text
from hq.terminal.screen import Screen
from hq.web.inbox import of_conversation

from .conftest import approval, escalation, question


async def card_of(hq, slug: str) -> dict:
    sent = await hq.do("card.send", kind="attention", ask=slug)
    return await hq.do("card.show", card=sent["id"])


async def test_the_card_of_a_question_that_was_answered_in_words_says_who_said_what(hq):
    await hq.do("agent.load")
    made = await question(hq)
    sent = await card_of(hq, made.slug)

    await hq.do("ask.answer", ask=made.slug, text="Green, like the door.")

    shown = await hq.do("card.show", card=sent["id"])
    assert (shown["answer"], shown["answered_by"]) == ("Green, like the door.", "user:founder")
    text = "\n".join(card_text(shown, Screen()))
    assert "answered: Green, like the door. (by user:founder)" in text and "no longer needed" not in text
    assert of_conversation(shown).became == "Answered: Green, like the door. ✓"


async def test_who_presses_a_card_hears_what_was_decided(hq):
    await hq.do("agent.load")
    made = await approval(hq)
    sent = await card_of(hq, made.slug)

    pressed = await hq.do("card.press", card=sent["id"], button="no")

    assert (pressed["label"], pressed["title"]) == ("Decline", sent["title"])


async def test_what_was_decided_is_told_with_its_answer(hq):
    await hq.do("agent.load")
    made = await escalation(hq)
    await hq.do("ask.answer", ask=made.slug, text="Green, like the door")

    (decided,) = [each for each in (await hq.do("ceo.brief", since="1d"))["sections"] if each["section"] == "decided"]

    assert [each["says"] for each in decided["items"]] == ["Green, like the door"]


async def test_an_agent_that_answers_a_permission_hears_what_to_tell_the_founder(hq):
    await hq.do("agent.load")
    chief = await hq.agent("chief")
    asked = await hq.call("agent.hire", name="Hal", title="Designer", role="design", _token=chief)

    for more in ({}, {"message": "last"}):
        tried = await hq.call("ask.answer", ask=asked.data["approval"], option="yes", _token=chief, **more)
        assert tried.error["code"] == "forbidden" and "permission" in tried.error["message"]
        assert "the house has put it before them" in tried.error["hint"] and "tell them" not in tried.error["hint"]


async def test_a_model_that_may_do_what_a_button_does_hears_that(hq):
    """A card “stopped, and is not done” is the founder's to press; that the work goes on is also the CEO's to say."""
    await hq.do("agent.load")
    await hq.do("mission.create", title="Launch post")
    chief = await hq.agent("chief")
    buttons = [{"key": "go_on", "label": "Go on", "verb": "mission.resume", "args": {"ref": "launch-post"}}]
    card = await hq.do("card.send", kind="mission", title="wanda stopped", buttons=buttons, _token=chief)
    asked = next(each for each in (await hq.do("ask.list"))["items"] if each["title"] == "wanda stopped")

    tried = await hq.call("ask.answer", ask=asked["slug"], option="go_on", message="last", _token=chief)

    assert card and tried.error["code"] == "forbidden"
    assert tried.error["hint"].startswith("“Go on” is `mission resume launch-post`: yours to do")


async def test_what_the_house_asks_has_a_button_for_each_and_for_the_ceo(hq):
    await hq.do("agent.load")
    made = await approval(hq)

    said = await hq.do("chat.say", text="no")

    assert offered_words(said["house"]) == [
        ("no to “Merge entity 'Acme Inc' into 'Acme'”", f"no to {made.slug}"),
        ("for the CEO", "for the CEO"),
    ]
    assert (
        offered_words("Taken as your answer to “Nothing was decided by that. This waits”: say “yes to x”, press") == []
    )
