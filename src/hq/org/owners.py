"""Owners of organisations: who works there."""

from __future__ import annotations

from hq.door.access import Owner
from hq.door.tx import Tx
from hq.errors import Refused
from hq.org.chart import find_organisation


async def owner_of_organisation(tx: Tx, ref: str) -> Owner | None:
    try:
        organisation = await find_organisation(tx, ref)
    except Refused:
        return None
    return Owner(f"the organisation {organisation.slug}", organisation=organisation.id)
