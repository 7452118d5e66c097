"""The noun cost: what the models cost, by agent, mission, model or day. What has no price is said, never counted as nothing."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Literal, NotRequired, TypedDict

from pydantic import Field

from hq.door.access import STAFF
from hq.door.json_shape import AsJson
from hq.door.results import Page, page
from hq.door.tx import Tx
from hq.door.verb import Args, MomentText, Result, first, verb
from hq.graph.moment import parse_moment
from hq.guard.budgets import SQL
from hq.guard.rows import CostRow, MindCallRow
from hq.ids import parse_id
from hq.money import cost_text, price_text

By = Literal["agent", "mission", "model", "day"]


class CostShowArgs(Args):
    """How to sum it up."""

    by: By = first(default="agent")
    """What to sum up by."""
    since: MomentText | None = None
    """From that day on: a date, or 30d for the last thirty days; left out, seven days. Days are those of UTC."""
    agent: str | None = Field(None, max_length=200)
    """Only this agent."""


class CostItem(TypedDict):
    """What one of them cost; which it is stands first, under what was summed up by."""

    agent: NotRequired[str]
    mission: NotRequired[str]
    model: NotRequired[str]
    day: NotRequired[str]
    cost: str
    cost_usd: float | None
    calls: int
    failed: int
    unpriced: int
    estimated: int
    tokens_in: int
    tokens_out: int
    tokens_cached: int


class Costs(Result):
    total: str
    """All of it in words, with what has no price."""
    cost_usd: float
    """What is priced."""
    calls: int
    unpriced: int
    """Calls to models without a known price; their tokens are counted, their money is not known."""
    costs: AsJson[list[CostItem]]


@verb(
    "cost.show",
    "read",
    shows=("by", "since"),
    for_=STAFF,
    alias="cost",
    past=False,
    examples=[{}, {"by": "model", "since": "30d"}],
)
async def show(tx: Tx, args: CostShowArgs) -> Costs:
    """What the models cost, the dearest first."""
    since = parse_moment(args.since, tx.now) if args.since else tx.now - timedelta(days=7)
    values = {"by": args.by, "since": since.date(), "agent": args.agent}
    rows = await tx.rows(SQL["costs"], values, into=CostRow)
    cost, calls = sum((row.cost_usd for row in rows), Decimal(0)), sum(row.calls for row in rows)
    unpriced = sum(row.unpriced for row in rows)
    return Costs(
        total=_in_words(cost, calls, unpriced),
        cost_usd=float(cost),
        calls=calls,
        unpriced=unpriced,
        costs=[_item(args.by, row) for row in rows],
    )


class CostCallsArgs(Args):
    """Which calls."""

    agent: str | None = Field(None, max_length=200)
    """Only of this agent."""
    session: str | None = Field(None, max_length=60)
    """Only of this session."""
    limit: int = Field(50, ge=1, le=200)
    """How many at most."""
    after: int | None = Field(None, ge=1)
    """The `next` of the page before."""


class MindCallItem(TypedDict):
    """A call of a model."""

    call: int
    at: str
    agent: str | None
    model: str
    cost: str
    tokens: str
    tokens_cached: int
    ms: float | None
    error: str | None
    purpose: str | None
    session: str | None
    step: int | None


@verb("cost.calls", "read", for_=STAFF, past=False, examples=[{}])
async def calls(tx: Tx, args: CostCallsArgs) -> Page[MindCallItem]:
    """Every model call, newest first: who asked, which model, tokens, price, how long, and what went wrong."""
    rows = await tx.rows(
        SQL["calls"],
        {
            "agent": args.agent,
            "session": parse_id(args.session) if args.session else None,
            "before": args.after,
            "limit": args.limit + 1,
        },
        into=MindCallRow,
    )
    return page(rows, args.limit, lambda row: row.id, _call)


def _item(by: By, row: CostRow) -> CostItem:
    item: CostItem = {
        "cost": _in_words(row.cost_usd, row.calls, row.unpriced),
        "cost_usd": float(row.cost_usd) if row.cost_usd or not row.unpriced else None,
        "calls": row.calls,
        "failed": row.failed,
        "unpriced": row.unpriced,
        "estimated": row.estimated,
        "tokens_in": row.tokens_in,
        "tokens_out": row.tokens_out,
        "tokens_cached": row.tokens_cached,
    }
    return {by: row.who, **item}  # type: ignore[return-value]


def _in_words(cost: Decimal, calls: int, unpriced: int) -> str:
    return cost_text(cost, unpriced) if calls else "no model was asked"


def _call(row: MindCallRow) -> MindCallItem:
    return {
        "call": row.id,
        "at": row.started_at.isoformat(),
        "agent": row.agent_id,
        "model": row.model,
        "cost": _price(row),
        "tokens": f"{row.tokens_in}+{row.tokens_out}",
        "tokens_cached": row.tokens_cached,
        "ms": row.latency_ms,
        "error": row.error,
        "purpose": row.purpose,
        "session": str(row.session_id) if row.session_id else None,
        "step": row.step,
    }


def _price(row: MindCallRow) -> str:
    if not row.priced:
        return "unpriced"
    if row.cost_usd is None:  # it failed before anything was answered
        return "nothing"
    return f"about {price_text(row.cost_usd)}" if row.estimated else price_text(row.cost_usd)


VERBS = (show, calls)
