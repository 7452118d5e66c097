"""Invariants of a company's organisations, whatever was done to them; asked again when something is taken back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hq.door.tx import Tx
from hq.errors import Refused
from hq.org.chart import every_seat, holdings, lock, roles
from hq.org.checks import flaws


async def in_order(tx: Tx) -> None:
    """Refuses a company whose organisations are none any more."""
    await lock(tx)
    charts = (await every_seat(tx)).values()
    wrong = [flaw.message for chart in charts for flaw in flaws(chart.places)]
    held = await holdings(tx)
    doubled = _twice(holding.seat for holding in held)
    wrong += [
        f"two personas would sit in {title!r}" for chart in charts for id in doubled if (title := chart.title(id))
    ]
    wrong += [
        f"{h.persona.slug} is archived and would sit in a seat" for h in held if h.persona.props.status == "archived"
    ]
    wrong += [f"there would be two roles {name!r}" for name in _twice(r.props.name.casefold() for r in await roles(tx))]
    if wrong:
        raise Refused(
            f"what came since needs it: {'; '.join(wrong)}",
            code="blocked",
            reasons=wrong,
            hint="change it by hand instead",
        )


def _twice(values: Iterable[Any]) -> set[Any]:
    seen: set[Any] = set()
    return {value for value in values if value in seen or seen.add(value)}
