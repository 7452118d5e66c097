"""The front of the room `sandbox`: what it brings."""

from __future__ import annotations

from hq.room import Room
from hq.sandbox.sandbox import Sandbox

ROOM = Room(name="sandbox", services=(lambda wiring: Sandbox(wiring.workspaces / "scratch"),))
