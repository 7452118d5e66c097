"""Snooze: an ask is put off, by `hq ask snooze`, `hq review defer` or the button "Later" of its card; nobody sees it before then."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from hq.door.tx import Tx
from hq.errors import Refused
from hq.graph.moment import parse_later
from hq.graph.records import Stored

Later = Annotated[
    str | None,
    Field(max_length=40, description="When it comes back: a date, a time, or 3h; left out, tomorrow."),
]


async def put_off(tx: Tx, ask: Stored[Any], until: str | None = None) -> Stored[Any]:
    """The ask, as it is until then."""
    if ask.props.stands != "open":
        raise Refused.conflict(f"{ask.slug} is already {ask.status}")
    then = parse_later(until or "1d", tx.now)
    state = {ask.props.state_field: ask.props.deferred} if ask.props.deferred else {}
    tx.target = ask = await tx.change(ask, {"defer_until": then, **state})
    return ask
