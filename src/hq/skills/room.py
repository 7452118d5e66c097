"""The front of the room `skills`: what it brings."""

from __future__ import annotations

from hq.room import Room
from hq.skills import registry, run
from hq.skills.risk import SkillPolicy

ROOM = Room(name="skills", verbs=(*registry.VERBS, *run.VERBS), policies=(SkillPolicy,))
