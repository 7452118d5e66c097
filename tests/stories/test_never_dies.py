"""M1 and J-12: a conversation goes on over every limit and every summary, and each of its calls is made once and as itself."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.provider_by_hand import Answered, Line, answered_by_hand, house  # noqa: F401

pytestmark = pytest.mark.parametrize("wire", ["anthropic", "chat"])
TITLES = [f"Mission {n}" for n in range(8)]


async def opening_missions(house: Any, wire: str, ids: str = "") -> tuple[Answered, list[dict[str, Any]]]:  # noqa: F811
    """The CEO opens one after the other, at a hundred and ten tokens each, of which it may use three hundred in a run."""
    chief = house.folder / "chief" / "agent.md"
    text = chief.read_text()
    cap = next(line for line in text.splitlines() if line.startswith("| tokens_per_run_cap"))
    chief.write_text(text.replace(cap, "| tokens_per_run_cap | 300 |"))
    await house.hq.do("agent.load", agent="chief")
    titles, summaries = iter(TITLES), []

    def answer(body: dict[str, Any]) -> Line:
        if "The context is nearly full" in json.dumps(body["messages"][-2:]):
            summaries.append(body)
            return Line("We open missions, one after the other.")
        title = next(titles, None)
        return Line("All are open.") if title is None else Line(calls=[("mission_create", {"title": title})], ids=ids)

    by_hand = await answered_by_hand(house, answer, wire)
    await by_hand.say("Open eight missions")
    await by_hand.work()
    return by_hand, summaries


async def test_m1_the_tokens_of_a_run_never_end_a_conversation_it_sums_up_says_so_and_goes_on(house, wire):  # noqa: F811
    by_hand, summaries = await opening_missions(house, wire)

    lines = await by_hand.lines()
    assert len(summaries) == 2
    assert [text for _, text in lines if "I have summed up" in text and "tokens so far" in text] != []
    assert lines[-1] == ("assistant", "All are open.")
    assert {each["title"] for each in (await by_hand.hq.do("mission.list"))["items"]} == set(TITLES)


async def test_j12_calls_are_made_though_a_provider_repeats_their_ids(house, wire):  # noqa: F811
    by_hand, summaries = await opening_missions(house, wire, ids="0")

    assert summaries
    assert {each["title"] for each in (await by_hand.hq.do("mission.list"))["items"]} == set(TITLES)
    sent = json.dumps(by_hand.provider.bodies[-1]["messages"])
    assert sent.count("_0_0") <= 2, "once as a call and once with what came back"


async def test_j12_two_calls_of_one_answer_under_one_id_are_both_made(house, wire):  # noqa: F811
    both = [("mission_create", {"title": "One"}), ("mission_create", {"title": "Two"})]
    by_hand = await answered_by_hand(house, [Line(calls=both, one_id=True), Line("Both are open.")], wire)
    await by_hand.say("Open two missions")
    await by_hand.work()

    assert {each["title"] for each in (await by_hand.hq.do("mission.list"))["items"]} == {"One", "Two"}
