"""Dependencies: missions that waited for others start when the last of those is done, with the brief they were
given."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from hq.door.access import HOUSE
from hq.door.results import Row, row
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, first, verb
from hq.graph.records import Stored
from hq.graph.view import EdgeFilter, NodeFilter
from hq.missions.briefs.prompt import prompt_of
from hq.missions.parties import parties
from hq.missions.types import Brief, Mission
from hq.missions.work_start import begin_work, live_sessions, waits_on
from hq.org.agent import Agent


async def wake_if_ready(tx: Tx, mission: Stored[Mission]) -> UUID | None:
    """Begin work that was assigned and has nothing left to wait for. Woken twice it begins once."""
    target = tx.target
    who = await parties(tx, mission.id)
    tx.target = target
    if mission.status != "assigned" or who.assignee is None:
        return None
    if await waits_on(tx, mission) or await live_sessions(tx, mission):
        return None
    agent: Stored[Any] = await tx.get(who.assignee)
    briefs = await tx.find(NodeFilter(types=[Brief.type], related=[EdgeFilter("for_mission", mission.id)], limit=1))
    if not briefs or not isinstance(agent.props, Agent) or agent.props.status != "active":
        return None
    text = await prompt_of(tx, mission, briefs[0], agent)
    session = await begin_work(tx, mission, agent, text, brief=briefs[0].slug)
    tx.emit("mission.woken", id=str(mission.id), slug=mission.slug, agent=agent.slug, session=str(session))
    return session


class MissionWakeArgs(Args):
    """Which one."""

    ref: Ref = first()
    """Slug of the mission."""


@verb("mission.wake", "write", for_=HOUSE, internal=True, target="ref")
async def wake(tx: Tx, args: MissionWakeArgs) -> Row:
    """Begin an assigned mission whose dependencies are finished, by the house."""
    mission = await tx.get(args.ref, Mission)
    tx.target = mission
    await wake_if_ready(tx, mission)
    return row(mission)


VERBS = (wake,)
