"""M1 and J-12: a conversation goes on over every limit and every summary, and each of its calls is made once and as itself."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from typing import Any

import pytest

from hq.minds.tokens import estimate
from tests.support.provider_by_hand import Answered, Line, answered_by_hand, house  # noqa: F401

pytestmark = pytest.mark.parametrize("wire", ["anthropic", "chat"])
TITLES = [f"Mission {n}" for n in range(8)]
RUN = {"anthropic": 300, "chat": 80}
"""What a run may use: three calls, where a provider counts what it kept, and where hq weighs what a cache would have kept."""


async def limited(house: Any, tokens: int) -> None:  # noqa: F811
    """The CEO may use so many in a run."""
    chief = house.folder / "chief" / "agent.md"
    text = chief.read_text()
    cap = next(line for line in text.splitlines() if line.startswith("| tokens_per_run_cap"))
    chief.write_text(text.replace(cap, f"| tokens_per_run_cap | {tokens} |"))
    await house.hq.do("agent.load", agent="chief")


async def opening_missions(
    house: Any,  # noqa: F811
    wire: str,
    ids: str = "",
    by_hand: Answered | None = None,
    summary: Sequence[Line] = (Line("We open missions, one after the other."),),
) -> tuple[Answered, list[dict[str, Any]]]:
    """The CEO opens one after the other, of which it may pay for three in a run."""
    await limited(house, RUN[wire])
    titles, summaries = iter(TITLES), []

    def answer(body: dict[str, Any]) -> Line:
        if "Sum up the whole conversation" in json.dumps(body["messages"][-2:]):
            summaries.append(body)
            return summary[min(len(summaries), len(summary)) - 1]
        title = next(titles, None)
        return Line("All are open.") if title is None else Line(calls=[("mission_create", {"title": title})], ids=ids)

    by_hand = by_hand or await answered_by_hand(house, [], wire)
    by_hand.provider.lines = answer
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


def sent(body: dict[str, Any]) -> list[tuple[str, str]]:
    """Who said what, paragraph by paragraph, as the provider gets it."""
    found: list[tuple[str, str]] = []
    for message in body["messages"]:
        content = message.get("content") or []
        for each in [{"text": content}] if isinstance(content, str) else content:
            if "text" in each:
                found += [(message["role"], text) for text in each["text"].split("\n\n")]
    return found


async def incidents(by_hand: Answered, agent: str = "chief") -> list[dict[str, Any]]:
    found = (await by_hand.hq.do("agent_incident.list"))["items"]
    shown = [await by_hand.hq.do("agent_incident.show", ref=each["slug"]) for each in found]
    return [each for each in shown if agent in json.dumps(each)]


async def test_m1_what_is_said_after_a_summary_is_answered_too(house, wire):  # noqa: F811
    by_hand, summaries = await opening_missions(house, wire)
    assert summaries

    by_hand.provider.lines = [Line("Eight of them.")]
    await by_hand.say("How many are open?")
    await by_hand.work()

    assert (await by_hand.lines())[-1] == ("assistant", "Eight of them.")


async def test_m1_what_is_being_answered_and_what_was_said_last_stay_word_for_word(house, wire):  # noqa: F811
    by_hand = await answered_by_hand(house, [Line("Good morning."), Line("Blue it is.")], wire)
    for text in ("Good morning", "Our colour is blue"):
        await by_hand.say(text)
        await by_hand.work()

    by_hand, summaries = await opening_missions(house, wire, by_hand=by_hand)

    said = sent(by_hand.provider.bodies[-1])
    assert ("user", "Open eight missions") in said, "the founder's own words"
    assert ("user", "Our colour is blue") in said and ("assistant", "Blue it is.") in said
    assert len([text for _, text in said if text.startswith("What happened so far")]) == 1, (
        "the last summary has them all"
    )
    asked = json.dumps(summaries[0]["messages"][-2:])
    assert "whole conversation" in asked and "context is nearly full" not in asked and f"{RUN[wire]} tokens" in asked


async def test_m1_a_summary_is_text_and_no_call(house, wire):  # noqa: F811
    by_hand, summaries = await opening_missions(
        house, wire, summary=[Line(calls=[("mission_list", {})]), Line("Missions were opened.")]
    )

    assert [body.get("tool_choice") for body in summaries[:2]] == (
        [{"type": "auto"}, {"type": "none"}] if wire == "anthropic" else ["none", "none"]
    )
    assert any("What happened so far:\nMissions were opened." in text for _, text in sent(by_hand.provider.bodies[-1]))


async def test_m1_where_no_summary_comes_it_goes_on_with_what_is_known_to_be_done(house, wire):  # noqa: F811
    by_hand, _ = await opening_missions(house, wire, summary=[Line(calls=[("mission_list", {})])])

    assert (await by_hand.lines())[-1] == ("assistant", "All are open.")
    assert any("Create mission mission-0" in text for _, text in sent(by_hand.provider.bodies[-1]))


async def test_m1_a_history_that_a_provider_refuses_is_left_and_the_talk_goes_on_by_itself(house, wire):  # noqa: F811
    by_hand = await answered_by_hand(house, [Line(calls=[("mission_list", {})]), Line("None is open.")], wire)
    await by_hand.say("What is open?")
    await by_hand.work()

    by_hand.provider.lines = lambda body: (
        Line(status=400) if "mission_list" in str(body["messages"]) else Line("Still none.")
    )
    await by_hand.say("And now?")
    await by_hand.work()

    lines = await by_hand.lines()
    assert lines[-1] == ("assistant", "Still none.")
    assert len([text for _, text in lines if "HTTP 400" in text]) == 1, "it says why, once"
    said = sent(by_hand.provider.bodies[-1])
    assert (
        any("What is open?" in text for _, text in said)
        and ("assistant", "None is open.") in said
        and ("user", "And now?") in said
    )
    before = len(by_hand.provider.bodies)
    await by_hand.say("Thanks")
    await by_hand.work()
    assert len(by_hand.provider.bodies) == before + 1
    assert await incidents(by_hand) == []


async def test_m1_what_a_provider_refuses_whatever_was_said_is_one_incident(house, wire):  # noqa: F811
    by_hand = await answered_by_hand(house, [Line(status=400)], wire)
    for text in ("Good morning", "And now?", "Hello?"):
        await by_hand.say(text)
        await by_hand.work()

    told = [text for role, text in await by_hand.lines() if role == "system"]
    assert len(told) == 3 and "HTTP 400" in told[-1]
    assert len(await incidents(by_hand)) == 1


async def test_m1_what_a_run_may_use_binds_an_open_conversation_from_its_next_turn(house, wire):  # noqa: F811
    by_hand = await answered_by_hand(house, [Line("Good morning.")], wire)
    await by_hand.say("Good morning")
    await by_hand.work()

    await by_hand.hq.do("agent.update", ref="chief", tokens_per_run_cap=RUN[wire])
    looks = [Line(calls=[("mission_list", {"limit": n + 1})]) for n in range(4)]
    by_hand.provider.lines = [Line(), *looks, Line("Nothing is open.")]
    await by_hand.say("Look around")
    await by_hand.work()

    assert any("I have summed up" in text for _, text in await by_hand.lines())


async def test_what_came_of_a_call_names_it_and_what_was_taken_back_is_no_news(house, wire):  # noqa: F811
    mara, bruna = ({"name": name, "role": "developer", "about": "Builds web pages"} for name in ("Mara", "Bruna"))
    again = [("hq", {"command": "ask withdraw approve-agent-hire"}), ("agent_hire", bruna)]

    def answer(body: dict[str, Any]) -> Line:
        told = json.dumps(body["messages"])
        if "call her Bruna" not in told:
            return Line("Asked.") if "waiting for approval" in told else Line(calls=[("agent_hire", mara)])
        if "Bruna" not in told.partition("call her Bruna")[2]:
            return Line(calls=[(again[0][0], {"command": f"ask withdraw {slug}"}), again[1]])
        return Line("Asked anew.")

    by_hand = await answered_by_hand(house, answer, wire)
    await by_hand.say("Hire a developer")
    await by_hand.work()
    [ask] = (await by_hand.hq.do("approval.list", status="pending"))["items"]
    slug = ask["slug"]
    await by_hand.say("call her Bruna")
    await by_hand.work(2)
    assert "was cancelled" not in by_hand.provider.last
    before = len(by_hand.provider.bodies)

    [ask] = (await by_hand.hq.do("approval.list", status="pending"))["items"]
    await by_hand.hq.do("approval.reject", ref=ask["slug"], note="not today")
    await by_hand.work(2)

    assert len(by_hand.provider.bodies) == before + 1
    said = " ".join(text for _, text in sent(by_hand.provider.bodies[-1]))
    assert "Your call agent_hire {" in said and "not today" in said and "was cancelled" not in said


@pytest.mark.parametrize("more", [[], ["Hello? What happened?"]])
async def test_d1_a_word_to_a_ceo_whose_budget_is_used_up_is_kept_and_a_yes_frees_it(house, wire, more):  # noqa: F811
    by_hand = await answered_by_hand(house, [Line("Good morning.")], wire)
    await by_hand.say("Good morning")
    await by_hand.work()
    await by_hand.hq.do("budget.set", on="chief", tokens_hard=200)
    asked = ["How many of us are there?", *more]
    for text in asked:
        await by_hand.say(text)
        await by_hand.work()
        told = await by_hand.hq.do("chat.status")
        assert told["state"] == "waiting" and "of 200 tokens today" in told["why"], "it says why"

    by_hand.provider.lines = [Line("Two of us.")]
    for _ in range(1 + len(more)):  # a bare yes counts for what was put last: with words between, the house asks first
        items = (await by_hand.hq.do("chat.history", agent="chief"))["items"]
        assert [each for each in items if each.get("card")], "the card stands there"
        said = await by_hand.hq.do("chat.say", agent="chief", text="yes", shown=items[-1]["id"])
    assert "Taken as your answer" in said["house"]
    await by_hand.work(3)

    assert (await by_hand.lines())[-1] == ("assistant", "Two of us.")
    last, lines = by_hand.provider.last, [text for _, text in await by_hand.lines()]
    assert all(text in lines and text in last for text in asked)
    assert (await by_hand.hq.do("agent.show", ref="chief"))["props"]["status"] == "active"


async def test_d5_turns_alternate_and_what_was_sent_stays_how_the_next_request_begins(house, wire):  # noqa: F811
    looks = [Line("Looking.", calls=[("mission_list", {"limit": 2})]), Line("None is open."), Line("Still none.")]
    by_hand = await answered_by_hand(house, looks, wire)
    for text in ("What is open?", "And now?"):
        await by_hand.say(text)
        await by_hand.say("Be brief.")
        await by_hand.work()
    assert len(by_hand.provider.bodies) == 3
    if wire == "anthropic":  # it joins turns itself, and test_x_prefix holds how they begin
        return
    for before, after in itertools.pairwise(body["messages"] for body in by_hand.provider.bodies):
        *kept, last = before
        words = last["content"].partition("<company-now>")[0].rstrip()
        assert after[: len(kept)] == kept
        assert not words or after[len(kept)]["content"].startswith(words)


async def summing(house: Any, wire: str, summaries: list[Line], looks: int) -> tuple[Answered, list[dict[str, Any]]]:  # noqa: F811
    """The founder said two things, and has something looked up that takes so many calls; the requests for a summary."""
    by_hand = await answered_by_hand(house, [Line("Good morning."), Line("Noted.")], wire)
    for text in ("Good morning", "The hangar costs 900 EUR"):
        await by_hand.say(text)
        await by_hand.work()
    await limited(house, RUN[wire])
    asked, many = [], iter(range(looks))

    def answer(body: dict[str, Any]) -> Line:
        if "Sum up the whole conversation" in json.dumps(body["messages"][-2:]):
            asked.append(body)
            return summaries[min(len(asked), len(summaries)) - 1]
        look = next(many, None)
        return Line("Found.") if look is None else Line("Looking.", calls=[("mission_list", {"limit": look + 1})])

    by_hand.provider.lines = answer
    await by_hand.say("Look it up")
    await by_hand.work()
    return by_hand, asked


async def test_d2_a_summary_that_fails_loses_nothing_and_is_made_up_for_the_next_time(house, wire):  # noqa: F811
    empty, whole = [Line(), Line()], Line("The hangar is 900 EUR, many looks.")
    by_hand, asked = await summing(house, wire, [Line("Rent: 900 EUR."), *empty, whole], looks=12)

    told = [text for _, text in await by_hand.lines()]
    assert len([text for text in told if "I have summed up" in text]) >= 2
    assert len([text for text in told if "I could not sum up" in text]) == 1
    assert told[-1] == "Found."
    assert "Write the text that was asked for." in json.dumps(asked[2]["messages"]) and "call a tool" not in json.dumps(
        asked[2]["messages"]
    )
    after = next(body for body in by_hand.provider.bodies if "No summary could be written" in json.dumps(body))
    texts = [text for _, text in sent(after)]
    assert any("Rent: 900 EUR." in text for text in texts), "the summary of before"
    assert any("The hangar costs 900 EUR" in text for text in texts) and any("Look it up" in text for text in texts)
    again = json.dumps(asked[3]["messages"])
    assert "No summary could be written" not in again and again.count("mission_list") > 2, "it reads what was left out"
    assert "No summary could be written" not in by_hand.provider.last and "many looks" in by_hand.provider.last


async def test_d4_a_summary_stands_first_and_last_what_is_still_to_be_answered(house, wire):  # noqa: F811
    by_hand, _ = await summing(house, wire, [Line("Summed up.")], looks=8)

    said = [(role, text) for role, text in sent(by_hand.provider.bodies[-2]) if role != "system"]
    text = [each.partition("<company-now>")[0] for _, each in said]
    first = next(n for n, each in enumerate(text) if each.startswith("What happened so far:\nSummed up."))
    assert {role for role, _ in said[: first + 1]} == {"user"}
    assert not any("Good morning" in each for each in text[:first]), "no message whose answer is gone"
    order = [text.index(each) for each in ("The hangar costs 900 EUR", "Noted.", "Look it up")]
    assert first < order[0] < order[1] < order[2]
    looked = next((n for n, (role, _) in enumerate(said) if n > order[2] and role == "assistant"), len(said))
    assert all(not each or each.startswith("<") or n >= looked for n, each in enumerate(text) if n > order[2]), text


@pytest.mark.parametrize("cap", [6_000, 30_000])
async def test_d3_what_stays_beside_a_summary_is_a_share_of_what_a_run_may_use(house, wire, cap):  # noqa: F811
    number = iter(range(1, 100))
    by_hand = await answered_by_hand(house, lambda body: Line("Noted: " + "word " * 60), wire)
    for n in range(1, 31):
        await by_hand.say(f"Fact {n}: " + "detail " * 60)
        await by_hand.work()
    await limited(house, cap)
    asked = []

    def answer(body: dict[str, Any]) -> Line:
        if "Sum up the whole conversation" in json.dumps(body["messages"][-2:]):
            asked.append(body)
            return Line("Thirty facts.")
        return Line(calls=[("mission_list", {"limit": next(number)})]) if len(asked) < 2 else Line("Found.")

    by_hand.provider.lines = answer
    by_hand.provider.counts = lambda body: {"input_tokens": cap // 2, "output_tokens": 10}
    await by_hand.say("Look it up")
    await by_hand.work()

    assert len(by_hand.provider.bodies) - 30 >= 2 * 2 + len(asked), "not in every call"
    last = by_hand.provider.last
    kept = {n for n in range(1, 31) if f"Fact {n}: " in last}
    answered = last.count("Noted: ")
    assert kept == set(range(31 - len(kept), 31)), "the newest"
    size = estimate("Noted: " + "word " * 60) + estimate("Fact 1: " + "detail " * 60)
    assert answered * size > cap // 4 or answered == 30
    assert answered < len(kept) or answered == 30, "the founder's own words reach further back"
