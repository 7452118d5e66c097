"""J11: what the founder said in the conversation reaches the CEO wherever it is asked, and is not put before them as somebody's decision."""

from __future__ import annotations

import pytest

from hq.asks.founder_words import _repeats
from tests.support.heart import Heart
from tests.support.play import Told, house  # noqa: F401
from tests.support.story_worker import worker

SAID = "The school is called Blue Sky. An intro flight is 90 euros for 30 minutes, a normal lesson 120 euros for 45 minutes."
ANSWER = "The school is called Blue Sky. Intro flight: 90 EUR for 30 minutes. Normal lesson: 120 EUR for 45 minutes. The founder said so today."


@pytest.mark.parametrize(
    ("answer", "repeats"),
    [(ANSWER, True), (SAID, True), ("Blue Sky.", True), ("Intro flight: 95 EUR for 30 minutes.", False),
     ("Build it with clearly marked gaps for the founder to fill in.", False), ("", False)],
)  # fmt: skip
def test_j11_an_answer_repeats_the_founder_where_its_words_and_all_its_numbers_are_theirs(answer, repeats):
    assert _repeats(answer, SAID) is repeats


async def asked(house) -> str:  # noqa: F811
    hq = house.hq
    await hq.do("ceo.quiet", hours="off")
    await hq.do("agent.hire", name="devon", title="Developer", role="developer")
    await hq.do("mission.create", title="School page", deliverables=["file:index.html"])
    await hq.do("mission.assign", ref="school-page", to="devon")
    raised = await hq.call(
        "escalation.raise", summary="What is the school called?", mission="school-page", _token=await hq.agent("devon")
    )
    return raised.data["slug"]


async def test_j11_who_is_asked_beside_the_conversation_hears_what_the_founder_said_there(house):  # noqa: F811
    await asked(house)
    await house.hq.do("chat.say", agent="chief", text=SAID)
    mind = Told(['<task-complete reason="x"/>'])

    while await worker(house, mind).run_once():
        pass

    [beside] = [ask for ask in mind.asked if "escalates: What is the school called?" in str(ask.messages[0])][:1]
    assert "The founder said to you in the conversation, lately:" in beside.now and "120 euros" in beside.now
    [thread] = [ask for ask in mind.asked if SAID in str(ask.messages[0])][:1]
    assert "lately:" not in thread.now


@pytest.mark.parametrize(("answer", "cards"), [(ANSWER, 0), ("It is called Sunny Wings.", 1)])
async def test_j11_what_the_founder_said_is_not_put_before_them_as_decided(house, answer, cards):  # noqa: F811
    ask = await asked(house)
    await house.hq.do("chat.say", agent="chief", text=SAID)

    await house.hq.do("escalation.resolve", ref=ask, answer=answer, _token=await house.hq.agent("chief"))
    await Heart(house.hq).beat(minutes=1)

    titles = [each["title"] for each in (await house.hq.do("card.list"))["items"]]
    assert len([title for title in titles if "and chief decided" in title]) == cards, titles
