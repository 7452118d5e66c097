"""The rooms, found by their fronts: every folder with a `room.py`, lowest layer first."""

from __future__ import annotations

import importlib
from functools import cache
from pathlib import Path

from hq.room import Room

LAYERS = (
    "ceo",
    "chat",
    "schedules",
    "previews",
    "missions",
    "messages",
    "skills",
    "agents",
    "sessions",
    "context",
    "memory",
    "org",
    "tools",
    "connectors",
    "coding",
    "workspace",
    "sandbox",
    "channels",
    "asks",
    "learning | signals | business | guard | sql | artifacts",
    "jobs",
    "stream",
    "engine | minds",
    "door",
    "graph",
)
"""Which room builds on which, the top first. It is the order of the contract in `pyproject.toml`, where a test looks."""


@cache
def rooms() -> tuple[Room, ...]:
    """Every room, the lowest first: what a room builds on is there before it."""
    order = [name for layer in reversed(LAYERS) for name in layer.split(" | ")]
    found = {file.parent.name for file in Path(__file__).parent.glob("*/room.py")}
    if missing := found.symmetric_difference(order):
        raise TypeError(f"{', '.join(sorted(missing))}: a room has both a room.py and a place in rooms.LAYERS")
    return tuple(importlib.import_module(f"hq.{name}.room").ROOM for name in order)
