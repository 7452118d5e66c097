"""X10 and P20: stories answered by hand are kept as recordings, and each call in them still fits, on both wires."""

from __future__ import annotations

import json

import pytest

from tests.stories.replay import RECORDINGS, recording, replay
from tests.support.provider_by_hand import Line, answered_by_hand, house  # noqa: F401


@pytest.mark.parametrize("wire", ["anthropic", "chat"])
@pytest.mark.parametrize("name", sorted(path.stem for path in RECORDINGS.glob("*.json")))
async def test_x10_what_was_recorded_still_fits(house, name, wire):  # noqa: F811
    by_hand, wrong = await replay(house, recording(name), wire)

    assert not wrong, "\n".join(wrong)
    assert not any(by_hand.provider.lines.left.values()), "all of it was asked for"


async def test_x10_story_1_a_wish_becomes_a_page_on_a_card_that_the_founder_opens(house):  # noqa: F811
    by_hand, wrong = await replay(house, recording("tracker"), "anthropic")
    hq = by_hand.hq

    assert not wrong, "\n".join(wrong)
    assert (await hq.do("mission.show", ref="flight-tracker"))["props"]["status"] == "done"
    page = (await hq.do("mission.read_file", ref="flight-tracker", path="index.html"))["text"]
    assert "flights.find((f) => new Date(f.at) >= new Date())" in page, "its own mistake is mended"
    cards = {each["title"]: each for each in (await hq.do("card.list"))["items"]}
    assert cards["Flight tracker is done"]["offers"][0]["command"] == "hq mission open flight-tracker"
    work = [body for body in by_hand.provider.bodies if "You are **" in json.dumps(body)]
    assert len(work) <= 15, "as the goal of story 1 has it"


async def test_x10_story_3_is_answered_in_one_call_from_what_is_known(house):  # noqa: F811
    recorded = recording("decided")
    by_hand, _ = await replay(house, recorded, "anthropic")

    turns = recorded["sessions"][0]["turns"]
    asked = next(n for n, turn in enumerate(turns) if "What did we decide" in turn.get("said", ""))
    answers = next(n for n, turn in enumerate(turns[asked + 1 :]) if "said" in turn)
    assert answers == 1
    assert "Postgres" in [text for who, text in await by_hand.lines() if "Postgres, because" in text][-1]
    told = next(body for body in by_hand.provider.bodies if "What did we decide" in json.dumps(body["messages"][-2:]))
    assert "The shop uses Postgres" in json.dumps(told["messages"][-2:]), "it was told before it had to look"


async def test_x10_story_5_two_agents_work_side_by_side_and_the_founder_gets_both(house):  # noqa: F811
    by_hand, wrong = await replay(house, recording("parallel"), "anthropic")
    hq = by_hand.hq

    assert not wrong, "\n".join(wrong)
    missions = {each["slug"]: each["status"] for each in (await hq.do("mission.list"))["items"]}
    assert missions == {"lisbon-packing-list": "done", "lisbon-budget": "done"}
    budget = (await hq.do("mission.read_file", ref="lisbon-budget", path="budget.md"))["text"]
    amounts = [
        int(row.split("|")[2])
        for row in budget.splitlines()
        if row.startswith("| ") and row.split("|")[2].strip().isdigit()
    ]
    assert sum(amounts) == 1070 and "**1,070**" in budget, "its own mistake is mended"
    assert (
        "- [ ] Rain jacket"
        in (await hq.do("mission.read_file", ref="lisbon-packing-list", path="packing-list.md"))["text"]
    )
    asked = [next(name for name in ("chief", "scribe", "ledger") if f"You are **{name}**" in json.dumps(body))
             for body in by_hand.provider.bodies]  # fmt: skip
    first = {name: asked.index(name) for name in ("scribe", "ledger")}
    last = {name: len(asked) - asked[::-1].index(name) for name in ("scribe", "ledger")}
    assert max(first.values()) < min(last.values()), "neither waits for the other"
    told = (await by_hand.lines())[-1][1]
    assert "Packing list" in told and "€1,070" in told
    assert asked.count("chief") == 6 and len(asked) <= 15


async def test_x10_a_call_that_no_longer_fits_is_named_with_what_is_wrong(house):  # noqa: F811
    recorded = recording("decided")
    kept = recorded["sessions"][0]["turns"][2]["calls"][1]
    kept["args"] = {"content": "The shop uses Postgres.", "kind_of": "decision"}
    recorded["sessions"][0]["turns"][2]["calls"][0] = {"tool": "decision_make", "args": {"title": "Postgres"}}

    _, wrong = await replay(house, recorded, "anthropic")

    assert len(wrong) == 2
    assert wrong[0].startswith('chief\'s answer 2 calls decision_make {"title": "Postgres"}: there is no tool')
    assert "chief's answer 2 calls memory_add" in wrong[1] and "memory_add has no field 'kind_of'" in wrong[1]


async def test_p20_a_recording_holds_no_secret_and_is_the_founder_s_alone(house):  # noqa: F811
    by_hand = await answered_by_hand(house, [Line("I keep hunter2-and-more as you say, and sk-ant-abcdefghijklmnop.")])
    hq = by_hand.hq
    await hq.do("vault.set", name="shop", value="hunter2-and-more")
    await by_hand.say("My password is hunter2-and-more")
    await by_hand.work()

    told = await hq.do("mind.record", session="chief", since="1h")

    assert (told["sessions"], told["answers"]) == (1, 1)
    assert "I keep … as you say" in told["document"] and "My password is …" in told["document"]
    assert "hunter2" not in told["document"]
    refused = await hq.call("mind.record", _token=await hq.agent("chief"))
    assert refused.error["code"] in ("forbidden", "cross_scope_violation")
