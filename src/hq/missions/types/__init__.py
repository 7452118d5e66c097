"""Missions, the briefs and delegations they are given by, and their memory.

Seed 000 B to E, seed 003 §3 to §5 and §7.
"""

from __future__ import annotations

from hq.graph.types import Node
from hq.missions.types.brief import Brief, Constraints
from hq.missions.types.delegation import Delegation
from hq.missions.types.edges import EDGES
from hq.missions.types.mission import Counter, DecidedPoint, Mission, MissionMemory

NODES: tuple[type[Node], ...] = (Mission, MissionMemory, Brief, Delegation)

__all__ = [
    "EDGES",
    "NODES",
    "Brief",
    "Constraints",
    "Counter",
    "DecidedPoint",
    "Delegation",
    "Mission",
    "MissionMemory",
]
