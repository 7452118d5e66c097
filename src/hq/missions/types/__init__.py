"""Delegated work: missions and what belongs to them."""

from __future__ import annotations

from hq.missions.types.missions import (
    EDGES,
    NODES,
    Brief,
    Constraints,
    Counter,
    Delegation,
    Mission,
    MissionMemory,
    Schedule,
)

__all__ = [
    "EDGES",
    "NODES",
    "Brief",
    "Constraints",
    "Counter",
    "Delegation",
    "Mission",
    "MissionMemory",
    "Schedule",
]
