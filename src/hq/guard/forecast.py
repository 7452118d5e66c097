"""Forecasts of cost: what a call that waits for a yes will come to, by what its like came to before. Said as a range with its
grounds; what has no price is said to have none."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from statistics import median, quantiles
from uuid import UUID

from hq.database.queries import beside
from hq.door.tx import Tx
from hq.door.verb import CostForecast
from hq.guard.rows import PastCostRow
from hq.minds.config import MindConfig
from hq.minds.prices import has_price, price
from hq.minds.service import Minds
from hq.money import money

SQL = beside(__file__, "forecast.sql")
MONTH = 30
HOLDS_NOT = "does not hold it, as its model has no price"
FEW = 4
"""From so many on the range is that of the middle half, and before that of all."""
SIZES = ((4_000, 300), (30_000, 2_000))
"""Tokens in and out of a small and a large call of an agent, for where nothing was called yet."""


async def of_an_agent(
    tx: Tx,
    *,
    seat: UUID | None = None,
    model: str | None = None,
    daily_usd: float | None = None,
    daily_tokens: int | None = None,
) -> CostForecast:
    """What somebody new costs a month: by who had the seat before, else by the others, else by the price list."""
    chain = (await tx.use(Minds).company(tx.caller.tenant_id)).choice("default", model).chain
    if all(mind.wire == "script" for mind in chain):
        return CostForecast("free: no model is set, so the script answers")
    asked, known = chain[0], chain[0].says("default") if model else None
    rows = await _agents(tx, seat, known) if seat else []
    grounds = f"by what {_named(rows)} cost in this seat{_over(rows)}"
    if not rows:
        rows = await _agents(tx, None, known)
        many = "the one other agent" if len(rows) == 1 else f"{len(rows)} other agents"
        grounds = f"by what {many} here cost{f' on {known}' if known else ''}{_over(rows)}"
    if rows:
        monthly = [row.cost_usd * MONTH / row.days for row in rows if row.priced]
        tokens = median(row.tokens * MONTH / row.days for row in rows)
        found = _ranged(monthly, " a month", grounds, tokens)
    else:
        found = _listed(asked)
    parts = [found.says]
    if daily_usd is not None:
        limit = f"{money(Decimal(str(daily_usd)))} a day"
        parts.append(
            f"never more than {limit}" if has_price(asked, asked.model_for("default")) else f"{limit} {HOLDS_NOT}"
        )
    if daily_tokens is not None:
        parts.append(f"never more than {daily_tokens:,} tokens a day")
    elif daily_usd is not None and parts[-1].endswith(HOLDS_NOT):
        parts.append("a limit in tokens would: say how many a day")
    return CostForecast("; ".join(parts), found.usd)


async def without_price(tx: Tx, model: str | None = None) -> str | None:
    """The model that answers, where it has no price and so no limit in money holds it; nothing where it has one, or the script answers."""
    chain = (await tx.use(Minds).company(tx.caller.tenant_id, tx.conn)).choice("default", model).chain
    if not chain or chain[0].wire == "script" or has_price(chain[0], chain[0].model_for("default")):
        return None
    return chain[0].says("default")


async def of_work(tx: Tx, whole: UUID | None = None, limit: float | None = None) -> CostForecast:
    """What a mission comes to: by those that are done; at most its limit."""
    rows = await tx.rows(SQL["work"], {"whole": whole}, into=PastCostRow)
    most = f"at most {money(Decimal(str(limit)))}, its limit" if limit else ""
    if not rows:
        return CostForecast(most or "not known yet: no mission is done that a model worked on", limit)
    costs = [row.cost_usd for row in rows if row.priced]
    grounds = f"by what {_many(len(rows), 'mission')} that {'is' if len(rows) == 1 else 'are'} done cost"
    found = _ranged(costs, "", grounds, median(row.tokens for row in rows))
    return CostForecast(f"{found.says}; {most}", found.usd) if most else found


async def of_session(tx: Tx, kind: str, *, agent: str | None = None, times: int | None = None) -> CostForecast:
    """What a session of that kind comes to, a `worker` or one by the clock (`beat`), by those there were; so often a month, where it is said."""
    chain = (await tx.use(Minds).company(tx.caller.tenant_id)).choice("default", None).chain
    if all(mind.wire == "script" for mind in chain):
        return CostForecast("free: no model is set, so the script answers")
    rows = await tx.rows(SQL["sessions"], {"kind": kind, "agent": agent, "now": tx.now}, into=PastCostRow)
    named = {"worker": "worker", "beat": "run by the clock"}[kind]
    if not rows:
        return _listed(chain[0])
    costs = [row.cost_usd * (times or 1) for row in rows if row.priced]
    grounds = f"by what {_many(len(rows), named)} in the last 90 days cost"
    found = _ranged(costs, " a month" if times else "", grounds, median(row.tokens for row in rows) * (times or 1))
    return CostForecast(f"{found.says}; {_many(times, 'run')} a month", found.usd) if times else found


def of_past(rows: Sequence[PastCostRow], thing: str) -> CostForecast:
    """What one of a kind comes to, by those that are done."""
    if not rows:
        return CostForecast(f"not known yet: no {thing} is done")
    costs = [row.cost_usd for row in rows if row.priced]
    return _ranged(costs, "", f"by what {_many(len(rows), thing)} cost", median(row.tokens for row in rows))


async def of_what_is_left(tx: Tx, mission: UUID) -> str:
    """What the open parts of a mission come to by those that are done; empty where it has none."""
    rows = await tx.rows(SQL["work"], {"whole": mission}, into=PastCostRow)
    left = await tx.the_scalar(SQL["open_parts"], {"whole": mission}, of=int)
    costs = [row.cost_usd for row in rows if row.priced]
    if not left:
        return ""
    if not costs:
        return f"{_many(left, 'part')} still open, and none done with a price to go by"
    return f"{_many(left, 'part')} still open, about {money(Decimal(median(costs)) * left)} by the {len(costs)} done"


async def price_of_tokens(tx: Tx, tokens: Decimal, agent: str | None) -> str:
    """What so many tokens cost, as calls cost until now."""
    each = await tx.scalar(SQL["per_token"], {"now": tx.now, "agent": agent}, of=Decimal)
    return f"about {money(each * tokens)} by what a token cost in the last 30 days" if each else "unpriced until now"


async def _agents(tx: Tx, seat: UUID | None, model: str | None) -> list[PastCostRow]:
    return await tx.rows(SQL["agents"], {"seat": seat, "model": model, "now": tx.now}, into=PastCostRow)


def _ranged(costs: Sequence[Decimal], per: str, grounds: str, tokens: float) -> CostForecast:
    if not costs:
        return CostForecast(f"unpriced, about {tokens:,.0f} tokens{per}, {grounds}")
    typical = Decimal(median(costs))
    low, _, high = quantiles(costs, n=4) if len(costs) >= FEW else (min(costs), None, max(costs))
    between = f" ({money(low)} to {money(high)})" if money(low) != money(high) else ""
    return CostForecast(f"about {money(typical)}{per}{between}, {grounds}", round(float(typical), 6))


def _listed(mind: MindConfig) -> CostForecast:
    from pydantic_ai.usage import RequestUsage

    uses = (RequestUsage(input_tokens=sent, output_tokens=said) for sent, said in SIZES)
    known = [cost for use in uses if (cost := price(mind, mind.model_for("default"), use)) is not None]
    model = mind.says("default")
    if not known:
        return CostForecast(f"unpriced: nobody knows the price of {model}, and nobody here has used it yet")
    return CostForecast(
        f"{money(known[0])} to {money(known[-1])} a call by the price list of {model}; nobody here has cost anything yet"
    )


def _named(rows: Sequence[PastCostRow]) -> str:
    return ", ".join(row.who for row in rows[:3]) + (" and others" if len(rows) > 3 else "")


def _over(rows: Sequence[PastCostRow]) -> str:
    days = max((row.days for row in rows), default=0)
    return f" in {_many(days, 'day')}"


def _many(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"
