"""J1: what the company remembers, from where it comes to whom it reaches."""

from __future__ import annotations

import json

from tests.support.jobs import JobHand
from tests.support.play import Told, house, route  # noqa: F401
from tests.support.searching import catch_up
from tests.support.story_worker import worker
from tests.support.supervised import announced

HEARD = {"content": "The launch is in May.", "category": "decision", "confidence": 0.9}
DONE = 'Done. <task-complete reason="done" memory_entry_count="0"/>'


async def test_j1_a_memory_has_source_confidence_tags_and_an_end_and_is_found_by_its_meaning(house):  # noqa: F811
    hq = house.hq
    until = hq.clock.now().replace(microsecond=0, year=hq.clock.now().year + 1)
    kept = await hq.do(
        "memory.add", content="Our accountant is Ana.", category="fact", tags=["people"], expires=until.isoformat()
    )
    await hq.do("memory.add", content="Tulips are planted in October.")
    await catch_up(hq)

    shown = await hq.do("memory.show", ref=kept["slug"])
    found = (await hq.do("memory.search", query="Who handles the accounting for us?"))["items"]

    assert shown["tags"] == ["people"] and shown["source"] and shown["confidence"] == 1
    assert shown["expires_at"].startswith(str(until.year)) and found[0]["content"] == "Our accountant is Ana."
    hq.clock.advance(days=180)
    assert (await hq.do("memory.show", ref=kept["slug"]))["confidence"] == 0.5
    await hq.do("memory.confirm", ref=kept["slug"])
    assert (await hq.do("memory.show", ref=kept["slug"]))["confidence"] > 0.5


async def test_j1_what_the_founder_said_is_kept_after_the_conversation_and_told_at_the_next_turn(house):  # noqa: F811
    hq = house.hq
    mind = Told(lambda ask: json.dumps({"memories": [HEARD]}) if ask.purpose == "remember" else "Noted.")
    await hq.do("chat.say", text="We settled it: we go live in May.")
    await worker(house, mind).run_once()
    hq.clock.advance(minutes=11)
    await route(hq)
    await worker(house, mind).run_once()
    await catch_up(hq)

    await hq.do("chat.say", text="When does the launch happen?")
    await worker(house, mind).run_once()

    assert [item["content"] for item in (await hq.do("memory.list"))["items"]] == [HEARD["content"]]
    assert HEARD["content"] in mind.asked[-1].now


async def test_j1_settings_skills_and_hires_are_kept_by_themselves(house):  # noqa: F811
    hq = house.hq
    await hq.do("budget.set", on="company", period="month", usd_hard=50)
    await hq.do("skill.disable", skill="disk-health")
    await hq.do("skill.enable", skill="disk-health")
    await hq.do("agent.hire", name="Forge", title="Developer", role="Engineer")
    await announced(hq)
    await JobHand(hq, "capture").run_once()

    kept = [item["content"] for item in (await hq.do("memory.list", limit=50))["items"]]

    assert "The budget of the company is at most $50.00 a month." in kept
    assert "Forge was hired as Engineer." in kept
    assert any(each.startswith("The skill disk-health is enabled") for each in kept), kept


async def test_j1_a_finding_waits_for_the_ceo_and_reaches_only_those_it_is_curated_for(house):  # noqa: F811
    hq = house.hq
    for name in ("scout", "atlas"):
        await hq.do("agent.create", name=name, role="Researcher")
    scout = await hq.agent("scout", scopes=["read", "write"])
    found = await hq.do("memory.add", content="Acme pays late, always ask for a deposit.", _token=scout)
    assert found["status"] == "pending"
    await hq.do("memory.confirm", ref=found["slug"], _token=await hq.agent("chief", scopes=["read", "write"]))
    await hq.do("mission.create", title="Offer for Acme: ask whether Acme pays a deposit", deliverables=["file:a.md"])
    await catch_up(hq)
    await hq.do("mission.assign", ref="offer-for-acme-ask-whether-acme-pays-a-deposit", to="atlas")
    mind = Told([DONE])
    await worker(house, mind).run_once()

    curated, *_ = [ask for ask in mind.asked if "On a mission." in ask.instructions]
    assert "pays late" in str(curated.messages), "what the brief says for the mission"
    await hq.do("agent.send", agent="scout", text="Does Acme pay late?")
    other = Told([DONE])
    await worker(house, other).run_once()
    assert "pays late" not in f"{other.asked[0].instructions}{other.asked[0].messages}{other.asked[0].now}"
