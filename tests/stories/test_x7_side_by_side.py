"""X7, story 5 without a model: two things prepared side by side by two agents from one sentence, rolled up on one card and told."""

from __future__ import annotations

import re
from typing import Any

import pytest

from hq.minds.scripted.trip_documents import trip, trip_document
from tests.support.days import Days
from tests.support.jobs import JobHand
from tests.support.sandboxes import MISSING

with_sandbox = pytest.mark.skipif(bool(MISSING), reason=str(MISSING))
WISH = "Prepare a packing list and a budget for the Lisbon trip, in parallel, and give me both"
WHOLE = "the-lisbon-trip-packing-list-and-budget"
TODAY = "2026-11-18"


@pytest.fixture
async def days(own_hq) -> Days:
    made = Days(own_hq)
    await own_hq.do("agent.load")
    await own_hq.do("ceo.quiet", hours="off")
    await made.pass_by()
    return made


async def cards(days: Days, about: str) -> list[dict[str, Any]]:
    await JobHand(days.hq, "heartbeat").run_once()
    await days.pass_by()
    return [each for each in (await days.hq.do("card.list"))["items"] if each.get("about") == about]


@with_sandbox
async def test_x7_two_things_are_prepared_side_by_side_rolled_up_and_told(days: Days):
    hq = days.hq
    told = await days.say(WISH)
    assert "Rowan prepares the packing list, Penny prepares the budget, side by side" in told
    assert len((await hq.do("ask.list"))["items"]) == 2

    told = await days.say("yes to both")

    assert "“Packing list for the Lisbon trip”" in told and "“Budget for the Lisbon trip”" in told
    assert "I leave it" not in told
    assert re.search(r"- \[Budget for the Lisbon trip\]\(/missions/[\w-]+/open\): € 895 in all for 1 person", told), (
        told
    )
    assert re.search(r"- \[Packing list for the Lisbon trip\]\(/missions/[\w-]+/open\): 23 kinds of things", told), told
    done = {row["slug"]: row["status"] for row in (await hq.do("mission.list"))["items"]}
    assert done.pop(WHOLE) == "review" and set(done.values()) == {"done"} and len(done) == 2

    # Two agents, a session each, and both had theirs before either was done.
    worked = [each for each in (await hq.do("session.list"))["items"] if each["agent"] in ("rowan", "penny")]
    assert {each["agent"] for each in worked} == {"rowan", "penny"} and len(worked) == 2
    seen = {verb: (await hq.do("action.list", verb=verb, status="ok"))["items"] for verb in ("mission.assign", "mission.submit")}  # fmt: skip
    assert len(seen["mission.assign"]) == 2
    given, handed = ([each["sequence"] for each in seen[verb]] for verb in ("mission.assign", "mission.submit"))
    assert max(given) < min(handed)

    (card,) = await cards(days, WHOLE)
    assert {"Open", "Files"} <= {each["label"] for each in card["offers"]}
    listed = {each["path"] for each in (await hq.do("mission.files", ref=WHOLE))["items"]}
    assert listed == {
        "packing-list-for-the-lisbon-trip/packing-list.md", "budget-for-the-lisbon-trip/budget.md",
    }  # fmt: skip
    text = (await hq.do("mission.read_file", ref=WHOLE, path="budget-for-the-lisbon-trip/budget.md"))["text"]
    assert "| Where | Lisbon | you |" in text and "| Nights | 3 | **assumed** |" in text

    await hq.do("card.press", card=card["id"], button="accept")
    assert (await hq.do("mission.show", ref=WHOLE))["props"]["status"] == "done"


@with_sandbox
async def test_x7_who_is_here_already_begins_at_once_and_one_thing_is_one_mission(days: Days):
    await days.say(WISH)
    assert "asked you already" in await days.say("Prepare a packing list and a budget for the Porto trip")
    await days.say("yes to both")

    told = await days.say("I need a budget for my Porto trip from 3 to 7 June for two people, at most 2,000 euros.")

    assert "Penny prepares the budget. You get it on a card" in told
    assert (await days.missions())["Budget for the Porto trip"] == "done"
    shown = (await days.hq.do("mission.show", ref="budget-for-the-porto-trip"))["props"]
    assert "€ 1,716 in all for 2 people and 4 nights" in shown["outcome_summary"]
    assert "€ 284 is left of € 2,000" in shown["outcome_summary"]


def amounts(text: str) -> list[int]:
    rows = [[cell.strip(" *") for cell in line.split("|")] for line in text.splitlines() if "€" in line or "$" in line]
    return [int(re.sub(r"\D", "", row[4])) for row in rows if len(row) == 7]


@pytest.mark.parametrize("said", ["", " for 7 people", " for three weeks for 2 people", " for one night, at most $90"])
def test_the_lines_of_a_budget_add_up(said):
    *lines, total = amounts(trip_document(f"Budget for the Lisbon trip{said}", TODAY)["text"])

    assert len(lines) == 7 and sum(lines) == total


@pytest.mark.parametrize(
    ("said", "place", "nights", "travellers", "limit"),
    [
        ("for a weekend trip to Porto for two", "Porto", 2, 2, None),
        ("for our Rome trip, 2027-01-02 to 2027-01-05, 3 adults, at most $900.50", "Rome", 3, 3, 900),
        ("for the Lisbon trip in June", "Lisbon", None, None, None),
        ("for my New York trip, for a week", "New York", 7, None, None),
        ("for the trip to Rio de Janeiro, June 3-9, with €3.000", "Rio de Janeiro", 6, None, 3000),
        ("for the Lisbon conference trip, 28 Dec to 3 Jan", "Lisbon", 6, None, None),
        ("for my work trip", None, None, None, None),
        ("for the Lisbon trip from 31 to 30 June", "Lisbon", None, None, None),
    ],
)
def test_what_was_said_of_a_trip_is_read_and_nothing_else(said, place, nights, travellers, limit):
    known = trip(f"Packing list {said}.", TODAY)

    assert (known.place, known.said_nights, known.said_travellers, known.limit) == (place, nights, travellers, limit)
