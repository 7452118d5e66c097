"""The noun budget: what may be spent, by whom and in what time."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, NotRequired, TypedDict
from uuid import UUID

from pydantic import ConfigDict, Field

from hq.door.access import EVERYONE, FOUNDER, HOUSE, STAFF
from hq.door.json_shape import AsJson
from hq.door.results import Listing
from hq.door.tx import Tx
from hq.door.verb import Args, CostForecast, Result, at_least_one, first, verb
from hq.errors import Refused
from hq.grammar import with_article
from hq.graph.records import Stored
from hq.guard.budgets import SQL, amount, when
from hq.guard.forecast import of_what_is_left, price_of_tokens, without_price
from hq.guard.rows import BudgetLimitRow, BudgetStateRow
from hq.guard.stops import COMPANY, FIELDS, Period, name_of, thaw_due
from hq.guard.types import Budget
from hq.json_types import JsonSchema, Props


class BudgetShowArgs(Args):
    """Whose budget."""

    on: str = first(default=COMPANY, max_length=200)
    """An agent, a mission, a seat or an organisation by its slug, or `company`, which is its owner's."""


class BudgetLimitItem(TypedDict):
    """A limit: its period, and of each measure that it has what is spent and where it warns and stops."""

    period: str
    usd: NotRequired[str]
    usd_soft: NotRequired[float]
    usd_hard: NotRequired[float]
    usd_spent: NotRequired[float]
    usd_reserved: NotRequired[float]
    tokens: NotRequired[str]
    tokens_soft: NotRequired[float]
    tokens_hard: NotRequired[float]
    tokens_spent: NotRequired[float]
    tokens_reserved: NotRequired[float]
    heavy: NotRequired[str]
    heavy_soft: NotRequired[float]
    heavy_hard: NotRequired[float]
    heavy_spent: NotRequired[float]
    heavy_reserved: NotRequired[float]
    until: NotRequired[str]
    budget: str


class BudgetItem(BudgetLimitItem):
    """A limit, and whose it is."""

    on: str


class BudgetLimits(Result):
    on: str
    limits: AsJson[list[BudgetLimitItem]]
    """Each with its period, what is spent, and where it warns and stops."""


class BudgetListArgs(Args):
    """Nothing to choose."""


@verb("budget.list", "read", for_=EVERYONE, past=False, examples=[{}])
async def list_(tx: Tx, args: BudgetListArgs) -> Listing[BudgetItem]:
    """Every budget that binds, with what is spent of it. Days and months are those of UTC."""
    rows = await tx.rows(SQL["limits"], {"scope": None, "now": tx.now}, into=BudgetStateRow)
    return Listing[BudgetItem](
        items=[{"on": await name_of(tx, row.scope), **_item(row, await _unpriced(tx, row))} for row in rows]
    )


@verb("budget.show", "read", for_=EVERYONE, past=False, examples=[{}])
async def show(tx: Tx, args: BudgetShowArgs) -> BudgetLimits:
    """What one may spend, and has spent."""
    scope, _ = await _scope(tx, args.on)
    rows = await tx.rows(SQL["limits"], {"scope": scope, "now": tx.now}, into=BudgetStateRow)
    return BudgetLimits(on=args.on, limits=[_item(row, await _unpriced(tx, row)) for row in rows])


async def _unpriced(tx: Tx, row: BudgetStateRow) -> str | None:
    """Who answers there, where a limit in money does not hold it."""
    if row.usd_hard is None or row.usd:
        return None
    agent = await tx.look_up(row.scope) if row.scope.startswith("agent:") else None
    return await without_price(tx, getattr(agent.props, "model", None) if agent else None)


NUMBER: JsonSchema = {"type": "number"}
NAMED: Mapping[str, JsonSchema] = {
    **dict.fromkeys(("usd_soft", "usd_hard", "tokens_soft", "tokens_hard", "heavy_hard"), NUMBER),
    "off": {"const": True},
}
"""One of these has to be said."""


class BudgetSetArgs(BudgetShowArgs):
    """What to allow."""

    model_config = ConfigDict(json_schema_extra=at_least_one(NAMED))

    period: Period = "day"
    """Time after which it starts anew; `run` is for each session, `total` never starts anew."""
    usd_soft: float | None = Field(None, ge=0)
    """Money at which you are warned, in US dollars; left out, 80 percent of the limit."""
    usd_hard: float | None = Field(None, ge=0)
    """Money that is never exceeded, in US dollars."""
    tokens_soft: int | None = Field(None, ge=0)
    """Tokens at which you are warned."""
    tokens_hard: int | None = Field(None, ge=0)
    """Tokens that are never exceeded."""
    heavy_hard: int | None = Field(None, ge=0)
    """Turns on the strongest model that are never exceeded."""
    off: bool = False
    """Take the budget away; what the agent's own files say then holds again."""


class BudgetChanged(Result):
    id: str
    """Names the limit in events: scope and period."""
    on: str
    period: str
    slug: str
    thawed: list[str] = Field(default_factory=list)
    """Agents that may work again."""


@verb(
    "budget.set",
    "write",
    for_=FOUNDER,
    scope="founder",
    undo="exact",
    emits="budget.set",
    while_frozen=HOUSE,
    examples=[{"on": "company", "period": "month", "usd_hard": 200}],
)
async def set_(tx: Tx, args: BudgetSetArgs) -> BudgetChanged:
    """Set what an agent, a mission, a seat, an organisation or the whole company may spend. What is not named stays."""
    named = {name: getattr(args, name) for name in Budget.model_fields if name.endswith(("_soft", "_hard"))}
    values = {name: value for name, value in named.items() if value is not None}
    if not values and not args.off:
        raise Refused.invalid("say a limit, such as --usd-hard 5 or --tokens-hard 1000000; or --off to take it away")
    for measure in ("usd", "tokens"):
        soft, hard = values.get(f"{measure}_soft"), values.get(f"{measure}_hard")
        if soft is not None and hard is not None and soft > hard:
            raise Refused.invalid(f"{measure}_soft: {soft} is above the hard limit of {hard}, so it would never warn")
    return await _put(tx, args.on, args.period, values | {"status": "closed" if args.off else "active"})


class BudgetRaiseArgs(BudgetShowArgs):
    """Which limit, and how high it should be."""

    period: Period = "day"
    """The period of the limit."""
    usd: float | None = Field(None, gt=0)
    """The new limit in US dollars."""
    tokens: int | None = Field(None, gt=0)
    """The new limit in tokens."""
    heavy: int | None = Field(None, gt=0)
    """The new limit of turns on the strongest model."""


async def _more(tx: Tx, args: BudgetRaiseArgs) -> CostForecast | None:
    """How much more may be spent with a yes, what is left without one, and what is still to be done of a mission."""
    scope, node = await _scope(tx, args.on)
    now = await _limit(tx, args.on, args.period)
    parts: list[str] = []
    usd = None
    for measure, field in FIELDS.items():
        wanted, hard = getattr(args, measure), getattr(now, field, None)
        if now is None or wanted is None or hard is None:
            continue
        more = Decimal(str(wanted)) - hard
        spent = getattr(now, measure)
        if args.period == "run":
            parts.append(f"up to {amount(more, measure)} more for each run, which may use {amount(hard, measure)} now")
        else:
            used = amount(spent, measure) if spent else "nothing"
            left = f"{used} of {amount(hard, measure)} is spent, {amount(max(hard - spent, Decimal(0)), measure)} left"
            parts.append(f"up to {amount(more, measure)} more {when(args.period)}; {left}")
        if measure == "usd":
            usd = float(more)
        elif measure == "tokens":
            agent = node.slug if node and node.type == "agent" else None
            parts.append(await price_of_tokens(tx, more, agent))
    if scope.startswith("mission:") and node and (open_ := await of_what_is_left(tx, node.id)):
        parts.append(open_)
    return CostForecast("; ".join(parts), usd) if parts else None


@verb(
    "budget.raise",
    "write",
    on_card=True,
    whole=True,
    for_=STAFF,
    gate="system",
    undo="exact",
    forecast=_more,
    emits="budget.raised",
    while_frozen=HOUSE,
    examples=[{"on": "company", "period": "month", "usd": 300}],
)
async def raise_(tx: Tx, args: BudgetRaiseArgs) -> BudgetChanged:
    """Raise a hard limit; who stopped at it goes on. An agent that calls this asks the founder."""
    values = {field: value for name, field in FIELDS.items() if (value := getattr(args, name)) is not None}
    if not values:
        raise Refused.invalid("say the new limit: --usd, --tokens or --heavy")
    now = await _limit(tx, args.on, args.period)
    for field, value in values.items():
        limit = getattr(now, field, None)
        if limit is None:
            raise Refused.invalid(f"{args.on} has no {field} per {args.period} to raise; `hq budget set` sets one")
        if value <= limit:
            raise Refused.invalid(f"{value} is not above the limit of {limit:f}; `hq budget set` can lower it")
    return await _put(tx, args.on, args.period, values | {"status": "active"})


async def _put(tx: Tx, on: str, period: str, values: Props) -> BudgetChanged:
    scope, node = await _scope(tx, on)
    key = f"{scope}/{period}"
    known = await tx.scalar(
        "select id from graph.nodes where tenant_id = ops.tenant() and external_source = 'budget' and external_id = %s",
        [key],
        of=UUID,
    )
    if known is not None:
        budget = await tx.change(await tx.get(known, Budget), values)
    else:
        name = f"{on} per {period}" if period != "total" else f"{on} in all"
        budget = await tx.create(
            Budget.model_validate({"name": name, "period": period, **values}),
            slug=f"budget-{node.slug if node else COMPANY}-{period}"[:80],
            external=("budget", key),
        )
        if node is not None:
            await tx.link(budget, "limits", node)
    tx.target = budget
    return BudgetChanged(id=key, on=on, period=period, slug=budget.slug, thawed=await thaw_due(tx))


async def _limit(tx: Tx, on: str, period: str) -> BudgetLimitRow | None:
    scope, _ = await _scope(tx, on)
    values = {"scope": scope, "period": period, "session": None, "now": tx.now}
    return await tx.one(SQL["limit"], values, into=BudgetLimitRow)


async def _scope(tx: Tx, on: str) -> tuple[str, Stored[Any] | None]:
    if on == COMPANY:
        return "tenant", None
    node = await tx.get(on)
    match node.type:
        case "agent":
            return f"agent:{node.slug}", node
        case "mission":
            return f"mission:{node.id}", node
        case "position":
            return f"seat:{node.id}", node
        case "organisation":
            return f"unit:{node.id}", node
        case "contact" if node.id == tx.caller.founder_id:
            return "tenant", None  # the owner's money is the company's
    raise Refused.invalid(
        f"{on} is {with_article(node.type)}; a budget is on an agent, a mission, a position, an organisation, or `company`",
        hint="`hq org tree` shows the seats and `hq org position list` their slugs",
    )


def _item(row: BudgetStateRow, unpriced: str | None) -> BudgetLimitItem:
    found: dict[str, str | float | None] = {"period": row.period}
    for measure in FIELDS:
        soft, hard = getattr(row, f"{measure}_soft"), getattr(row, f"{measure}_hard")
        if soft is None and hard is None:
            continue
        found[measure] = _of(getattr(row, measure), hard, measure) if row.period != "run" else _each(hard, measure)
        found |= {f"{measure}_soft": _plain(soft), f"{measure}_hard": _plain(hard)}
        if row.period != "run":
            found |= {f"{measure}_spent": _plain(getattr(row, measure))}
            found |= {f"{measure}_reserved": _plain(getattr(row, f"reserved_{measure}"))}
    if unpriced and row.usd_hard is not None:
        found["usd"] = f"{amount(row.usd_hard, 'usd')}, which does not hold {unpriced}: it has no known price"
    found |= {"until": row.turns_at.isoformat() if row.turns_at else None, "budget": row.budget or "agent's own"}
    return BudgetLimitItem(**{key: value for key, value in found.items() if value is not None})  # type: ignore[typeddict-item]


def _of(spent: Decimal, hard: Decimal | None, measure: str) -> str:
    return f"{amount(spent, measure)} of {amount(hard, measure)}" if hard is not None else amount(spent, measure)


def _each(hard: Decimal | None, measure: str) -> str:
    return f"up to {amount(hard, measure)} each" if hard is not None else ""


def _plain(value: Decimal | None) -> float | int | None:
    if value is None:
        return None
    return int(value) if value == value.to_integral_value() else float(value)


VERBS = (list_, show, set_, raise_)
