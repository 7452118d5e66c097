"""Where a message would go: told from examples, on this machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from hq.sessions.routing.router import EXAMPLES, MessageRouter, read_examples

BENCH = Path(__file__).parents[2] / "bench"
HELD_OUT, FRESH, OUTSIDERS = (BENCH / f"route{name}.tsv" for name in ("", "_fresh", "_outsiders"))


@pytest.fixture(scope="module")
def router() -> MessageRouter:
    return MessageRouter()


def test_there_are_enough_examples_and_none_is_in_two_files():
    files = [read_examples(file) for file in (EXAMPLES, HELD_OUT, FRESH, OUTSIDERS)]

    assert sum(map(len, files)) >= 300 and len(files[1]) >= 100
    texts = [text.lower() for file in files for _, text in file]
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize(("file", "least"), [(HELD_OUT, 0.7), (FRESH, 0.9), (OUTSIDERS, 0.8)])
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


@pytest.mark.parametrize(
    "order",
    ["Have Paula write a welcome letter for customers", "Please prepare a one-page price list, then read it to me"],
)
async def test_an_order_is_no_question(router, order):
    route = await router.route(order)

    assert (route.intent, route.mode) == ("mission", "supervisor")


async def test_where_it_would_go_can_be_asked(own_hq):
    told = await own_hq.do("chat.route", text="Find out why the backup failed last night")

    assert told["intent"] == "investigate" and told["mode"] == "supervisor" and "supervisor" in told["says"]
    assert (await own_hq.do("chat.route", text="hi"))["mode"] == "quick"
