"""What the company remembers: surer when confirmed, fainter with time, asked where it contradicts itself."""

from __future__ import annotations

import pytest

from hq.memory.similarity import clash
from tests.support.searching import catch_up


async def test_what_is_said_again_is_not_kept_twice_but_surer(hq):
    first = await hq.do("memory.add", content="The launch is in May.", confidence=0.5)
    again = await hq.do("memory.add", content="the launch is in may")

    assert again["slug"] == first["slug"] and again["merged"]
    assert first["confidence"] == 0.5 and again["confidence"] == 0.75


async def test_confidence_fades_until_somebody_confirms_it(hq, clock):
    slug = (await hq.do("memory.add", content="Acme has 40 people.", category="fact"))["slug"]
    clock.advance(days=180)
    assert (await hq.do("memory.show", ref=slug))["confidence"] == 0.5

    await hq.do("memory.confirm", ref=slug)

    assert (await hq.do("memory.show", ref=slug))["confidence"] == 0.75


async def test_a_decision_does_not_fade(hq, clock):
    slug = (await hq.do("memory.add", content="We chose Postgres.", category="decision"))["slug"]
    clock.advance(days=1000)

    assert (await hq.do("memory.show", ref=slug))["confidence"] == 1.0


async def test_what_has_expired_is_not_sure_at_all(hq, clock):
    until = (clock.now().replace(microsecond=0)).isoformat()
    slug = (await hq.do("memory.add", content="The fair is open.", expires=until))["slug"]

    assert (await hq.do("memory.show", ref=slug))["confidence"] == 0


async def test_a_contradiction_is_asked_and_nothing_is_overwritten(hq):
    old = await hq.do("memory.add", content="The launch is in May.")
    new = await hq.do("memory.add", content="The launch is in June.")

    assert (new["status"], new["contradicts"]) == ("pending", old["slug"])
    assert (await hq.do("memory.show", ref=old["slug"]))["status"] == "active"

    await hq.do("proposal.accept", ref=new["question"])

    assert (await hq.do("memory.show", ref=old["slug"]))["status"] == "superseded"
    assert (await hq.do("memory.show", ref=new["slug"]))["status"] == "active"


async def test_an_agents_finding_waits_for_another_to_look_at_it(hq):
    scout = await hq.agent("scout")
    found = await hq.do("memory.add", content="Acme hires in Porto.", _token=scout)
    assert found["status"] == "pending"
    assert (await hq.call("memory.confirm", ref=found["slug"], _token=scout)).error["code"] == "cross_scope_violation"

    await hq.do("memory.confirm", ref=found["slug"], _token=await hq.agent("chief"))

    assert (await hq.do("memory.show", ref=found["slug"]))["status"] == "active"


async def test_put_away_is_not_gone(hq):
    slug = (await hq.do("memory.add", content="Ana likes tea."))["slug"]
    await hq.do("memory.archive", ref=slug)

    assert (await hq.do("memory.show", ref=slug))["content"] == "Ana likes tea."
    assert slug in str(await hq.do("memory.why", ref=slug))


@pytest.mark.parametrize(
    ("one", "other", "clashes"),
    [
        ("The launch is in May.", "The launch is in June.", True),
        ("The founder prefers React over Vue", "The founder prefers Svelte", True),
        ("We use Postgres", "We don't use Postgres", True),
        ("The launch is in May.", "The launch is in May 2027.", False),
        ("The launch is in May.", "The party is in June.", False),
        ("Ana lives in Porto", "Ana works at Acme", False),
        ("Ana likes tea", "Ana likes coffee", False),
    ],
)
def test_what_cannot_both_be_true(one, other, clashes):
    assert clash(one, other) is clashes


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The door of the new office is dark green.", "The door of the new office is dark red."),
        ("We pay Acme 500 dollars a month.", "We pay Acme 900 dollars a month."),
        ("Invoice 1043 was paid by Acme.", "Invoice 1044 was paid by Acme."),
        ("Never deploy on Fridays before the weekend.", "Always deploy on Fridays before the weekend."),
        (
            "The customer Bakery One complained about deliveries.",
            "The customer Bakery Two complained about deliveries.",
        ),
    ],
)
async def test_what_differs_in_a_number_a_name_or_a_no_is_not_taken_for_the_same(hq, one, other):
    first, second = await hq.do("memory.add", content=one), await hq.do("memory.add", content=other)

    assert not second["merged"] and first["slug"] != second["slug"]


async def test_what_is_said_anew_after_its_time_is_kept_again(hq, clock):
    until = clock.now().replace(microsecond=0)
    await hq.do("memory.add", content="The fair is open.", expires=until.isoformat())
    clock.advance(days=1)

    again = await hq.do("memory.add", content="The fair is open.")

    assert not again["merged"] and again["confidence"] == 1.0


async def test_what_is_said_again_with_a_later_end_ends_later(hq, clock):
    day = clock.now().replace(microsecond=0)
    await hq.do("memory.add", content="The fair is open.", expires=(day.replace(year=day.year + 1)).isoformat())
    until = day.replace(year=day.year + 2)

    again = await hq.do("memory.add", content="The fair is open.", expires=until.isoformat())

    assert again["merged"]
    shown = await hq.do("memory.show", ref=again["slug"])
    assert shown["expires_at"] == until.isoformat().replace("+00:00", "Z")


async def test_two_findings_that_contradict_each_other_are_asked_about(hq):
    scout, atlas = await hq.agent("scout"), await hq.agent("atlas")
    first = await hq.do("memory.add", content="Acme is in Lisbon.", _token=scout)
    second = await hq.do("memory.add", content="Acme is in Porto.", _token=atlas)

    assert second["status"] == "pending" and "contradicts" in second and first["slug"] not in str(second)
    (question,) = (await hq.do("ask.list"))["items"]
    await hq.do("proposal.accept", ref=question["slug"])

    assert (await hq.do("memory.show", ref=first["slug"]))["status"] == "superseded"
    assert (await hq.do("memory.show", ref=second["slug"]))["status"] == "active"


async def test_a_finding_that_is_found_again_is_kept_once_and_still_waits(hq):
    scout = await hq.agent("scout")
    first = await hq.do("memory.add", content="Acme is in Lisbon.", _token=scout)

    again = await hq.do("memory.add", content="Acme is in Lisbon", _token=scout)
    assert (again["slug"], again["status"]) == (first["slug"], "pending")

    said = await hq.do("memory.add", content="Acme is in Lisbon.")
    assert (said["slug"], said["status"]) == (first["slug"], "active"), "the founder says so"


async def test_whoever_does_not_see_a_memory_cannot_find_out_by_guessing_it(hq):
    known = await hq.do("memory.add", content="Acme is in Lisbon.")

    guess = await hq.do("memory.add", content="Acme is in Lisbon", _token=await hq.agent("atlas"))

    assert guess["status"] == "pending" and not guess.get("merged") and guess["slug"] != known["slug"]
    assert (await hq.do("memory.show", ref=known["slug"]))["confidence"] == known["confidence"], "nor is it surer now"


async def test_the_founders_word_is_not_held_up_by_a_finding(hq):
    await hq.do("memory.add", content="Acme is in Lisbon.", _token=await hq.agent("scout"))

    said = await hq.do("memory.add", content="Acme is in Porto.")

    assert said["status"] == "active"


async def test_a_finding_cannot_be_confirmed_beside_what_it_contradicts(hq):
    known = await hq.do("memory.add", content="Acme is in Lisbon.")
    found = await hq.do("memory.add", content="Acme is in Porto.", _token=await hq.agent("scout"))

    refused = await hq.call("memory.confirm", ref=found["slug"])

    assert refused.error["code"] == "conflict" and known["slug"] in refused.error["message"]
    await hq.do("memory.replace", old=known["slug"], new=found["slug"])


async def test_an_agent_puts_no_end_to_what_others_said_and_makes_its_own_findings_no_truths(hq):
    for name in ("scout", "atlas"):
        await hq.do("agent.create", name=name, role="Researcher", tools=["memory"])
    scout, atlas = await hq.agent("scout"), await hq.agent("atlas")
    said = await hq.do("memory.add", content="Invoices go to Acme.", category="decision")
    found = await hq.do("memory.add", content="All invoices go to somebody else now.", _token=scout)

    tried = [
        await hq.call("memory.replace", old=said["slug"], new=found["slug"], _token=scout),
        await hq.call("memory.reject", ref=said["slug"], _token=scout),
        await hq.call("memory.archive", ref=said["slug"], _token=scout),
        await hq.call("memory.confirm", ref=found["slug"], _token=atlas),
        await hq.call("memory.reject", ref=found["slug"], _token=atlas),
    ]

    assert [each.error["code"] for each in tried] == ["forbidden"] + ["not_found"] * 4
    assert (await hq.do("memory.show", ref=said["slug"]))["status"] == "active"
    await hq.do("memory.reject", ref=found["slug"], _token=scout)


async def test_what_a_worker_finds_waits_like_a_finding_of_its_agent(hq):
    token = (await hq.do("auth.token", worker="chief"))["token"]

    found = await hq.do("memory.add", content="Acme hires in Porto.", _token=token)

    assert (found["status"], found["source"]) == ("pending", "agent:chief")


async def test_what_was_decided_is_found_as_what_is_remembered_is(hq):
    billed = {
        "title": "Customers are billed in euros only",
        "decision_md": "Other currencies cost more than they bring.",
    }
    decided = await hq.do("decision.create", status="accepted", **billed)
    await hq.do("decision.create", title="Customers are billed in francs", status="proposed")
    kept = await hq.do("memory.add", content="Customers are billed on the first of the month.")
    await catch_up(hq)

    found = (await hq.do("memory.search", query="customers are billed in euros only"))["items"]
    waits = (await hq.do("memory.search", query="customers are billed", status="pending"))["items"]

    assert [each["slug"] for each in found] == [decided["slug"], kept["slug"]]
    assert (found[0]["category"], found[0]["status"], found[0]["confidence"]) == ("decision", "accepted", 1.0)
    assert "cost more than they bring" in found[0]["content"]
    assert [each["content"] for each in waits] == ["Customers are billed in francs"]


async def test_a_decision_that_is_found_says_when_it_was_decided_and_why(hq):
    said = {"context_md": "Our bank takes 3% of every dollar.", "decision_md": "We bill in euro."}
    title = "Invoices are issued in euro only"
    await hq.do("decision.create", title=title, status="accepted", decided_at="2025-03-04", **said)
    await catch_up(hq)

    [found] = (await hq.do("memory.search", query="invoices in dollars or euro"))["items"]

    assert found["decided_at"].startswith("2025-03-04") and found["context"] == said["context_md"]
