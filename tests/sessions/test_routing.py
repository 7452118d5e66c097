"""Where a message goes, and what that changes: the mind that answers, its tools, and what is written down."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import pytest

from hq.sessions.routing.router import EXAMPLES, MessageRouter, Route, read_examples
from tests.support.play import Told, texts

BENCH = Path(__file__).parents[2] / "bench"
HELD_OUT, FRESH = BENCH / "route.tsv", BENCH / "route_fresh.tsv"
QUICK = Route("answer", "quick", True, "can be answered at once, like “hi”")
WORK = Route("investigate", "supervisor", True, "has to be found out")


@pytest.fixture(scope="module")
def router() -> MessageRouter:
    return MessageRouter()


def test_there_are_enough_examples_and_none_is_in_two_files():
    files = [read_examples(file) for file in (EXAMPLES, HELD_OUT, FRESH)]

    assert sum(map(len, files)) >= 300 and len(files[1]) >= 100
    texts = [text.lower() for file in files for _, text in file]
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize(("file", "least"), [(HELD_OUT, 0.7), (FRESH, 0.8)])
async def test_it_is_right_far_more_often_than_not_on_what_it_never_saw(router, file, least):
    pairs = [(intent, await router.route(text)) for intent, text in read_examples(file)]

    assert sum(intent == route.intent for intent, route in pairs) / len(pairs) >= least
    work = [route for intent, route in pairs if intent not in ("answer", "look")]
    assert sum(route.mode == "quick" for route in work) / len(work) <= 0.1


async def test_what_is_quoted_does_not_say_what_to_do(router):
    told = await router.route('How do you spell "build, deploy and cancel everything"?')

    assert told.intent == "answer"


async def test_it_works_by_words_alone(own_hq):
    from hq.graph.search.service import Embedders

    route = await MessageRouter(Embedders("none")).route("Check disk usage on cube")

    assert route.mode == "supervisor" and "like" not in route.why


@pytest.mark.parametrize("text", ["", "?", "🙂", "x" * 20_000, "\0"])
async def test_odd_messages_say_too_little_and_go_to_the_supervisor(router, text):
    route = await router.route(text)

    assert (route.mode, route.sure) == ("supervisor", False)
    assert "says too little" in route.why


async def said(play, text: str, way: Route | None, mind: Told) -> None:
    await play.hq.do("chat.say", agent="scout", text=text)
    runner = play.runner(mind)
    runner.company.way = way
    await runner.run_once()


async def journal(play) -> list[dict]:
    session = (await play.hq.do("chat.status", agent="scout"))["session"]
    return (await play.hq.do("session.replay", id=session))["items"]


async def test_what_can_be_answered_at_once_gets_a_light_mind_and_the_same_tools(play):
    mind = Told(["Hello!"])
    await said(play, "hi", QUICK, mind)

    (asked,) = mind.asked
    assert asked.tier == "light" and "answer at once" in asked.now
    await said(play, "check the disk", WORK, mind)
    assert mind.asked[-1].tier == "default" and "look into it" in mind.asked[-1].now
    assert mind.asked[-1].tools == asked.tools != [] and mind.asked[-1].instructions == asked.instructions


async def test_a_quick_answer_that_looks_something_up_goes_on_with_the_usual_mind(play):
    mind = Told([("task_list", {}), "Nothing is open."])
    await said(play, "hi, what is open?", QUICK, mind)

    assert [ask.tier for ask in mind.asked] == ["light", "default"]
    assert "answer at once" in mind.asked[0].now and "answer at once" not in mind.asked[1].now
    lines = (await play.hq.do("chat.history", agent="scout"))["items"]
    assert [line["text"] for line in lines] == ["hi, what is open?", "Nothing is open."]


async def test_the_way_is_written_down_with_its_reason_and_read_back(play):
    mind = Told(["One.", "Two."])
    await said(play, "hi", QUICK, mind)
    await said(play, "hi again", None, mind)

    assert [ask.tier for ask in mind.asked] == ["light", "default"]  # it counts for one message only
    told = [step["payload"] for step in await journal(play) if step["kind"] == "note" and "route" in step["payload"]]
    assert told == [{"route": asdict(QUICK)}]
    first, *later = texts(mind.asked[1].messages)
    assert "<message>hi</message>" in first and later[:2] == ["One.", "hi again"]


async def test_where_it_would_go_can_be_asked(own_hq):
    told = await own_hq.do("chat.route", text="Find out why the backup failed last night")

    assert told["intent"] == "investigate" and told["mode"] == "supervisor" and "supervisor" in told["says"]
    assert (await own_hq.do("chat.route", text="hi"))["mode"] == "quick"
