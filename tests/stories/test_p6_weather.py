"""P6, M13 and story 6: whatever the weather at the provider's, a conversation waits, says so, goes on by itself and is whole."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

import pytest

from hq.minds.mind import MindDown
from hq.minds.service import Minds
from tests.support.jobs import JobHand
from tests.support.provider_by_hand import Answered, Line, answered_by_hand, house, route  # noqa: F401

pytestmark = pytest.mark.parametrize("wire", ["anthropic", "chat"])
HELLO = Line("Good morning, Ana.")


def said(lines: list[tuple[str, str]], role: str) -> list[str]:
    return [text for who, text in lines if who == role]


async def status(by_hand: Answered) -> dict[str, Any]:
    return await by_hand.hq.do("chat.status", agent="chief")


# ---- what a mind calls that cannot be called


async def test_m13_malformed_arguments_and_an_unknown_tool_are_told_as_what_they_are_and_the_talk_goes_on(house, wire):  # noqa: F811
    lines = [
        Line(calls=[("mission_create", '{"titel": "Trip"}'), ("mission_crate", "{}")]),
        Line(calls=[("mission_create", '{"title": "Tri')], stop="tool_use"),
        HELLO,
    ]
    by_hand = await answered_by_hand(house, lines, wire)
    await by_hand.say("Good morning")

    await by_hand.work()

    told = by_hand.provider.last
    assert "mission_create has no field 'titel'; did you mean 'title'?" in told
    assert "there is no tool 'mission_crate'; did you mean 'mission_create'?" in told
    assert "are no JSON" in told and "they were cut off: send them whole" in told
    assert said(await by_hand.lines(), "assistant")[-1] == HELLO.text


async def test_m13_who_errs_for_ever_is_stopped_and_the_conversation_rests(house, wire):  # noqa: F811
    by_hand = await answered_by_hand(house, lambda body: Line(calls=[(f"no_such_{len(body['messages'])}", "{}")]), wire)
    await by_hand.say("Good morning")

    await by_hand.work()

    assert len(by_hand.provider.bodies) == 5
    assert "5 turns in a row failed" in said(await by_hand.lines(), "system")[-1]
    by_hand.provider.lines = [HELLO]
    await by_hand.say("And now?")
    await by_hand.work()
    assert said(await by_hand.lines(), "assistant")[-1] == HELLO.text


# ---- outages


@pytest.mark.parametrize(
    "bad",
    [
        Line(status=500),
        Line(status=529),
        Line(away=True),
        Line(status=429),
        Line(status=429, headers={"retry-after": "40"}),
        Line("Good morning, whoever you may be, here is", cut=True),
    ],
    ids=["500", "529", "refused connection", "429", "429 with a time", "cut stream"],
)
async def test_p6_a_conversation_waits_says_so_and_answers_once_when_it_is_over(house, wire, bad, clock):  # noqa: F811
    by_hand = await answered_by_hand(house, [bad], wire)
    thread = await by_hand.say("Good morning")

    await by_hand.work()

    found = await status(by_hand)
    assert found["state"] == "waiting" and "model (" in found["why"]
    assert any(word in found["why"] for word in ("until", "tried again at", "tries again")), "it says when"
    for _ in range(4):  # two minutes of it
        clock.advance(seconds=30)
        await by_hand.work()
    asked = len(by_hand.provider.bodies)
    assert asked <= 3 * 6, "each try is at most three requests"
    await by_hand.work(3)
    assert len(by_hand.provider.bodies) == asked, "nobody runs against a closed door"

    by_hand.provider.lines = [HELLO]
    clock.advance(minutes=16)
    await by_hand.work()

    lines = await by_hand.lines()
    assert said(lines, "user") == ["Good morning"] and said(lines, "assistant") == [HELLO.text]
    assert (await status(by_hand))["state"] == "ready"
    assert (await by_hand.hq.do("session.show", id=thread))["state"] == "waiting", "the same thread"


async def test_p6_a_hang_ends_by_a_time_out_of_ours(house, wire, monkeypatch):  # noqa: F811
    by_hand = await answered_by_hand(house, [HELLO], wire)

    monkeypatch.setattr("hq.minds.provider.model_request_stream", _Hangs)
    await by_hand.say("Good morning")
    await by_hand.work()

    assert "did not answer within 300 s" in (await status(by_hand))["why"]
    [call] = await by_hand.calls()
    assert call["error"] == "timeout"


async def test_p6_the_card_about_a_model_that_hangs_counts_from_when_it_was_asked(house, wire, monkeypatch):  # noqa: F811
    by_hand = await answered_by_hand(house, [HELLO], wire)
    monkeypatch.setattr("hq.minds.provider.model_request_stream", _Hangs)
    await by_hand.say("Good morning")
    await by_hand.work()

    await by_hand.hq.do("ceo.tick")
    await JobHand(by_hand.hq, "asks").run_once()

    cards = (await by_hand.hq.do("card.list", open=True))["items"]
    assert [each["title"] for each in cards] == ["No model answers just now, and work waits for it"]


async def test_p6_what_is_answered_meanwhile_opens_what_a_hang_has_closed(house, wire, monkeypatch):  # noqa: F811
    by_hand = await answered_by_hand(house, [HELLO], wire)
    await by_hand.say("Good morning")
    await by_hand.work()
    minds: Minds = by_hand.hq.door.services[Minds]
    company = (await by_hand.hq.do("auth.whoami"))["tenant_id"]
    mind = await minds.mind(UUID(company))
    door = mind._links[0].door
    await mind._doors.give_it_time(door, MindDown("it hung", timeout=True))

    await mind._doors.let_through(door)

    assert await mind._doors.closed([door]) == {}


class _Hangs:
    def __init__(self, *args: Any, **more: Any) -> None:
        pass

    async def __aenter__(self) -> None:
        raise TimeoutError

    async def __aexit__(self, *args: Any) -> None:
        return None


async def test_p6_the_next_mind_of_the_policy_is_asked_when_the_first_is_away(house, wire):  # noqa: F811
    by_hand = await answered_by_hand(house, lambda body: HELLO if body["model"] == "second" else Line(status=500), wire)
    await by_hand.hq.do(
        "mind.set", name="other", provider="compatible", model="second", base_url="http://elsewhere.example/v1"
    )
    await by_hand.say("Good morning")
    await by_hand.work()
    await by_hand.say("And again")
    await by_hand.work()

    models = [body["model"] for body in by_hand.provider.bodies]
    assert models[3:] == ["second", "second"], "and the first is left alone for a while"
    assert said(await by_hand.lines(), "assistant") == [HELLO.text] * 2


async def test_p6_the_card_about_a_model_that_is_away_ends_when_it_is_back_and_says_so(house, wire, clock):  # noqa: F811
    by_hand = await answered_by_hand(house, [Line(status=500)], wire)
    hq = by_hand.hq
    await by_hand.say("what time is it")
    for _ in range(6):
        await by_hand.work()
        await hq.do("ceo.tick")
        await JobHand(hq, "asks").run_once()
        clock.advance(seconds=50)
    [card] = [each for each in (await hq.do("card.list", open=True))["items"] if "No model answers" in each["title"]]

    by_hand.provider.lines = [HELLO]
    clock.advance(minutes=3)
    await by_hand.work()
    await JobHand(hq, "asks").run_once()

    assert said(await by_hand.lines(), "assistant")[-1] == HELLO.text
    over = await hq.do("card.show", card=card["id"])
    assert (over["state"], over["became"]) == ("over", "a model answers again")
    assert not (await hq.do("ask.list"))["items"], "nothing waits for the founder"


async def test_p6_what_lasts_is_one_card_whose_buttons_try_again_and_let_the_script_answer(house, wire, clock):  # noqa: F811
    by_hand = await answered_by_hand(house, [Line(status=500)], wire)
    hq = by_hand.hq
    await by_hand.say("what time is it")
    for _ in range(6):
        await by_hand.work()
        await hq.do("ceo.tick")
        clock.advance(seconds=50)
    await hq.do("ceo.tick")

    [card] = [each for each in (await hq.do("card.list"))["items"] if "No model answers" in each["title"]]
    assert [each["key"] for each in card["buttons"]] == ["retry", "script", "ok"] and "chief" in json.dumps(
        card["facts"]
    )
    asked = len(by_hand.provider.bodies)
    await hq.do("mind.retry")
    await by_hand.work()
    assert len(by_hand.provider.bodies) == asked + 3, "at once, and not at its time"

    await hq.do("card.press", card=card["id"], button="script")
    await by_hand.work()

    last = said(await by_hand.lines(), "assistant")[-1]
    assert "model cannot answer just now; until then the script does" in last and "UTC" in last
    by_hand.provider.lines = [HELLO]
    clock.advance(minutes=3)
    await by_hand.say("Good morning")
    await by_hand.work()
    assert said(await by_hand.lines(), "assistant")[-1] == HELLO.text, "the model answers again as soon as it can"


async def test_p6_an_agent_on_its_own_work_waits_too_and_its_time_does_not_run(house, wire, clock):  # noqa: F811
    done = Line('Done. <task-complete reason="looked" memory_entry_count="0"/>')
    by_hand = await answered_by_hand(house, [Line(status=500)], wire)
    session = (await by_hand.hq.do("agent.send", agent="operator", text="Look around."))["session"]
    for _ in range(6):
        await by_hand.work()
        clock.advance(minutes=3)
    shown = await by_hand.hq.do("session.show", id=session)
    assert shown["state"] in ("waiting", "queued")

    by_hand.provider.lines = [done]
    await by_hand.work()

    assert (await by_hand.hq.do("session.show", id=session))["state"] == "done"


# ---- answers that are none


async def test_m13_an_answer_that_was_cut_off_goes_on_without_a_seam(house, wire):  # noqa: F811
    whole = "The harbour was built in 1893 and has three piers, of which the longest reaches out a mile."
    lines = [Line(whole[:50], stop="max_tokens"), Line(whole[30:70], stop="max_tokens"), Line(whole[70:])]
    by_hand = await answered_by_hand(house, lines, wire)
    await by_hand.say("Tell me of the harbour")

    await by_hand.work()

    assert said(await by_hand.lines(), "assistant") == [whole]
    assert len(await by_hand.calls()) == 3, "each is booked"
    assert "go on from there" in by_hand.provider.last
    by_hand.provider.lines = [HELLO]
    await by_hand.say("Good morning")
    await by_hand.work()
    assert "go on from there" not in by_hand.provider.last and whole in by_hand.provider.last


async def test_m13_what_cannot_be_finished_is_told_as_cut(house, wire):  # noqa: F811
    by_hand = await answered_by_hand(house, lambda body: Line(f"and {len(body['messages'])} ", stop="max_tokens"), wire)
    await by_hand.say("Count")

    await by_hand.work()

    [told] = said(await by_hand.lines(), "assistant")
    assert told.endswith('Say "go on" for the rest.)*') and len(by_hand.provider.bodies) == 5


async def test_m13_a_call_that_was_cut_off_is_never_made(house, wire):  # noqa: F811
    half = Line("I open it.", calls=[("mission_create", {"title": "Trip"}), ("mission_create", '{"title": "Tr"}')],
                stop="max_tokens")  # fmt: skip
    by_hand = await answered_by_hand(house, [half, HELLO], wire)
    await by_hand.say("Open two missions")

    await by_hand.work()

    assert [each["title"] for each in (await by_hand.hq.do("mission.list"))["items"]] == ["Trip"]
    assert "cut off in the middle of this call" in by_hand.provider.last


@pytest.mark.parametrize("text", ["", "I will begin to"])
async def test_m13_a_refusal_is_told_once_booked_and_not_asked_again(house, wire, text):  # noqa: F811
    by_hand = await answered_by_hand(house, [Line(text, stop="refusal"), HELLO], wire)
    thread = await by_hand.say("Something dreadful")

    await by_hand.work()

    lines = await by_hand.lines()
    assert len(by_hand.provider.bodies) == 1 and said(lines, "assistant") == []
    [told] = said(lines, "system")
    assert "declined to answer this" in told and "say it in other words" in told and "hq mind set" in told
    [call] = await by_hand.calls()
    assert (call["tokens"], call["error"]) == ("100+10", "declined")
    assert (await status(by_hand))["state"] == "ready"

    assert await by_hand.say("Good morning") == thread
    await by_hand.work()
    assert "Something dreadful" not in by_hand.provider.last, "what was declined is not put to it again"
    assert said(await by_hand.lines(), "assistant") == [HELLO.text]


async def test_m13_what_was_done_before_a_refusal_is_told_with_it(house, wire):  # noqa: F811
    made = Line("I note it.", calls=[("task_create", {"title": "Pay the hangar rent"}), ("task_list", {})])
    by_hand = await answered_by_hand(house, [made, Line("", stop="refusal"), HELLO], wire)
    await by_hand.say("Note that the hangar rent is due, and something dreadful")

    await by_hand.work()

    [told] = said(await by_hand.lines(), "system")
    assert "declined to answer this" in told and told.endswith("Done before that: Create task pay-the-hangar-rent"), (
        told
    )


async def test_m13_an_empty_answer_is_asked_for_once_more_with_a_word(house, wire):  # noqa: F811
    by_hand = await answered_by_hand(house, [Line(), HELLO], wire)
    await by_hand.say("Good morning")
    await by_hand.work()
    assert said(await by_hand.lines(), "assistant") == [HELLO.text]
    assert [(each["tokens"], each["error"]) for each in await by_hand.calls()] == [
        ("100+10", "empty"),
        ("100+10", None),
    ]

    by_hand.provider.lines = [Line()]
    await by_hand.say("Are you there?")
    await by_hand.work()

    assert "answered nothing, twice" in said(await by_hand.lines(), "system")[-1]
    assert len(await by_hand.calls()) == 4

    by_hand.provider.lines = [HELLO]
    await by_hand.say("Hello?")
    await by_hand.work()
    assert "Are you there?" in by_hand.provider.last, "nothing was said against it: it is still there to be answered"


async def test_m13_a_refusal_leaves_out_only_what_it_was_said_to(house, wire):  # noqa: F811
    by_hand = await answered_by_hand(house, [HELLO, Line(), Line(), Line("", stop="refusal"), HELLO], wire)
    for text in ("Good morning", "When is the harbour open?", "Something dreadful", "And now?"):
        await by_hand.say(text)
        await by_hand.work()

    assert "When is the harbour open?" in by_hand.provider.last and "Something dreadful" not in by_hand.provider.last
    assert said(await by_hand.lines(), "assistant")[-1] == HELLO.text


async def test_m13_where_it_is_refused_once_more_what_was_asked_before_is_left_out_too(house, wire):  # noqa: F811
    no = Line("", stop="refusal")
    by_hand = await answered_by_hand(house, [HELLO, Line(), Line(), no, no, HELLO], wire)
    for text in ("Good morning", "Something dreadful", "When is the harbour open?", "And now?", "Well?"):
        await by_hand.say(text)
        await by_hand.work()

    assert "Something dreadful" not in by_hand.provider.last
    assert said(await by_hand.lines(), "assistant")[-1] == HELLO.text
