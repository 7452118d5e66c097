"""What the founder types in the conversation answers what waits, by any client, where it is certain."""

from __future__ import annotations

import pytest

from tests.support.play import Told

from .conftest import approval, escalation, question, review
from .talking import NOT_UNDERSTOOD, another, props, put, say, to_the_script, told, two

TAKEN = "Taken as your answer to “Merge entity 'Acme Inc' into 'Acme'” (into: acme, loser: acme-inc, asked by Operator): “Approve: merge entity”."


async def test_a_yes_grants_the_one_permission_that_waits(hq):
    await hq.do("agent.load")
    made = await approval(hq)
    await put(hq, made)

    said = await hq.do("chat.say", text="Yes, go ahead.")

    assert said["result"]["ok"] and said["result"]["action"] == "merge"
    assert (await props(hq, "approval", made.slug))["status"] == "done"
    lines = [line["text"] for line in (await hq.do("chat.history"))["items"]]
    assert lines == ["Merge entity “Acme Inc” into “Acme”", "Yes, go ahead.", TAKEN]


async def test_a_yes_with_a_but_grants_nothing(hq):
    await hq.do("agent.load")
    made = await approval(hq)
    await put(hq, made)

    await hq.do("chat.say", text="Yes, but ask Ana first.")

    assert (await props(hq, "approval", made.slug))["status"] == "pending"


async def test_from_a_list_please_answers_the_question_and_goes_back_to_who_asked(hq):
    await hq.do("agent.load")
    made = await escalation(hq)
    await put(hq, made)

    await hq.do("chat.say", text="Blue, please.")

    answered = await props(hq, "escalation", made.slug)
    assert (answered["status"], answered["resolution"]) == ("resolved", "Blue")


async def test_by_the_supervisors_way_in_it_is_the_same(hq):
    await hq.do("agent.load")
    made = await escalation(hq)
    await put(hq, made)

    await hq.do("run.start", task="Red")

    assert (await props(hq, "escalation", made.slug))["resolution"] == "Red"


async def test_a_yes_to_the_ceo_grants_nothing_that_lies_in_the_inbox(play):
    await play.hq.do("agent.load")
    made = await approval(play.hq)
    await say(play, "What would you call the app", "I would call it Tally. Say yes and I tell forge.")

    said = await play.hq.do("chat.say", text="Yes.")

    assert (await props(play.hq, "approval", made.slug))["status"] == "pending"
    assert said["undecided"] == [made.slug], "it is asked about, with the buttons of its card"
    assert [card["ask"] for card in (await play.hq.do("card.list", open=True))["items"]] == [made.slug]


TELLS_HOW = "That needs a plain “yes” or the button."

PIZZA = "Shall I order pizza? Just say yes."


@pytest.mark.parametrize("words", [TELLS_HOW, PIZZA, "Hal would start today. OK?"])
@pytest.mark.parametrize(("text", "status"), [("yes", "done"), ("no", "rejected"), ("sim", "done")])
async def test_whatever_the_ceo_said_last_the_house_asks_and_the_word_said_again_counts(play, words, text, status):
    hq = play.hq
    await hq.do("agent.load")
    made = await approval(hq)
    await put(hq, made)
    await say(play, "sure, let Hal have a go at it", words)
    mind = Told(["Fine."])

    said = await hq.do("chat.say", text=text)
    await play.runner(mind).run_once()

    assert said["undecided"] == [made.slug] and mind.asked == [], "no mind hears it until it is clear"
    word = "no" if status == "rejected" else "yes"
    assert f"say “{word} to {made.slug}”" in said["house"] and "say “for the CEO”" in said["house"]
    assert (await props(hq, "approval", made.slug))["status"] == "pending"
    hq.clock.advance(minutes=1)
    await hq.do("chat.say", text=text)
    assert (await props(hq, "approval", made.slug))["status"] == status


@pytest.mark.parametrize("text", ["for the CEO", "Yes, for the CEO.", "para o CEO"])
async def test_what_is_for_the_ceo_goes_on_to_the_ceo_who_is_told_that_nothing_was_decided(play, text):
    hq = play.hq
    await hq.do("agent.load")
    made = await approval(hq)
    await put(hq, made)
    await say(play, "I am hungry", PIZZA)
    await hq.do("chat.say", text="yes")
    hq.clock.advance(minutes=1)
    mind = Told(["It is ordered."])

    said = await hq.do("chat.say", text=text)
    await play.runner(mind).run_once()

    assert (await props(hq, "approval", made.slug))["status"] == "pending"
    assert said["house"] == "That goes on to the CEO. Nothing that waits was decided by it."
    heard = str(mind.asked[-1].messages)
    assert "<house>Nothing was decided by that." in heard and "<house>That goes on to the CEO." in heard


async def test_what_is_put_there_while_the_house_asks_leaves_a_yes_uncertain(play):
    """No mind has heard the house's question yet; what comes to stand below it may be what the next yes is for."""
    hq = play.hq
    await hq.do("agent.load")
    made = await approval(hq)
    await put(hq, made)
    await say(play, "I am hungry", "There is bread.")
    await hq.do("chat.say", text="yes")
    hq.clock.advance(minutes=1)
    buttons = [{"key": "a", "label": "Pizza"}, {"key": "b", "label": "Bread"}]
    await hq.do("card.send", kind="choice", title="Pizza or bread", buttons=buttons, _token=await hq.agent("chief"))
    await hq.do("chat.read")
    hq.clock.advance(minutes=1)

    said = await hq.do("chat.say", text="yes")

    assert (await props(hq, "approval", made.slug))["status"] == "pending"
    assert said["undecided"] == [made.slug]


async def test_the_words_of_an_option_that_do_not_count_are_told_to_the_ceo(play):
    hq = play.hq
    await hq.do("agent.load")
    made = await escalation(hq)
    await say(play, "Good morning", "Red or blue for the door?")
    mind = Told(["I see to it."])

    said = await hq.do("chat.say", text="Blue")
    await play.runner(mind).run_once()

    assert (await props(hq, "escalation", made.slug))["status"] == "open"
    assert said["house"].startswith(
        "Nothing was decided by that. It goes on to the CEO, who may pass it on as your answer"
    )
    assert "<house>Nothing was decided by that. It goes on" in str(mind.asked[-1].messages)


@pytest.mark.parametrize(
    ("text", "status"), [("sure, hire them", "done"), ("pode contratar", "done"), ("don't hire him", "rejected"), ("hire him tomorrow", "pending")]
)  # fmt: skip
async def test_a_hire_is_answered_by_what_it_does(hq, text, status):
    await hq.do("agent.load")
    asks = await hq.call("agent.hire", name="Hal", title="Designer", role="design", _token=await hq.agent("chief"))
    await hq.do("card.send", kind="attention", ask=asks.data["approval"])
    await hq.do("chat.read")
    hq.clock.advance(minutes=1)

    await hq.do("chat.say", text=text)

    assert (await props(hq, "approval", asks.data["approval"]))["status"] == status


async def test_a_yes_out_of_the_blue_is_asked_about_and_heard_by_nobody_until_it_is_clear(play):
    await play.hq.do("agent.load")
    await say(play, "What would you call the app", "I would call it Tally.")
    made = await approval(play.hq)
    mind = Told(["Never mind."])

    await play.hq.do("chat.say", text="Yes.")
    await play.runner(mind).run_once()

    which = await told(play.hq)
    assert "Nothing was decided" in which and f"hq ask answer {made.slug} yes|no" in which and mind.asked == []
    play.hq.clock.advance(minutes=1)
    await play.hq.do("chat.say", text="Yes.")
    await play.runner(mind).run_once()
    assert (await props(play.hq, "approval", made.slug))["status"] == "done"
    assert mind.asked == [], "it is between them and the house"
    await say(play, "What is next", "Nothing.")
    await play.hq.do("chat.say", text="And then?")
    await play.runner(mind).run_once()
    assert "<house>Nothing was decided" in str(mind.asked[-1].messages), "told with what it became"


async def test_anything_else_said_then_goes_on_with_it(play):
    await play.hq.do("agent.load")
    await say(play, "What would you call the app", "I would call it Tally.")
    made = await approval(play.hq)
    mind = Told(["Fine."])
    await play.hq.do("chat.say", text="Yes.")
    play.hq.clock.advance(minutes=1)

    await play.hq.do("chat.say", text="I meant the name.")
    await play.runner(mind).run_once()

    heard = str(mind.asked[-1].messages)
    assert "Yes." in heard and "I meant the name." in heard
    assert (await props(play.hq, "approval", made.slug))["status"] == "pending"


async def test_a_yes_after_other_words_of_the_ceo_grants_nothing(play):
    await play.hq.do("agent.load")
    made = await approval(play.hq)
    await put(play.hq, made)
    await say(play, "What would you call the app", "I would call it Tally. Say yes and I tell forge.")

    await play.hq.do("chat.say", text="Yes.")

    assert (await props(play.hq, "approval", made.slug))["status"] == "pending"


async def test_a_yes_after_something_else_the_founder_said_grants_nothing(hq):
    await hq.do("agent.load")
    made = await approval(hq)
    await put(hq, made)
    await hq.do("chat.say", text="What is the weather like")
    hq.clock.advance(minutes=1)

    await hq.do("chat.say", text="Yes.")

    assert (await props(hq, "approval", made.slug))["status"] == "pending"


async def test_thanks_grant_nothing(hq):
    await hq.do("agent.load")
    made = await approval(hq)
    await put(hq, made)

    await hq.do("chat.say", text="ok thanks")

    assert (await props(hq, "approval", made.slug))["status"] == "pending"


async def test_what_is_held_is_answered_by_no_word(hq):
    await hq.do("agent.load")
    await hq.do("ceo.quiet", hours="00:00-23:59")
    hq.clock.advance(hours=1)
    buttons = [
        {"key": "go_on", "label": "Go on", "verb": "chat.say", "args": {"text": "Go on."}},
        {"key": "no", "label": "No"},
    ]
    card = await hq.do("card.send", kind="attention", title="I was interrupted", buttons=buttons)
    assert card["state"] == "held"

    await hq.do("chat.say", text="Go on.")

    assert (await hq.do("card.show", card=card["id"]))["state"] == "held"


async def test_a_yes_to_what_was_answered_elsewhere_hears_by_whom(play):
    await play.hq.do("agent.load")
    made = await approval(play.hq)
    await put(play.hq, made)
    await to_the_script(play, "Hello.")
    await play.hq.do("ask.answer", ask=made.slug, option="no")

    await to_the_script(play, f"yes to {made.slug}")

    assert f"{made.slug} was answered already by user:founder: no" in await told(play.hq)
    refused = await play.hq.call("chat.say", text="yes", reply_to=made.slug)
    assert "answered already by user:founder" in refused.error["message"]


async def test_a_reply_to_a_card_is_an_answer_in_words(hq):
    await hq.do("agent.load")
    made, also = await question(hq), await review(hq)

    await hq.do("chat.say", text="Green, like the door.", reply_to=made.slug)

    assert (await hq.do("ask.show", ask=made.slug))["answer"] == "Green, like the door."
    assert (await props(hq, "review", also.slug))["status"] == "open"
    sent = await hq.do("agent.inbox", agent="operator")
    assert [item["text"] for item in sent["items"]] == ["Green, like the door."]


async def test_the_ceo_carries_the_founders_word_and_no_other(hq):
    await hq.do("agent.load")
    before = await hq.do("chat.say", text="Hello.")
    hq.clock.advance(minutes=1)
    made = await question(hq)
    chief = await hq.agent("chief")
    hq.clock.advance(minutes=1)
    said = await hq.do("chat.say", text="I always liked the colour of grass.")

    async def answer(**more):
        return await hq.call("ask.answer", ask=made.slug, _token=chief, **more)

    assert (await answer(text="Green.")).error["code"] == "forbidden", "by itself it has no word in it"
    assert (await answer(message=before["id"])).error["code"] == "conflict", "said before it was asked"
    assert (await answer(message="01980f3c-5a7b-7c31-a1f2-d3c4b5a69788")).error["code"] == "forbidden"
    assert (await answer(message=said["id"])).ok
    answered = await hq.do("ask.show", ask=made.slug)
    said_so = "founder, through chief, quoting “I always liked the colour of grass.”"
    assert (answered["answer"], answered["answered_by"]) == ("I always liked the colour of grass.", said_so)


@pytest.mark.parametrize("text", ["ok", "yes", "Sim"])
async def test_what_the_script_did_not_understand_leaves_a_yes_its_meaning(play, text):
    await play.hq.do("agent.load")
    made = await approval(play.hq)
    await put(play.hq, made)
    await to_the_script(play, NOT_UNDERSTOOD)
    assert "1. “Merge entity 'Acme Inc' into 'Acme'” (into: acme, loser: acme-inc" in await told(play.hq)
    assert (await props(play.hq, "approval", made.slug))["status"] == "pending"

    await to_the_script(play, text)

    assert (await props(play.hq, "approval", made.slug))["status"] == "done"


async def test_an_options_words_answer_after_any_number_of_failed_tries(play):
    await play.hq.do("agent.load")
    made, also = await escalation(play.hq), await approval(play.hq)
    await put(play.hq, made)
    for _ in range(2):
        await to_the_script(play, "sing me a song about trains")

    await to_the_script(play, "Blue")

    assert (await props(play.hq, "escalation", made.slug))["resolution"] == "Blue"
    assert (await props(play.hq, "approval", also.slug))["status"] == "pending"


@pytest.mark.parametrize("text", ["yes", "Sim."])
async def test_own_words_are_the_answer_to_the_one_question_once_a_yes_says_so(play, text):
    await play.hq.do("agent.load")
    made = await escalation(play.hq)
    await put(play.hq, made)
    await to_the_script(play, "I'd rather have stripes: red, blue, white")
    assert "Is that your answer to “Chief asks: Which one?”" in await told(play.hq)
    assert (await props(play.hq, "escalation", made.slug))["status"] == "open"

    await play.hq.do("chat.say", text=text)

    assert (await props(play.hq, "escalation", made.slug))["resolution"] == "I'd rather have stripes: red, blue, white"
    taken = [line["text"] for line in (await play.hq.do("chat.history"))["items"]][-1]
    assert taken.startswith("Taken as your answer to") and "stripes: red, blue, white" in taken


@pytest.mark.parametrize("between", ["Hello.", "no"])
async def test_a_yes_to_something_else_makes_no_answer_of_own_words(play, between):
    await play.hq.do("agent.load")
    made = await escalation(play.hq)
    await put(play.hq, made)
    await to_the_script(play, "I'd rather have stripes")
    await to_the_script(play, between)

    await to_the_script(play, "yes")

    assert (await props(play.hq, "escalation", made.slug))["status"] == "open"


async def test_of_a_permission_beside_a_question_own_words_answer_neither(play):
    await play.hq.do("agent.load")
    made, also = await escalation(play.hq), await approval(play.hq)
    await put(play.hq, made)
    await to_the_script(play, "I'd rather have stripes")

    await to_the_script(play, "yes")

    assert (await props(play.hq, "escalation", made.slug))["status"] == "open"
    assert (await props(play.hq, "approval", also.slug))["status"] == "pending"


BUTS = pytest.mark.parametrize("but", ["Yes, but is it cheap.", "Sim, mas é barato."])


@BUTS
async def test_a_yes_after_a_yes_but_is_for_what_was_said_to_that(play, but):
    await play.hq.do("agent.load")
    made = await approval(play.hq)
    await put(play.hq, made)
    await say(play, but, "It costs nothing. I would do it today.")

    await play.hq.do("chat.say", text="yes")

    assert (await props(play.hq, "approval", made.slug))["status"] == "pending"


@BUTS
async def test_a_yes_after_a_yes_but_that_nobody_has_heard_yet_grants_nothing(play, but):
    """Also where the house listed that one before: what was listed was answered, with a but."""
    await play.hq.do("agent.load")
    made = await approval(play.hq)
    await to_the_script(play, "Hello.")
    await to_the_script(play, "yes")
    await play.hq.do("chat.say", text=but)
    play.hq.clock.advance(minutes=1)

    await play.hq.do("chat.say", text="yes")

    assert (await props(play.hq, "approval", made.slug))["status"] == "pending"


@BUTS
@pytest.mark.parametrize(("since", "status"), [("nothing", "done"), ("another", "pending")])
async def test_a_yes_after_a_yes_but_grants_only_the_one_that_was_listed_since(play, but, since, status):
    await play.hq.do("agent.load")
    first = await approval(play.hq)
    await to_the_script(play, "Hello.")
    await to_the_script(play, "yes")
    await to_the_script(play, but)
    assert (
        "1. “Merge entity 'Acme Inc' into 'Acme'” (into: acme, loser: acme-inc, asked by Operator): “Approve: merge entity”"
        in await told(play.hq)
    )
    if since == "another":
        await another(play.hq, first)

    await play.hq.do("chat.say", text="yes")

    assert (await props(play.hq, "approval", first.slug))["status"] == status


async def test_a_yes_after_a_yes_but_with_two_listed_grants_neither(play):
    await play.hq.do("agent.load")
    slugs = await two(play.hq)
    await to_the_script(play, "yes")
    await to_the_script(play, "Yes, but is it cheap.")

    await play.hq.do("chat.say", text="yes")

    assert [(await props(play.hq, "approval", slug))["status"] for slug in slugs] == ["pending", "pending"]


@pytest.mark.parametrize("text", ["Yes, blue, please.", "blue would be nicer, I think"])
async def test_an_option_that_is_liked_is_the_answer(play, text):
    await play.hq.do("agent.load")
    made = await escalation(play.hq)
    await put(play.hq, made)

    await to_the_script(play, text)

    answered = await props(play.hq, "escalation", made.slug)
    assert (answered["status"], answered["resolution"]) == ("resolved", "Blue")


async def test_a_yes_to_a_question_of_two_options_is_asked_which_and_the_option_alone_answers_it(play):
    await play.hq.do("agent.load")
    made = await escalation(play.hq)
    await put(play.hq, made)

    await to_the_script(play, "Yes please")
    asked = await told(play.hq)
    assert "Which of these is your answer" in asked and "“Red” or “Blue”" in asked and "no request" not in asked, asked
    await to_the_script(play, "Yes please")
    assert (await props(play.hq, "escalation", made.slug))["status"] == "open"
    await to_the_script(play, "blue, I think")

    assert (await props(play.hq, "escalation", made.slug))["resolution"] == "Blue"


async def test_yes_please_makes_own_words_the_answer(play):
    await play.hq.do("agent.load")
    made = await escalation(play.hq)
    await put(play.hq, made)
    await to_the_script(play, "stripes, I think")
    await to_the_script(play, "and dots, please")

    await to_the_script(play, "Yes please")

    resolution = (await props(play.hq, "escalation", made.slug))["resolution"]
    assert resolution == "stripes, I think", "the words that were asked about, and none that were said since"
