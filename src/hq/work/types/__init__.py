"""Delegated work: missions and what belongs to them, and everything that waits for somebody's word."""

from __future__ import annotations

from hq.graph.types import Edge, Node
from hq.work.types import asks, missions
from hq.work.types.asks import Approval, Escalation, Grant, Option, Proposal, Question, Review, Target
from hq.work.types.missions import Brief, Constraints, Counter, Delegation, Mission, MissionMemory, Schedule

NODES: tuple[type[Node], ...] = missions.NODES + asks.NODES
EDGES: tuple[Edge, ...] = missions.EDGES + asks.EDGES

__all__ = [
    "EDGES",
    "NODES",
    "Approval",
    "Brief",
    "Constraints",
    "Counter",
    "Delegation",
    "Escalation",
    "Grant",
    "Mission",
    "MissionMemory",
    "Option",
    "Proposal",
    "Question",
    "Review",
    "Schedule",
    "Target",
]
