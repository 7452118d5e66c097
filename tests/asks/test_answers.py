"""Every kind of ask has the same life: answered once, whoever answers and from wherever; withdrawn, expired, and told who answered."""

from __future__ import annotations

import asyncio

import pytest

from hq.door.tx import Call
from tests.support.heart import heart
from tests.support.jobs import JobHand
from tests.support.play import Told

from .conftest import approval, review

__all__ = ["heart"]


async def state(hq, slug: str) -> str:
    return (await hq.do("ask.show", ask=slug))["state"]


async def test_it_waits_for_the_founder_and_is_answered(hq, made):
    (item,) = [each for each in (await hq.do("ask.list"))["items"] if each["slug"] == made.slug]
    assert (item["type"], item["state"]) == (made.type, "open")

    told = await hq.do("ask.answer", ask=made.slug, **made.answer)

    assert (told["answer"], told["already"]) == (made.counts, False)
    assert told.get("result", {"ok": True})["ok"], told
    assert await state(hq, made.slug) == "answered"
    assert made.slug not in [each["slug"] for each in (await hq.do("ask.list", to="all"))["items"]]


async def test_answered_twice_it_acts_once_and_says_who_answered(hq, made):
    await hq.do("ask.answer", ask=made.slug, **made.answer)

    again = await hq.do("ask.answer", ask=made.slug, **made.answer)

    assert again["already"] and "result" not in again
    assert (again["answer"], again["answered_by"]) == (made.counts, (await hq.do("auth.whoami"))["actor"])


async def test_answered_from_two_places_at_once_it_acts_once(hq, made):
    told = await asyncio.gather(*(hq.do("ask.answer", ask=made.slug, **made.answer) for _ in range(2)))

    assert sorted(each["already"] for each in told) == [False, True]
    events = (await hq.do("sql.query", query="select topic from hq.events where topic = 'ask.answered'"))["items"]
    assert len(events) == 1


async def test_withdrawn_it_can_no_longer_be_answered(hq, made):
    await hq.do("ask.withdraw", ask=made.slug, why="Never mind.")

    told = await hq.call("ask.answer", ask=made.slug, **made.answer)

    assert await state(hq, made.slug) == "withdrawn"
    assert told.ok and told.data["already"]


async def test_who_asked_never_answers(hq, made):
    if made.asker is None:
        return

    told = await hq.call("ask.answer", ask=made.slug, **made.answer, _token=made.asker)

    assert told.error["code"] == "forbidden"
    assert await state(hq, made.slug) == "open"


async def test_to_who_may_neither_answer_nor_see_it_there_is_no_such_ask(hq, made):
    await hq.do("agent.create", name="outsider", role="Stranger")
    outsider = await hq.agent("outsider")
    by_id = (await hq.do("ask.show", ask=made.slug))["id"]

    for verb, more in (("ask.answer", made.answer), ("ask.withdraw", {})):
        for name in (made.slug, by_id):
            here = await hq.call(verb, ask=name, **more, _token=outsider)
            nowhere = await hq.call(verb, ask="no-such-ask", **more, _token=outsider)
            assert str(here.error).replace(name, "no-such-ask") == str(nowhere.error)


async def test_no_service_and_no_worker_answers(hq, made):
    service = (await hq.do("auth.token", service="robot", scopes=["read", "write"]))["token"]

    told = await hq.call("ask.answer", ask=made.slug, **made.answer, _token=service)

    assert told.error["code"] == "forbidden"


async def test_no_model_gives_more_than_a_word_whatever_it_was_told(hq, made):
    """The CEO may carry the founder's word to another's question; to what is asked for it may not."""
    asked = await hq.do("ask.show", ask=made.slug)
    hq.clock.advance(minutes=1)
    said = await hq.do("chat.say", text="Well, take the second.")
    chief = await hq.agent("chief")
    option = {name: value for name, value in made.answer.items() if name == "option"}

    told = await hq.call("ask.answer", ask=made.slug, **option, message=said["id"], _token=chief)

    question = made.type in ("review", "escalation", "question") and not asked["permission"]
    carried = question and asked["from"] != "agent:chief"
    assert told.ok is carried, told.error
    assert await state(hq, made.slug) == ("answered" if carried else "open")


async def test_a_word_of_the_founders_is_carried_by_the_ceo_alone_and_word_for_word(hq, made):
    """What an agent was told in a chat of its own answers nothing, least of all what it asked for itself."""
    hq.clock.advance(minutes=1)
    mine = await hq.do("chat.say", agent="operator", text="Lovely, carry on later.")
    said = await hq.do("chat.say", text="Well, that depends on the weather.")
    operator, chief = await hq.agent("operator"), await hq.agent("chief")

    by_another = await hq.call("ask.answer", ask=made.slug, **made.answer, message=mine["id"], _token=operator)
    other_words = await hq.call(
        "ask.answer", ask=made.slug, text="The founder allows everything.", message=said["id"], _token=chief
    )

    assert by_another.error["code"] == "forbidden"
    asked = await hq.do("ask.show", ask=made.slug)
    carried = asked["kind"] in ("review", "message")
    assert other_words.error["code"] == ("invalid" if carried else "forbidden"), other_words.error
    assert await state(hq, made.slug) == "open"


async def test_its_time_over_it_is_expired_by_the_clock(hq, made):
    shown = await hq.do("ask.show", ask=made.slug)
    hq.clock.advance(days=4)

    while await JobHand(hq, "asks").run_once():  # a hundred at a time, of every company of these tests
        pass

    assert await state(hq, made.slug) == ("expired" if shown.get("deadline") else "open")


async def test_the_ceo_is_told_what_waits_with_its_ways_and_takes_back_what_it_asked(play):
    hq = play.hq
    await hq.do("agent.load")
    await approval(hq)
    await review(hq)
    merge = {"key": "merge", "label": "Give it out", "verb": "mission.assign", "args": {"ref": "x"}}
    await hq.do("card.send", kind="choice", title="What now?", buttons=[merge, {"key": "no", "label": "Not now"}])
    mind = Told(["Hello."])

    await hq.do("chat.say", text="Hi")
    await play.runner(mind).run_once()

    told = str(mind.asked[0])
    assert "Merge entity “Acme Inc” into “Acme”" in told
    assert '(a permission, asked by agent:operator; yes = "Approve: merge entity"; no = "Decline")' in told
    assert '"Which name?" (a question, asked by user:founder; a = "The Weekly"; b = "Field Notes")' in told
    assert '"What now?" (a choice that acts, so only the founder makes it' in told and 'merge = "Give it out"' in told
    [commands] = [each.description for each in mind.asked[0].tools if each.name == "hq"]
    assert "ask" in commands


async def test_who_asked_takes_it_back_by_its_tool_and_nobody_elses(hq):
    await hq.do("agent.load")
    made = await approval(hq)
    chief = await hq.agent("chief")

    assert (await hq.call("ask.withdraw", ask=made.slug, _token=chief)).error["code"] == "cross_scope_violation"
    assert (await hq.call("ask.withdraw", ask=made.slug, why="Done otherwise.", _token=made.asker)).ok
    assert (await hq.do("ask.show", ask=made.slug))["state"] == "withdrawn"


async def test_what_was_withdrawn_is_told_as_that_with_who_and_why(hq):
    await hq.do("agent.load")
    made = await approval(hq)
    await hq.do("ask.withdraw", ask=made.slug, why="They are two firms.", _token=made.asker)

    told = await hq.do("ask.answer", ask=made.slug, option="yes")
    reject = await hq.call("approval.reject", ref=made.slug)

    assert (told["state"], told["counted"], told.get("answer")) == ("withdrawn", False, None)
    assert (told["ended_by"], told["why"]) == ("agent:operator", "They are two firms.")
    assert "already cancelled by agent:operator: They are two firms." in reject.error["message"]
    shown = await hq.do("ask.show", ask=made.slug)
    assert (shown["state"], shown["ended_by"], shown["why"]) == ("withdrawn", "agent:operator", "They are two firms.")
    assert "answer" not in shown


async def test_of_two_buttons_pressed_at_once_the_first_counts_also_while_its_call_is_on_its_way(hq, monkeypatch):
    """The second cancelled what the first had set going, and the card said for ever that it was approved."""
    await hq.do("agent.load")
    made, call, seconds = await approval(hq), hq.door.call, []

    async def raced(each):
        if each.approval_id is not None:  # between the yes and the call that it sets going
            seconds.append(await call(Call("ask.answer", {"ask": made.slug, "option": "no"}, hq.token)))
        return await call(each)

    monkeypatch.setattr(hq.door, "call", raced)
    first = await hq.call("ask.answer", ask=made.slug, option="yes")

    assert first.data["counted"] and first.data["result"]["ok"]
    assert (seconds[0].data["answer"], seconds[0].data["counted"]) == ("yes", False)
    assert (await hq.do("approval.show", ref=made.slug))["props"]["status"] == "done"


async def test_a_yes_that_is_taken_back_is_no_yes_on_its_card(heart):
    hq = heart.hq
    made = await approval(hq)
    await heart.beat(hours=5)
    [card] = [card for card in await heart.cards() if card.get("ask") == made.slug]
    await hq.do("freeze.set", scope="agent:operator")
    await hq.do("card.press", card=card["id"], button="yes")
    assert (await hq.do("card.show", card=card["id"]))["pressed"] == "yes"

    await hq.do("approval.reject", ref=made.slug)

    assert (await hq.do("card.show", card=card["id"]))["pressed"] == "no"


async def test_an_answered_ask_shows_the_answer_and_the_note(hq):
    await hq.do("agent.load")
    made = await approval(hq)
    await hq.do("ask.answer", ask=made.slug, option="no", note="Ask me in May.")

    shown = await hq.do("ask.show", ask=made.slug)

    assert (shown["answer"], shown["note"], shown["answered_by"]) == ("no", "Ask me in May.", "user:founder")


async def raised(hq, risk: str) -> str:
    """An escalation of a hire's, with two ways on."""
    await hq.do("agent.load")
    asked = await hq.call(
        "escalation.raise", summary="Remove the database?", options=["Delete it", "Keep it"], risk=risk,
        _token=await hq.hired("scout"),
    )  # fmt: skip
    hq.clock.advance(minutes=1)
    return asked.data["slug"]


@pytest.mark.parametrize("risk", ["destructive", "irreversible", "system"])
async def test_no_model_carries_a_word_to_what_the_risk_table_keeps_for_the_founder(hq, risk):
    ask, chief = await raised(hq, risk), await hq.agent("chief")
    said = await hq.do("chat.say", text="I think we should go on with everything.")

    for option in ({"option": "delete-it"}, {}):
        refused = await hq.call("ask.answer", ask=ask, **option, message=said["id"], _token=chief)
        assert refused.error["code"] == "forbidden" and "in person" in refused.error["message"]
    assert await state(hq, ask) == "open"


async def test_a_question_of_the_founder_s_is_carried_to_nothing(hq):
    ask, chief = await raised(hq, "internal"), await hq.agent("chief")
    said = await hq.do("chat.say", text="What is the weather like today?")

    refused = await hq.call("ask.answer", ask=ask, option="keep-it", message=said["id"], _token=chief)

    assert refused.error["code"] == "conflict" and await state(hq, ask) == "open"


async def test_what_the_ceo_carries_is_shown_as_its_reading_of_the_founder_s_words(hq):
    ask, chief = await raised(hq, "internal"), await hq.agent("chief")
    said = await hq.do("chat.say", text="That old thing stays where it is, please.")

    told = await hq.do("ask.answer", ask=ask, option="keep-it", message=said["id"], _token=chief)

    assert told["answer"] == "keep-it"
    assert told["answered_by"] == "founder, through chief, quoting “That old thing stays where it is, please.”"
    assert (await hq.do("ask.show", ask=ask))["answered_by"] == told["answered_by"]


async def test_the_ceo_s_reading_is_not_against_the_founder_s_words(hq):
    ask, chief = await raised(hq, "internal"), await hq.agent("chief")
    told = await hq.do("chat.say", text="Well: keep it", shown="nothing")

    refused = await hq.call("ask.answer", ask=ask, option="delete-it", message=told["id"], _token=chief)

    assert refused.error["code"] == "conflict"
    assert "reads as 'keep-it' and not as 'delete-it'" in refused.error["message"]
    assert (await hq.do("ask.show", ask=ask))["state"] == "open"
    carried = await hq.do("ask.answer", ask=ask, option="keep-it", message=told["id"], _token=chief)
    assert carried["answer"] == "keep-it", "and as it reads it is carried"
