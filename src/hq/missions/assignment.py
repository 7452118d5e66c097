"""`hq mission assign`: a mission is given to an agent with a brief, in a session of its own, in a workspace."""

from __future__ import annotations

from dataclasses import dataclass, replace
from uuid import UUID

from pydantic import Field

from hq.door.access import STAFF, Touch, within_organisation
from hq.door.tx import Tx
from hq.door.verb import CostForecast, Ref, Result, first, verb
from hq.errors import Refused
from hq.graph.records import Stored
from hq.graph.store import NewLink
from hq.guard.forecast import of_work
from hq.memory.types import OrgMemory
from hq.memory.verbs import curated
from hq.missions.briefs.prompt import prompt_of
from hq.missions.briefs.steps import Wishes, assemble
from hq.missions.briefs.verbs import BriefContentArgs
from hq.missions.completion import brief_of
from hq.missions.life import IN_HAND
from hq.missions.loans import lend
from hq.missions.notice import tell
from hq.missions.parties import Parties, caller_node, check_open, parties
from hq.missions.start_offer import drop_ask, resting
from hq.missions.suspension import stop_sessions
from hq.missions.types import Brief, Mission
from hq.missions.work_start import begin_work, ensure_workspace, hand_over, live_sessions, waits_on
from hq.org.agent import Agent

MANY = 20
"""Parts that rest of which it is asked whether they may begin."""


class MissionAssignArgs(BriefContentArgs):
    """Which mission, to whom, and on what terms."""

    ref: Ref = first()
    """Slug of the mission."""


class Assigned(Result):
    slug: str
    id: str
    status: str
    agent: str
    why: str
    """Why this agent."""
    brief: str
    session: str | None = None
    """The session that was opened; none while it has to wait for other work."""
    waits_on: list[str] = Field(default_factory=list)
    """What has to be finished first; the session opens by itself then."""


async def _cost(tx: Tx, args: MissionAssignArgs) -> CostForecast:
    return await of_work(tx, limit=(await tx.get(args.ref, Mission)).props.cost_limit)


@verb(
    "mission.assign",
    "write",
    shows=("to", "note"),
    on_card=True,
    for_=STAFF,
    touches=(Touch("ref", "mission", operator="own", bars=True), within_organisation("to")),
    forecast=_cost,
    emits="mission.assigned",
    target="ref",
    examples=[{"ref": "flight-tracker", "to": "forge"}],
    text="assigned {slug} to {agent}, who {why}[; it starts when {waits_on} is done]",
)
async def assign(tx: Tx, args: MissionAssignArgs) -> Assigned:
    """Give a mission to an agent, or to the one that fits best: with a brief, a workspace and a session of its own."""
    who = await parties(tx, args.ref)
    if who.mission.status == "done":
        check_open(who)
    # A step of another call, such as a hire, was not asked about skills; one that was approved was.
    enables = not tx.call.inside or tx.call.approval_id is not None
    given = await give(tx, who, replace(args.wishes(), enables=enables))
    tx.target = given.mission
    return Assigned(
        slug=given.mission.slug,
        id=str(given.mission.id),
        status=given.mission.status or "",
        agent=given.agent.slug,
        why=given.why,
        brief=given.brief.slug,
        session=str(given.session) if given.session else None,
        waits_on=given.waits_on,
    )


@dataclass(frozen=True)
class AssignmentTerms:
    mission: Stored[Mission]
    agent: Stored[Agent]
    brief: Stored[Brief]
    why: str
    session: UUID | None
    waits_on: list[str]


async def give(tx: Tx, who: Parties, wishes: Wishes) -> AssignmentTerms:
    """Steps 1 to 8 of a brief, and what they lead to. Whoever had the mission before is stopped."""
    mission = who.mission
    for part in (await resting(tx, mission))[:MANY]:
        await tx.check_state(part, part.status)  # who gives out the whole lets its parts begin
    made = await assemble(tx, who, wishes)
    agent = made.agent
    if agent is None:
        raise Refused.conflict(
            f"nobody here can do {mission.slug}: {made.why}",
            hint="`hq agent hire` brings somebody in; --to gives it to one all the same",
        )
    if not wishes.terms and (there := await _at_work(tx, who, agent, wishes.note)) is not None:
        return there
    if who.parent is not None:
        await hand_over(tx, await tx.get(who.parent, Mission))
    if who.assignee is not None:
        await stop_sessions(tx, mission, f"{mission.slug} was given to {agent.slug}")
    usable = await lend(tx, made.brief.skills, enables=wishes.enables)
    brief = await _written(tx, mission, agent, made.brief.model_copy(update={"skills": usable}))
    for each in (*made.memories, *made.preferences):  # what its brief says it may look up again
        await curated(tx, await tx.get(each.slug, OrgMemory), [agent])
    await tx.link(mission, "assigned_to", agent)
    if who.commander is None and (giver := await caller_node(tx)):
        await tx.link(mission, "commanded_by", giver)
    workspace = await ensure_workspace(tx, mission)
    mission = await tx.move(
        mission,
        "assigned",
        counter=None,
        status_reason=None,
        plan_accepted_at=None,
        workspace_path=workspace.props.path,
    )
    if who.mission.status == "paused":
        await drop_ask(tx, mission)
    ahead = [link.other_slug for link in await waits_on(tx, mission)]
    session = None
    if not ahead:
        text = await prompt_of(tx, mission, brief, agent)
        session = await begin_work(tx, mission, agent, text, brief=brief.slug)
    return AssignmentTerms(mission, agent, brief, made.why, session, ahead)


async def _at_work(tx: Tx, who: Parties, agent: Stored[Agent], note: str) -> AssignmentTerms | None:
    """What it works on already: given to it again on the same terms, nothing is stopped and nothing begins anew."""
    brief = await brief_of(tx, who.mission)
    if who.assignee != agent.id or who.mission.status not in IN_HAND or brief is None:
        return None
    session = next((each.id for each in await live_sessions(tx, who.mission) if each.agent == agent.slug), None)
    if session is None:
        return None
    if note:
        await tell(tx, agent.id, who.mission, f"a word on {who.mission.slug}", note, who.mission.id)
    why = f"is at work on it already: nothing was stopped or changed{', and it was told your note' if note else ''}"
    return AssignmentTerms(who.mission, agent, brief, why, session, [])


async def _written(tx: Tx, mission: Stored[Mission], agent: Stored[Agent], brief: Brief) -> Stored[Brief]:
    before = await brief_of(tx, mission)
    links = [NewLink("for_mission", mission), NewLink("assigned_to", agent)]
    if before is not None:
        links.append(NewLink("supersedes", before))
    return await tx.create(brief, links=links, slug=f"brief-{mission.slug}"[:80])


VERBS = (assign,)
