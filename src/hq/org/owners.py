"""Owners of organisations, who work there, and of personas, who are them."""

from __future__ import annotations

from hq.door.access import Owner
from hq.door.tx import Tx
from hq.errors import Refused
from hq.org.chart import find_organisation, find_persona


async def owner_of_organisation(tx: Tx, ref: str) -> Owner | None:
    try:
        organisation = await find_organisation(tx, ref)
    except Refused:
        return None
    return Owner(f"the organisation {organisation.slug}", organisation=organisation.id)


async def owner_of_persona(tx: Tx, ref: str) -> Owner | None:
    try:
        persona = await find_persona(tx, ref)
    except Refused:
        return None
    links = await tx.links(persona, edge="embodies")
    return Owner(persona.slug, frozenset(link.other_slug for link in links if not link.outward))
