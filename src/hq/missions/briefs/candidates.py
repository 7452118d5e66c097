"""Candidates, step 2 of a brief: who is to do it, by what they and their models can do, how much they have to do, and what they cost.

No model is asked: the same company and the same mission give the same answer, and every candidate's numbers are shown.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from uuid import UUID

from hq.database.queries import beside
from hq.door.tx import Tx
from hq.graph.records import Stored
from hq.graph.view import EdgeFilter, NodeFilter
from hq.minds.capability import ModelCapability
from hq.missions.briefs.model_fit import capability_of, needs_of
from hq.missions.briefs.rows import GivenSkillRow, LoadRow
from hq.missions.life import AT_WORK
from hq.missions.types import Brief, Mission
from hq.org.agent import Agent
from hq.org.authority import kept_to
from hq.org.seats import organisations_of, seats_of
from hq.skills.types import Skill

SQL = beside(__file__)
SKILLS, LOAD, COST = 0.6, 0.2, 0.2
"""How much each counts."""
CHEAP = {"low": 1.0, "medium": 0.7, "high": 0.4}
STRONG = {"low": 0.4, "medium": 0.7, "high": 1.0}
STEM = 5
"""Words that begin with the same letters mean the same: research, researcher, researching; and page, pages."""
ENOUGH = 3
"""Words in common from which on more do not count."""
WORD = re.compile(r"[^\W_]{3,}")
SMALL = frozenset(
    [
        "the",
        "and",
        "for",
        "with",
        "that",
        "this",
        "from",
        "into",
        "what",
        "which",
        "who",
        "when",
        "how",
        "are",
        "was",
        "will",
        "can",
        "may",
        "not",
        "all",
        "any",
        "each",
        "its",
        "our",
        "your",
        "their",
        "them",
        "then",
        "than",
        "also",
        "only",
        "more",
        "most",
        "must",
        "have",
        "has",
        "had",
        "new",
        "make",
        "made",
        "get",
        "use",
        "using",
        "work",
        "works",
        "working",
        "agent",
        "agents",
        "mission",
        "missions",
        "company",
        "report",
        "reports",
        "done",
        "file",
        "files",
        "person",
        "something",
        "someone",
    ]
)


@dataclass(frozen=True)
class AgentCandidate:
    agent: Stored[Agent]
    score: float
    skills: tuple[str, ...]
    """Words of the mission that the agent knows about."""
    open_missions: int
    why: str
    """Why it scores as it does, or why it was left out."""
    out: bool = False
    gave_back: bool = False
    """It had the mission and declined it."""

    @property
    def capable(self) -> bool:
        return bool(self.skills) and not self.out

    def told(self) -> dict[str, object]:
        return {
            "agent": self.agent.slug,
            "role": self.agent.props.role,
            "score": round(self.score, 3),
            "skills": list(self.skills),
            "open_missions": self.open_missions,
            "cost_tier": self.agent.props.cost_tier,
            "why": self.why,
        }


async def candidates(tx: Tx, mission: Stored[Mission], organisation: UUID | None = None) -> list[AgentCandidate]:
    """Everybody who could be asked, best first; those who cannot come last, with the reason."""
    agents = [
        each for each in await tx.find(NodeFilter(types=[Agent.type], limit=500)) if each.props.kind != "subagent"
    ]
    homes, seats = await organisations_of(tx, agents), await seats_of(tx, agents)
    mine = await kept_to(tx, tx.caller.agent)
    busy = {
        row.agent: row.many
        for row in await tx.rows(SQL["loads"], {"busy": list(AT_WORK), "except": mission.id}, into=LoadRow)
    }
    skilled = await _skills(tx)
    declined = await _declined(tx, mission)
    personas = await tx.targets([each.id for each in agents], ["embodies"])
    wanted, needs = stems(_text_of(mission)), needs_of(mission.props)
    found = []
    for agent in agents:
        known = stems(_knows(agent, skilled.get(agent.id, []) + skilled.get(None, [])))
        skills = tuple(word for stem, word in wanted.items() if stem in known)
        home = homes.get(agent.id)
        across = home is not None and (organisation not in (None, home) or bool(mine and home not in mine))
        out = _left_out(agent, across=across, unseated=(agent.id, "embodies") in personas and agent.id not in seats)
        model = await capability_of(tx, agent)
        out = out or (model.lacks(sees=needs.sees, reads=needs.reads) if model else None)
        judged = _judged(agent, skills, busy.get(agent.id, 0), mission, out, model)
        if agent.id in declined and not judged.out:
            judged = replace(judged, score=0.0, why="gave it back", out=True, gave_back=True)
        found.append(judged)
    return sorted(found, key=lambda each: (each.out, -each.score, each.agent.slug))


async def _declined(tx: Tx, mission: Stored[Mission]) -> set[UUID]:
    """Who had a mission that lies in the backlog again. Given to them by itself it would come back for ever."""
    if mission.status != "backlog":
        return set()
    wanted = NodeFilter(types=[Brief.type], status="failed", related=[EdgeFilter("for_mission", mission.id)], limit=200)
    briefs = [each.id for each in await tx.find(wanted)]
    return set((await tx.targets(briefs, ["assigned_to"])).values()) if briefs else set()


def _judged(
    agent: Stored[Agent],
    skills: tuple[str, ...],
    load: int,
    mission: Stored[Mission],
    out: str | None,
    model: ModelCapability | None,
) -> AgentCandidate:
    tier = agent.props.cost_tier or (model.cost_tier if model else None) or "medium"
    matters = mission.props.priority in ("high", "critical")
    cost = (STRONG if matters else CHEAP)[tier]
    score = SKILLS * min(len(skills), ENOUGH) / ENOUGH + LOAD / (1 + load) + COST * cost
    if out:
        return AgentCandidate(agent, 0.0, skills, load, out, out=True)
    knows = f"knows {', '.join(skills[:6])}" if skills else "knows nothing of what the mission is about"
    prefers = f"{tier} cost, where {'strength' if matters else 'thrift'} is wanted"
    return AgentCandidate(agent, score, skills, load, f"{knows}; {load} open missions; {prefers}")


def _left_out(agent: Stored[Agent], *, across: bool, unseated: bool) -> str | None:
    if agent.props.status != "active":
        return f"is {agent.props.status}"
    if agent.props.kind in ("ceo", "operator"):
        return "gives work rather than takes it" if agent.props.kind == "ceo" else "keeps the house"
    if across:
        return "works in another organisation"
    if unseated:
        return "its persona sits nowhere"
    return None


def _knows(agent: Stored[Agent], skills: list[Stored[Skill]]) -> str:
    props = agent.props
    words = [props.role, props.description or "", " ".join(props.tools)]
    for skill in skills:
        words += [skill.props.title, skill.props.description, skill.props.category or ""]
    return " ".join(words)


async def _skills(tx: Tx) -> dict[UUID | None, list[Stored[Skill]]]:
    """Skills by whom they were given to, and under nobody's id those that everybody has; only such as are enabled."""
    enabled = {each.id: each for each in await tx.find(NodeFilter(types=[Skill.type], status="enabled", limit=200))}
    found: dict[UUID | None, list[Stored[Skill]]] = {None: [each for each in enabled.values() if each.props.mandatory]}
    for row in await tx.rows(SQL["given_skills"], {"skills": list(enabled)}, into=GivenSkillRow) if enabled else []:
        found.setdefault(row.agent, []).append(enabled[row.skill])
    return found


async def skills_of(tx: Tx, agent: Stored[Agent]) -> list[Stored[Skill]]:
    """What an agent was given, and what everybody has."""
    skilled = await _skills(tx)
    both = skilled.get(agent.id, []) + skilled.get(None, [])
    return list({each.id: each for each in both}.values())


def _text_of(mission: Stored[Mission]) -> str:
    props = mission.props
    parts = [props.title, props.description or "", props.category or "", *props.acceptance_criteria, *mission.tags]
    return " ".join(parts)


def stems(text: str) -> dict[str, str]:
    """The words that matter, by how they begin."""
    found: dict[str, str] = {}
    for word in WORD.findall(text.casefold()):
        if word not in SMALL:
            found.setdefault(word[:STEM].rstrip("s"), word)
    return found
