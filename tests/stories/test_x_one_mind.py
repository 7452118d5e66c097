"""X10: a conversation, and a mission, stay with one mind, for another has kept nothing of what was said; and no guess is put beside it."""

from __future__ import annotations

import json

from tests.support.provider_by_hand import Line, answered_by_hand, house  # noqa: F401

DONE = 'Done. <task-complete reason="done" memory_entry_count="0"/>'


async def tiers(by_hand, agent: str) -> list[str]:
    """Of each answer of an agent's, in order."""
    sessions = (await by_hand.hq.do("session.list", agent=agent, limit=50))["items"][::-1]
    steps = [step for each in sessions for step in (await by_hand.hq.do("session.replay", id=each["session"]))["items"]]
    return [step["payload"]["chosen"]["tier"] for step in steps if step["kind"] == "mind"]


async def test_x10_a_conversation_stays_with_one_mind_and_no_guess_is_put_beside_what_was_said(house):  # noqa: F811
    by_hand = await answered_by_hand(house, [Line("Well.")])
    for text in ("hi", "What is our price list?", "Find out why the backup failed", "list the missions"):
        await by_hand.say(text)
        await by_hand.work()

    assert await tiers(by_hand, "chief") == ["default"] * 4
    assert len(by_hand.provider.bodies) == 4 and "seems to be" not in json.dumps(by_hand.provider.bodies)


async def test_x10_a_mission_has_one_mind_whatever_wakes_its_agent(house):  # noqa: F811
    """The house's own numbered rules in the brief once made a plan of three steps of every mission."""
    by_hand = await answered_by_hand(house, [Line(DONE)])
    await by_hand.hq.do("agent.create", name="scout", role="Researcher")
    for title in ("Five questions", "Draft the proposal for Acme"):
        made = await by_hand.hq.do("mission.create", title=title, deliverables=["file:x.md"])
        await by_hand.hq.do("mission.assign", ref=made["slug"], to="scout")
        await by_hand.work()
        await by_hand.hq.do("mission.resume", ref=made["slug"], note="Hand it in.")
        await by_hand.work()

    # Each session is asked twice: it says that it is done, and is told that its mission is open.
    assert await tiers(by_hand, "scout") == ["default"] * 4 + ["heavy"] * 4
