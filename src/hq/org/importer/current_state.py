"""The company's current state, for an import: everything it could mean by a number, a slug, a name."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from hq.door.tx import Tx
from hq.graph.records import Stored
from hq.graph.view import NodeFilter
from hq.org.chart import EVERY, Chart, load, organisations, personas, roles
from hq.org.document.shape import OrgDocument
from hq.org.types import Organisation, Persona, Position, PositionAssignment, Role


@dataclass(frozen=True)
class CurrentState:
    """By number, what was removed too: its number is not given to another."""

    organisations: dict[int, Stored[Organisation]]
    roles: dict[int, Stored[Role]]
    personas: dict[int, Stored[Persona]]
    positions: dict[int, Stored[Position]]
    homes: dict[UUID, UUID]
    """The organisation each position is in."""
    assignments: set[int]
    """Numbers that assignments have or had."""
    slugs: dict[str, str]
    """Of the slugs the document asks for, those that are taken, and by what type."""
    chart: Chart | None
    """The organisation the document speaks of, if it is there."""


async def look(tx: Tx, document: OrgDocument) -> CurrentState:
    known = {_number(org): org for org in await organisations(tx, removed=True)}
    positions = await tx.find(NodeFilter(types=[Position.type], archived=True, limit=EVERY))
    homes = await tx.targets([each.id for each in positions], ["in_organisation"])
    held = await tx.find(NodeFilter(types=[PositionAssignment.type], archived=True, limit=EVERY))
    organisation = known.get(document.organisation.get("organisation_id", 0))
    return CurrentState(
        organisations=known,
        roles={_number(role): role for role in await roles(tx, removed=True)},
        personas={_number(persona): persona for persona in await personas(tx, removed=True)},
        positions={_number(position): position for position in positions},
        homes={position: home for (position, _), home in homes.items()},
        assignments={_number(each) for each in held},
        slugs={node.slug: node.type for node in await _taken(tx, document)},
        chart=await load(tx, organisation) if organisation else None,
    )


async def _taken(tx: Tx, document: OrgDocument) -> list[Stored]:
    wanted = {document.organisation.get("slug")}
    for position in document.positions:
        if assignment := position.get("assignment"):
            wanted.add(assignment.get("persona_slug"))
    slugs = sorted(slug for slug in wanted if slug)
    found: list[Stored] = []
    for start in range(0, len(slugs), 500):
        found += await tx.named(slugs[start : start + 500])
    return found


def _number(node: Stored) -> int:
    return node.number or 0
