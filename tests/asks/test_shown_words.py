"""A word answers what was shown where it is typed, as the last thing that asks; what was not shown is shown, and asked."""

from __future__ import annotations

import pytest

from tests.support.play import Told

from .conftest import approval, escalation

PIZZA = "Shall I order pizza? Just say yes."


async def status(hq, slug: str) -> str:
    return (await hq.do("approval.show", ref=slug))["props"]["status"]


async def card(hq, slug: str) -> str:
    """A card of an ask, put there by the CEO; its id."""
    sent = await hq.do("card.send", kind="choice", ask=slug, _token=await hq.agent("chief"))
    hq.clock.advance(minutes=1)
    return sent["id"]


async def lines(hq) -> list[dict]:
    return (await hq.do("chat.history"))["items"]


@pytest.fixture
async def talk(play):
    """A company in which the founder has said something, and the CEO has answered."""
    await play.hq.do("agent.load")
    await play.hq.do("chat.say", text="Good morning")
    await play.runner(["Good morning."]).run_once()
    play.hq.clock.advance(minutes=1)
    await play.hq.do("chat.say", text="Thanks")
    await play.runner(["Any time."]).run_once()
    play.hq.clock.advance(minutes=1)
    return play


async def asked(play, words: str) -> None:
    """The founder says something, and the CEO answers with these words."""
    await play.hq.do("chat.say", text="How are we doing")
    await play.runner(Told(lambda ask: words)).run_once()
    play.hq.clock.advance(minutes=1)


async def test_what_was_never_shown_is_granted_by_no_yes(hq):
    await hq.do("agent.load")
    made = await approval(hq)
    await card(hq, made.slug)

    said = await hq.do("chat.say", text="yes")

    assert await status(hq, made.slug) == "pending"
    assert said["undecided"] == [made.slug]
    assert "Is that your answer to “Merge entity 'Acme Inc' into 'Acme'”?" in said["house"]


@pytest.mark.parametrize("shown", ["nothing", "nonsense", "01980f3c-5a7b-7c31-a1f2-d3c4b5a69788"])
async def test_who_says_that_nothing_was_shown_is_asked_whatever_another_face_has_read(hq, shown):
    await hq.do("agent.load")
    made = await approval(hq)
    await card(hq, made.slug)
    await hq.do("chat.read")

    await hq.do("chat.say", text="yes", shown=shown)

    assert await status(hq, made.slug) == "pending"


async def test_the_next_yes_of_who_was_asked_counts(hq):
    await hq.do("agent.load")
    made = await approval(hq)
    await card(hq, made.slug)
    await hq.do("chat.say", text="yes")
    hq.clock.advance(minutes=1)

    await hq.do("chat.say", text="yes")

    assert await status(hq, made.slug) == "done"


@pytest.mark.parametrize("shown", ["nothing", "garbage", "01980f3c-5a7b-7c31-a1f2-d3c4b5a69788"])
async def test_a_yes_that_is_repeated_where_nothing_was_shown_grants_nothing(hq, shown):
    """A client that lost the answer and sends its word again has not shown the question either."""
    await hq.do("agent.load")
    made = await approval(hq)
    await card(hq, made.slug)
    for _ in range(3):
        await hq.do("chat.say", text="yes", shown=shown)
        hq.clock.advance(minutes=1)

    assert await status(hq, made.slug) == "pending"


async def test_the_yes_of_another_device_is_not_that_of_who_was_asked(hq):
    await hq.do("agent.load")
    phone = (await hq.do("auth.token", device="phone"))["token"]
    made = await approval(hq)
    await card(hq, made.slug)
    await hq.do("chat.say", text="yes")
    hq.clock.advance(minutes=1)

    await hq.do("chat.say", text="yes", _token=phone)

    assert await status(hq, made.slug) == "pending"


async def test_what_the_client_has_shown_last_is_granted(hq):
    await hq.do("agent.load")
    made = await approval(hq)
    id = await card(hq, made.slug)

    said = await hq.do("chat.say", text="yes", shown=id)

    assert await status(hq, made.slug) == "done"
    assert said["house"].startswith("Taken as your answer to “Merge entity")


async def test_the_id_of_a_line_says_how_far_a_client_has_shown(hq):
    await hq.do("agent.load")
    made = await approval(hq)
    await card(hq, made.slug)
    line = (await lines(hq))[-1]
    assert line["card"]["ask"] == made.slug

    await hq.do("chat.say", text="yes", shown=line["id"])

    assert await status(hq, made.slug) == "done"


async def test_a_card_that_came_after_what_the_client_has_shown_is_not_granted(talk):
    hq = talk.hq
    before = (await lines(hq))[-1]["id"]
    made = await approval(hq)
    await card(hq, made.slug)

    await hq.do("chat.say", text="yes", shown=before)

    assert await status(hq, made.slug) == "pending"


async def test_a_list_that_did_not_arrive_yet_is_answered_by_no_second_yes(hq):
    await hq.do("agent.load")
    made = await approval(hq)
    await card(hq, made.slug)
    await hq.do("chat.say", text="Hello")
    hq.clock.advance(minutes=1)
    seen = next(line for line in await lines(hq) if "card" in line)["id"]
    await hq.do("chat.say", text="yes", shown=seen)
    hq.clock.advance(minutes=1)

    await hq.do("chat.say", text="yes", shown=seen)
    assert await status(hq, made.slug) == "pending", "pressed twice, and nothing new was read in between"

    house = next(line for line in reversed(await lines(hq)) if "Nothing was decided" in line["text"])
    await hq.do("chat.say", text="yes", shown=house["id"])
    assert await status(hq, made.slug) == "done"


@pytest.mark.parametrize(
    "words", [PIZZA, "I would send you the weekly summary. Say yes.", "Envio o resumo? Diz só sim."]
)
async def test_a_card_behind_a_question_of_the_ceo_is_answered_by_no_yes(talk, words):
    hq = talk.hq
    await asked(talk, words)
    asks = await hq.call("agent.hire", name="Lawrence", title="Lawyer", role="legal", _token=await hq.agent("chief"))
    slug = asks.data["approval"]
    await card(hq, slug)
    await hq.do("chat.read")

    said = await hq.do("chat.say", text="yes")

    assert await status(hq, slug) == "pending"
    assert said["undecided"] == [slug]


async def test_words_of_a_model_before_a_high_risk_take_more_than_a_bare_yes(talk):
    hq = talk.hq
    await asked(talk, "I await your word about the weekly summary.")
    made = await approval(hq)
    await card(hq, made.slug)
    await hq.do("chat.read")

    await hq.do("chat.say", text="yes")
    assert await status(hq, made.slug) == "pending"

    await hq.do("chat.say", text=f"yes to {made.slug}")
    assert await status(hq, made.slug) == "done"


async def test_a_hire_with_words_that_ask_nothing_is_granted_by_a_yes(talk):
    hq = talk.hq
    await asked(talk, "A lawyer would help; I ask for one.")
    asks = await hq.call("agent.hire", name="Lawrence", title="Lawyer", role="legal", _token=await hq.agent("chief"))
    await card(hq, asks.data["approval"])
    await hq.do("chat.read")

    await hq.do("chat.say", text="yes")

    assert await status(hq, asks.data["approval"]) == "done"


async def test_a_question_that_was_answered_stands_before_no_card(talk):
    hq = talk.hq
    await asked(talk, PIZZA)
    await hq.do("chat.say", text="With mushrooms.")
    await talk.runner(["It is ordered."]).run_once()
    hq.clock.advance(minutes=1)
    asks = await hq.call("agent.hire", name="Lawrence", title="Lawyer", role="legal", _token=await hq.agent("chief"))
    await card(hq, asks.data["approval"])
    await hq.do("chat.read")

    await hq.do("chat.say", text="yes")

    assert await status(hq, asks.data["approval"]) == "done"


async def test_the_words_of_an_option_are_for_a_question_that_was_shown(hq):
    await hq.do("agent.load")
    made = await escalation(hq)
    id = await card(hq, made.slug)

    await hq.do("chat.say", text="Blue, please.", shown="nothing")
    assert (await hq.do("escalation.show", ref=made.slug))["props"]["status"] == "open"

    hq.clock.advance(minutes=1)
    await hq.do("chat.say", text="Blue, please.", shown=id)
    assert (await hq.do("escalation.show", ref=made.slug))["props"]["resolution"] == "Blue"


async def test_a_proposals_own_name_grants_nothing_that_was_not_shown(hq):
    await hq.do("agent.load")
    change = {"verb": "task.create", "args": {"title": "T"}}
    await hq.do("proposal.propose", kind="weekly-summary", change=change, _token=await hq.agent("chief"))

    await hq.do("chat.say", text="yes to weekly-summary")

    assert (await hq.do("proposal.show", ref="weekly-summary"))["props"]["status"] == "pending"


async def test_what_agents_press_into_a_card_is_not_belied_by_its_key(hq):
    await hq.do("agent.load")
    buttons = [{"key": "no", "label": "Yes, delete it"}, {"key": "yes", "label": "No, do not delete"}]
    chief = await hq.agent("chief")

    sent = await hq.call("card.send", kind="choice", title="Delete all?", buttons=buttons, _token=chief)
    made = await hq.call("review.create", question_text="Delete all?", options=buttons, _token=chief)

    assert "make them agree" in sent.error["message"] and "make them agree" in made.error["message"]


@pytest.mark.parametrize("order", [("card", "house"), ("house", "card")])
async def test_of_several_that_were_shown_the_one_that_came_last_counts(talk, order):
    hq = talk.hq
    made = await approval(hq)
    shown = {"card": await card(hq, made.slug)}
    await hq.do("chat.say", text="Hello", shown=shown["card"])
    hq.clock.advance(minutes=1)
    await hq.do("chat.say", text="yes", shown=shown["card"])
    shown["house"] = next(line["id"] for line in reversed(await lines(hq)) if "Nothing was decided" in line["text"])
    hq.clock.advance(minutes=1)

    await hq.do("chat.say", text="yes", shown=",".join(shown[each] for each in order))

    assert await status(hq, made.slug) == "done"
