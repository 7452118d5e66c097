"""The eight steps of a brief (seed 000 §B), one after the other; each leaves something that can be looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypedDict

from hq.door.tx import Tx
from hq.errors import Refused
from hq.graph.records import Stored
from hq.missions.briefs.candidates import AgentCandidate, candidates, skills_of
from hq.missions.briefs.knowledge import Chosen, memories, preferences, prior_work, remembered
from hq.missions.briefs.prompt import addressee, criteria_of, objective_of, render
from hq.missions.briefs.risks import RiskAnswer, risks
from hq.missions.loans import needed
from hq.missions.parties import Parties
from hq.missions.types import Brief, Constraints, Mission
from hq.missions.work_start import waits_on
from hq.org.agent import Agent
from hq.sessions.session_start import known_agent

Rules = Literal["pre_approved", "request_approval", "autonomous"]


@dataclass(frozen=True)
class Wishes:
    """What whoever gives the mission wants in the brief beside what the mission says."""

    to: str | None = None
    note: str = ""
    quality: str | None = None
    collaborators: Sequence[str] = ()
    rules: Rules = "request_approval"
    delegation_budget: int | None = None
    escalation_threshold: int | None = None
    skills: Sequence[str] = ()
    """Skills it needs beside those the mission names."""
    enables: bool = False
    """Whether a skill that is off is enabled with it: somebody who may was asked."""
    tools: Sequence[str] | None = None
    """The only tools, where a brief is narrowed; unsaid, what the agent has."""

    @property
    def terms(self) -> bool:
        """Whether the brief is to say anything but what the mission does."""
        asked = (self.quality, self.delegation_budget, self.escalation_threshold, self.tools)
        return self.rules != "request_approval" or any(
            self.collaborators or self.skills or [each is not None for each in asked]
        )


class MissionNeeds(TypedDict):
    """What a mission is, and what it still lacks."""

    mission: str
    status: str | None
    lacks: list[str]
    waits_on: list[str]


@dataclass(frozen=True)
class Assembled:
    """What the steps came to."""

    needs: MissionNeeds
    considered: list[AgentCandidate]
    agent: Stored[Agent] | None
    why: str
    memories: list[Chosen]
    preferences: list[Chosen]
    prior: list[Chosen]
    brief: Brief
    risks: list[RiskAnswer]
    prompt: str | None


async def assemble(tx: Tx, who: Parties, wishes: Wishes) -> Assembled:
    mission = who.mission
    needs = await identify(tx, who)
    considered = await candidates(tx, mission, who.organisation)
    agent, why = await select(tx, mission, considered, wishes.to)
    hits = await remembered(tx, mission)
    known, liked = memories(hits), await preferences(tx, hits)
    before = await prior_work(tx, mission)
    brief = await write(tx, who, agent, wishes, known, liked, before)
    asked = await risks(tx, mission)
    prompt = render(brief, mission.slug, await addressee(tx, mission, brief, agent)) if agent else None
    return Assembled(needs, considered, agent, why, known, liked, before, brief, asked, prompt)


async def identify(tx: Tx, who: Parties) -> MissionNeeds:
    """Step 1: what the mission is, and what it still lacks."""
    mission = who.mission
    lacks = [
        *([] if mission.props.description else ["a description"]),
        *([] if mission.props.deliverables else ["deliverables: a person will have to accept the outcome"]),
        *([] if who.objective else ["an objective it serves"]),
        *([] if mission.props.token_budget is not None or mission.props.cost_limit is not None else ["a budget"]),
    ]
    ahead = [link.other_slug for link in await waits_on(tx, mission)]
    return {"mission": mission.slug, "status": mission.status, "lacks": lacks, "waits_on": ahead}


async def select(
    tx: Tx, mission: Stored[Mission], considered: list[AgentCandidate], to: str | None
) -> tuple[Stored[Agent] | None, str]:
    """Step 2: the one that was named, or the best that can do it; nobody means that somebody has to be hired."""
    if to is not None:
        agent = await known_agent(tx, to)
        found = next((each for each in considered if each.agent.id == agent.id), None)
        if agent.props.status != "active":
            raise Refused.conflict(
                f"{agent.slug} is {agent.props.status}; `hq agent resume {agent.slug}` lets it work again"
            )
        return agent, "was named" if found else "was named; not among those who are considered by themselves"
    if (again := await had_it(tx, mission)) is not None:
        return again, "had it before"
    best = next((each for each in considered if each.capable), None)
    if best is None and any(each.gave_back for each in considered):
        return None, f"{mission.props.status_reason}\nNobody else here knows anything of what the mission is about."
    if best is None:
        return None, "nobody here knows anything of what the mission is about: hire somebody (`hq agent hire`)"
    return best.agent, f"scores best, {best.score:.2f}: {best.why}"


async def had_it(tx: Tx, mission: Stored[Mission]) -> Stored[Agent] | None:
    """Of one that failed, who had it, while it works here: tried again, it goes on there."""
    if mission.status != "failed":
        return None
    agent = (await tx.targets([mission.id], ["assigned_to"])).get((mission.id, "assigned_to"))
    known = await tx.get(agent, Agent) if agent else None
    return known if known is not None and known.props.status == "active" else None


async def write(
    tx: Tx,
    who: Parties,
    agent: Stored[Agent] | None,
    wishes: Wishes,
    known: list[Chosen],
    liked: list[Chosen],
    before: list[Chosen],
) -> Brief:
    """Step 6: the brief itself."""
    mission = who.mission
    props = mission.props
    return Brief(
        objective=objective_of(props),
        context=await _context(tx, who, wishes.note),
        constraints=Constraints(
            token_budget=props.token_budget,
            cost_limit=props.cost_limit,
            deadline=props.deadline,
            quality_notes=wishes.quality,
            other=criteria_of(props),
        ),
        deliverables=list(props.deliverables),
        tools_approved=list(wishes.tools) if wishes.tools is not None else await _tools(tx, agent),
        skills=await needed(tx, mission, wishes.skills),
        agents_approved=await _collaborators(tx, agent, wishes),
        delegation_rules=wishes.rules,
        delegation_budget=wishes.delegation_budget,
        escalation_threshold=wishes.escalation_threshold,
        org_context="\n".join(f"- {each.text}" for each in known) or None,
        prior_work="\n".join(f"- Before: {each.text}" for each in before) or None,
        founder_prefs="\n".join(f"- {each.text}" for each in liked) or None,
    )


async def _context(tx: Tx, who: Parties, note: str) -> str:
    """Why it matters: the objective, the mission it is a part of, and what was noted."""
    lines = []
    if who.objective:
        lines.append(f"It serves the objective: {(await tx.get(who.objective)).title}")
    if who.parent:
        above = await tx.get(who.parent, Mission)
        lines.append(f"It is a part of {above.slug}: {above.props.title}")
    lines += [text for text in (who.mission.props.context_notes, note) if text]
    return "\n".join(lines)


async def _tools(tx: Tx, agent: Stored[Agent] | None) -> list[str]:
    if agent is None:
        return []
    return [*agent.props.tools, *(skill.slug for skill in await skills_of(tx, agent))]


async def standing_collaborators(tx: Tx, agent: Stored[Agent]) -> list[str]:
    """Those an agent may always call on, whatever a brief says."""
    return [link.other_slug for link in await tx.links(agent, edge="collaborates_with") if link.outward]


async def _collaborators(tx: Tx, agent: Stored[Agent] | None, wishes: Wishes) -> list[str]:
    """Those it may always call on, and those approved for this mission (a union, as the seed has it)."""
    if "*" in wishes.collaborators:
        return ["*"]
    if agent is None:
        return []
    standing = await standing_collaborators(tx, agent)
    approved = [(await known_agent(tx, slug)).slug for slug in wishes.collaborators]
    return sorted({*standing, *approved} - {agent.slug})
