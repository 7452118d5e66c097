"""Shown: how far a conversation was shown where somebody speaks, as the client says it, or else as far as it was read there."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from hq.asks.word import NOTHING_SHOWN, ShownPlace
from hq.chat.rows import LinePlaceRow, ReadUptoRow
from hq.database.queries import beside
from hq.door.tx import Tx
from hq.ids import is_id, parse_id
from hq.stream.cursor import UNSETTLED

SQL = beside(__file__)
NONE_SHOWN = replace(NOTHING_SHOWN, at=datetime.min.replace(tzinfo=UTC))
"""Of a client that says how far it has shown the conversation, and has shown nothing of it."""


async def shown_place(tx: Tx, name: str, last: str | None) -> ShownPlace:
    """Of a conversation, by the id of the last line that was shown, or of several the one that came last; `nothing` where none
    was. What is not known was not shown, nor what the house said to an earlier word from there: who repeats a word that was
    answered has not read the answer."""
    if last is None:
        seen = await tx.one(SQL["read_upto"], {"principal": tx.caller.principal_id, "name": name}, into=ReadUptoRow)
        return ShownPlace(seen.session, seen.step) if seen else NOTHING_SHOWN
    found = [place for each in last.split(",") if (place := await _place(tx, name, each)) is not None]
    furthest = max(found, key=lambda place: (place.at, place.step is None), default=None)
    return ShownPlace(furthest.session, furthest.step, furthest.at) if furthest else NONE_SHOWN


async def _place(tx: Tx, name: str, line: str) -> LinePlaceRow | None:
    id, _, step = line.partition(".")
    if not is_id(id) or not (step.isdecimal() or step in ("", "end")):
        return None
    place = {"name": name, "id": parse_id(id), "step": int(step) if step.isdecimal() else UNSETTLED if step else None}
    return await tx.one(SQL["line_place"], place, into=LinePlaceRow)
