"""L7: the tick's prompt says how things stand and what may be done; what is refused is told."""

from __future__ import annotations

from tests.support.thinking import thinking


async def test_l7_the_prompt_has_philosophy_risk_what_waits_the_budget_and_what_happened(backlog):
    hq = backlog.hq
    await hq.do("onboard.answer", company="Acme", philosophy="Small steps, no debt.", skip=["provider"])
    await hq.do("budget.set", on="company", period="month", usd_hard=40)
    await backlog.approval()
    mind = await thinking(backlog, [])

    [asked] = mind.asked
    system, told = asked.instructions, asked.messages[0].parts[0].content
    assert "Small steps, no debt." in system and "risk tolerance: balanced" in system and "Acme" in system
    assert "mission.assign" in system and '"assign"' in system  # what a button may call, and the actions there are
    assert "approve-entity-merge" in told and "of 40.00 US dollars this month" in told
    assert "scout (Researcher): free" in told and "mission.created research-the-birds" in told


async def test_l7_what_was_refused_is_told_the_next_time(backlog):
    await thinking(backlog, [{"action": "tell", "agent": "nobody", "text": "Go."}])
    await backlog.hq.do("agent.create", name="owl", role="Researcher")
    await backlog.hq.do("mission.create", title="Count the fish")
    mind = await thinking(backlog, [])

    told = mind.asked[0].messages[0].parts[0].content
    assert "refused of what you wanted lately" in told and "nobody" in told
