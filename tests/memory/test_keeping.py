"""What the company remembers: surer when confirmed, fainter with time, asked where it contradicts itself."""

from __future__ import annotations

import pytest

from hq.memory.likeness import clash


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
    assert (await hq.call("memory.confirm", ref=found["slug"], _token=scout)).error["code"] == "forbidden"

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
