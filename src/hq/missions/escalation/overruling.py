"""Overruling: the founder decides otherwise than an agent did. What was decided before holds nowhere any more, and what was made
with it is changed."""

from __future__ import annotations

from dataclasses import dataclass

from hq.asks.types import Escalation
from hq.business.types import Decision
from hq.door.actor import HOUSE_ACTOR
from hq.door.tx import Tx
from hq.errors import Refused
from hq.graph.records import Stored
from hq.graph.view import EdgeFilter, NodeFilter
from hq.memory.discretion import word_on
from hq.memory.types import OrgMemory
from hq.minds.prompt_data import quoted
from hq.missions.brief_decisions import hold_to
from hq.missions.follow_up import ChangeBegun
from hq.missions.life import HANDED_IN
from hq.missions.notice import tell
from hq.missions.parties import agent_name
from hq.missions.types import Mission, MissionMemory
from hq.org.agent import Agent
from hq.sessions.inbound import tell_session
from hq.sessions.thread import founders_thread


@dataclass(frozen=True)
class Overruled:
    """An escalation whose answer the founder changed."""

    ask: Stored[Escalation]
    asker: Stored[Agent]
    mission: Stored[Mission] | None
    before: Escalation
    """As it was answered first."""

    @property
    def told(self) -> str:
        """The question, both answers, and by whom."""
        was, by = quoted(self.before.resolution or ""), (self.before.decided_by or "").removeprefix("agent:")
        what = f"{quoted(self.ask.props.summary)} was answered {was} by {by}"
        return f"{what}. The founder overruled that: {quoted(self.ask.props.resolution or '')}."


async def superseded(tx: Tx, escalation: Stored[Escalation]) -> None:
    """What was decided before no longer holds, nor what was remembered and noted of it."""
    related = [EdgeFilter("spawned_from", escalation.id)]
    for old in await tx.find(NodeFilter(types=[Decision.type], status="accepted", related=related, limit=10)):
        await tx.move(old, "superseded")
    said = word_on(escalation.props.summary, escalation.props.resolution or "")
    for known in await tx.find(NodeFilter(types=[OrgMemory.type], status="active", props={"content": said}, limit=10)):
        await tx.move(known, "superseded")
    mission = (await tx.targets([escalation.id], ["for_mission"])).get((escalation.id, "for_mission"))
    noted = {"kind": "decision", "content": f"{escalation.props.summary} → {escalation.props.resolution}"}
    of_it = [EdgeFilter("for_mission", mission)] if mission else []
    for note in await tx.find(NodeFilter(types=[MissionMemory.type], props=noted, related=of_it, limit=10)):
        await tx.archive(note)


async def overrule(tx: Tx, over: Overruled) -> None:
    """Who is at work goes by the new answer; what was handed in is changed, by who made it. The CEO knows of it."""
    begun = await _changed(tx, over)
    given_up = over.mission is not None and over.mission.status == "failed"
    if begun is None and not given_up:
        stands = f"\nIt was asked for {over.mission.slug}, which is {over.mission.status}." if over.mission else ""
        about = over.mission.id if over.mission else over.ask.id
        await tell(tx, over.asker.id, over.ask, f"overruled: {over.ask.props.summary}", f"{over.told}{stands}", about)
    await _tell_ceo(tx, over, begun)


async def _changed(tx: Tx, over: Overruled) -> ChangeBegun | None:
    """The change of what was handed in; nothing where it is still worked on, or left nothing to change."""
    if over.mission is None or over.mission.status not in HANDED_IN:
        return None
    await _hold_later(tx, over, over.mission)
    if over.mission.status == "failed":  # nobody wants it any more
        return None
    try:
        async with tx.attempted():
            change = {"ref": over.mission.slug, "words": over.told, "instead": True}
            return ChangeBegun.model_validate(await tx.inner("mission.change", change))
    except Refused:
        return None


async def _hold_later(tx: Tx, over: Overruled, mission: Stored[Mission]) -> None:
    """What goes on with it took the old answer over."""
    for link in await tx.links(mission, edge="continues"):
        if link.outward:
            continue
        later = await tx.get(link.other_id, Mission)
        if any(point.question == over.ask.props.summary for point in later.props.decided):
            answer, by = over.ask.props.resolution or "", over.ask.props.decided_by or ""
            later = await hold_to(tx, later, over.ask.props.summary, answer, by)
        await _hold_later(tx, over, later)


async def _tell_ceo(tx: Tx, over: Overruled, begun: ChangeBegun | None) -> None:
    """In the founder's conversation, to know; who answered first is corrected by it."""
    found = await tx.find(NodeFilter(types=[Agent.type], status="active", props={"kind": "ceo"}, limit=1))
    if not found or found[0].slug == agent_name(tx) or (talk := await founders_thread(tx, found[0])) is None:
        return
    comes = f" {begun.slug} changes what was made: {begun.says}." if begun else ""
    text = f"{over.told}{comes}"
    await tell_session(tx, talk, found[0].slug, text, kind="fyi", by=HOUSE_ACTOR)
