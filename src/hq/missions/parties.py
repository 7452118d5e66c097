"""Parties to a mission: who gave it, who does it, and which of them is calling."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from hq.asks.types import Proposal
from hq.door.tx import Tx
from hq.errors import Refused
from hq.graph.records import End, Stored
from hq.missions.life import OVER
from hq.missions.types import Mission
from hq.org.agent import Agent

LINES = ("assigned_to", "commanded_by", "parent_mission", "serves", "in_organisation")


@dataclass(frozen=True)
class Parties:
    """A mission with the ends of its lines; each may be missing."""

    mission: Stored[Mission]
    assignee: UUID | None
    commander: UUID | None
    parent: UUID | None
    objective: UUID | None
    organisation: UUID | None

    @property
    def closed(self) -> bool:
        return self.mission.status in OVER


async def parties(tx: Tx, ref: str | UUID) -> Parties:
    mission = await tx.get(ref, Mission)
    tx.target = mission
    ends = await tx.targets([mission.id], LINES)
    return Parties(mission, *(ends.get((mission.id, edge)) for edge in LINES))


async def about_mission(tx: Tx, ask: Stored[Proposal]) -> Parties:
    """The mission that something is asked about, with who stands where in it."""
    target = tx.target
    ends = await tx.targets([ask.id], ["for_mission"])
    who = await parties(tx, ends[ask.id, "for_mission"])
    tx.target = target
    return who


async def node_of(tx: Tx, id: UUID | None) -> End | None:
    return await tx.get(id) if id else None


def agent_name(tx: Tx) -> str | None:
    """The agent on whose behalf a call is made: itself, or the one a worker works for."""
    return tx.caller.agent


async def caller_node(tx: Tx) -> End | None:
    """Who calls, as a node of the graph; nobody for the house itself."""
    if tx.caller.in_person:
        return await tx.founder()
    name = agent_name(tx)
    return await tx.look_up(name, Agent) if name else None


def author(tx: Tx) -> str:
    """Who calls, as memories name their authors."""
    return tx.caller.speaks_for


async def commands(tx: Tx, who: Parties) -> bool:
    """Whether an agent that calls decides about a mission: as who gave it or as the CEO, never as who does it."""
    caller = await caller_node(tx)
    if caller is None or caller.id == who.assignee:
        return False
    return caller.id == who.commander or tx.caller.role == "ceo"


def check_taken(who: Parties) -> None:
    if who.assignee is None:
        raise Refused.conflict(
            f"nobody works on {who.mission.slug}; `hq mission assign {who.mission.slug}` gives it to one"
        )


def check_open(who: Parties) -> None:
    if who.closed:
        raise Refused.conflict(f"{who.mission.slug} is already {who.mission.status}")
