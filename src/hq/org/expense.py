"""An expense on a seat's authority: within it at once, beyond it when somebody says yes."""

from __future__ import annotations

from pydantic import Field

from hq.business.types import Expense
from hq.door.access import STAFF
from hq.door.nouns import nouns
from hq.door.results import Row, row
from hq.door.tx import Tx
from hq.door.verb import Args, CostForecast, verb
from hq.graph.records import End
from hq.graph.store import NewLink
from hq.org.authority import sitting


class ExpenseSpendArgs(Args):
    """How much, and for what."""

    amount: float = Field(gt=0)
    """How much."""
    currency: str = Field("USD", pattern=r"^[A-Z]{3}$")
    """In which currency; a seat's authority is in one."""
    description: str = Field(min_length=1, max_length=500)
    """What it goes for."""
    vendor: str | None = Field(None, max_length=500)
    """Who is paid."""


async def _cost(tx: Tx, args: ExpenseSpendArgs) -> CostForecast:
    usd = args.amount if args.currency == "USD" else None
    return CostForecast(f"{args.currency} {args.amount:,.2f}, once, as asked for", usd)


@verb(
    "expense.spend",
    "write",
    for_=STAFF,
    gate="spend",
    undo="exact",
    forecast=_cost,
    emits="expense.spent",
    examples=[{"amount": 12.5, "description": "Market data"}],
)
async def spend(tx: Tx, args: ExpenseSpendArgs) -> Row:
    """Spend money on the authority of one's seat, and book it; beyond that the founder is asked."""
    links = [NewLink("spent_by", End(seat.position, "position", seat.slug)) for seat in (await sitting(tx))[:1]]
    tx.target = expense = await tx.create(
        Expense(
            description=args.description,
            amount=args.amount,
            currency=args.currency,
            vendor=args.vendor,
            incurred_at=tx.now,
        ),
        links=links,
    )
    return row(expense)


VERBS = (spend, *nouns(Expense, without=("create", "update", "archive", "restore")))
