"""Forecasts on asks: what a yes will cost, where the call behind it leads to spending."""

from __future__ import annotations

from collections.abc import Iterable

from hq.asks.effect_text import Effect
from hq.door.arguments import parse
from hq.door.tx import Tx
from hq.door.verb import CostForecast, Verb
from hq.errors import HqError

FACT = "expected cost"


async def forecast_of(tx: Tx, effects: Iterable[Effect]) -> CostForecast | None:
    """Of the first of these calls that leads to spending; none where it cannot be made any more."""
    for name, args in effects:
        verb: Verb | None = tx.door.registry.verbs.get(name)
        if verb is None or verb.forecast is None:
            continue
        try:
            return await verb.forecast(tx, parse(verb, dict(args)))
        except HqError:
            return None
    return None
