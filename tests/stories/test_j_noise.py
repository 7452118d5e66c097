"""J10, J5: what is told beside what was said bears on it, and what the house knows of itself is told only where it is asked for."""

from __future__ import annotations

from tests.support.jobs import JobHand
from tests.support.play import Told, house  # noqa: F401
from tests.support.searching import catch_up
from tests.support.story_worker import worker

REPORT = (
    "New report from agent:rui (message 1):\n<message>Mission five-questions (Five questions) is done.\nOutcome: questions.md holds the "
    "five questions.\nFiles: /home/x; the founder opens it with `hq mission open five-questions` or the card's Open</message>"
)


async def knowing(house) -> None:  # noqa: F811
    """A company that decided some things, and changed its settings."""
    await house.hq.do("mind.set", name="hand", provider="compatible", model="x", base_url="http://models.example/v1")
    await house.hq.do("agent.hire", name="Rui", title="Researcher")
    for text in (
        "The company invoices in euros only.",
        "Clients have 14 days to pay.",
        "Our workshop is closed on Mondays.",
    ):
        await house.hq.do("memory.add", content=text)
    await house.settle()
    await JobHand(house.hq, "capture").run_once()
    await catch_up(house.hq)


async def now(house, about: str) -> str:  # noqa: F811
    return (await house.hq.do("context.show", agent="chief", about=about))["text"].partition("<company-now>")[2]


async def test_j10_nothing_is_recalled_where_nothing_bears_on_what_was_said(house):  # noqa: F811
    await knowing(house)

    for said in ("yes", "Build me a packing list page for my trips.", "How is Rui doing?", REPORT):
        assert "What the company knows" not in await now(house, said), said
    assert "euros only" in await now(house, "In which currency do we invoice, euros?")
    assert "The model that answers is hand." in await now(house, "Which model answers?")


async def test_j5_a_brief_is_given_only_what_bears_on_the_mission(house):  # noqa: F811
    await knowing(house)
    for title in ("Packing list for a trip", "Invoices in euros"):
        await house.hq.do("mission.create", title=title, deliverables=["file:x.md"])

    briefs = []
    for ref in ("packing-list-for-a-trip", "invoices-in-euros"):
        briefs.append((await house.hq.do("mission.brief", ref=ref, to="rui"))["prompt"])

    assert "CONTEXT" not in briefs[0] and "euros only" in briefs[1]
    assert not any("was hired" in each or "model that answers" in each for each in briefs)


async def test_l6_catch_up_says_what_holds_and_no_sort_of_memory(house):  # noqa: F811
    for name in ("one", "two"):
        await house.hq.do("mind.set", name=name, provider="compatible", model="x", base_url="http://models.example/v1")
        await house.settle()
        await JobHand(house.hq, "capture").run_once()

    told = (await house.hq.do("ceo.brief", since="1d"))["text"]

    assert told.count("The model that answers is") == 1 and ": fact" not in told


DECIDED = "Founder decided on Thursday 2026-11-19: everything is hosted at Hetzner in Falkenstein, because customers want their data in Germany."


async def test_j10_who_asks_what_was_decided_is_told_it_in_whichever_words(house):  # noqa: F811
    await knowing(house)
    await house.hq.do("memory.add", content=DECIDED, category="decision")
    await house.hq.do("decision.create", title="Postgres for the shop", decision_md="Ana knows it.", status="accepted")
    await catch_up(house.hq)

    for asked in (
        "Remind me: which cloud provider did we agree on for our machines, and what was the reason?",
        "What did we decide about where our data lies?",
        "Em que fornecedor combinámos pôr as máquinas?",
    ):
        assert "Hetzner" in await now(house, asked), asked
    assert "Postgres for the shop" in await now(house, "What did we settle on for the shop's database?")
    for said in (
        "Prepare a budget for my visit in Lisbon.",
        "We agreed with Ana on a colour.",
        "Decide what you like best.",
    ):
        assert "What the company knows" not in await now(house, said), said


async def test_j5_the_words_of_the_house_around_a_mission_recall_nothing(house):  # noqa: F811
    await knowing(house)
    await house.hq.do("memory.add", content=DECIDED, category="decision")
    await catch_up(house.hq)
    text = "Budget for the founder's customer visit in Lisbon, three nights. In EUR: flight, hotel, transport, meals."
    await house.hq.do("mission.create", title="Lisbon trip budget", description=text, deliverables=["file:budget.md"])
    await house.hq.do("mission.assign", ref="lisbon-trip-budget", to="operator")
    mind = Told(['<task-complete reason="x"/>'])

    await worker(house, mind).run_once()

    assert "Hetzner" not in mind.asked[0].now, mind.asked[0].now
