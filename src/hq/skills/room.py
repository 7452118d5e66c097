"""The front of the room `skills`: what it brings."""

from __future__ import annotations

from hq.room import Room
from hq.skills import registry, run, types
from hq.skills.owners import owner_elsewhere, owner_of_skill
from hq.skills.risk import SkillRisk

ROOM = Room(
    name="skills",
    types=types.NODES,
    edges=types.EDGES,
    verbs=(*registry.VERBS, *run.VERBS),
    owners={"skill": owner_of_skill, "skill_elsewhere": owner_elsewhere},
    policies=(SkillRisk,),
    sql=("shipped.sql",),
)
