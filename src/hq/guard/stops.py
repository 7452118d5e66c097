"""Stops, when a budget is nearly or all used up: a warning, a frozen agent, and the way back."""

from __future__ import annotations

from datetime import datetime
from decimal import ROUND_UP, Decimal
from typing import Literal

from psycopg.types.json import Jsonb
from pydantic import Field

from hq.door.access import SESSION
from hq.door.tx import Tx
from hq.door.verb import Args, Result, verb
from hq.guard.budgets import SQL, amount, when
from hq.guard.rows import AskedBudgetRow, BudgetLimitRow, BudgetStopRow
from hq.ids import parse_id
from hq.json_types import CallArgs

COMPANY = "company"
Period = Literal["run", "hour", "day", "month", "total"]
FIELDS = {"usd": "usd_hard", "tokens": "tokens_hard", "heavy": "heavy_hard"}


class LimitReachedArgs(Args):
    """Which limit."""

    scope: str = Field(max_length=200)
    """`tenant`, `agent:<slug>`, or `mission:`, `seat:` or `unit:` and an id."""
    period: Period
    """The period of the limit."""
    measure: Literal["usd", "tokens", "heavy"]
    """What is counted."""


class Warned(Result):
    warned: bool
    """Whether this was the first time in the period."""


class BudgetWarnArgs(LimitReachedArgs):
    began_at: datetime | None = None
    """When the period began."""
    spent: float = 0
    """How much is spent."""
    hard: float = 0
    """The hard limit; 0 is none."""


@verb("budget.warn", "write", progress=False, for_=SESSION, internal=True, while_frozen=SESSION)
async def warn(tx: Tx, args: BudgetWarnArgs) -> Warned:
    """Tell, once per period, that a soft limit was reached."""
    noted = await tx.scalar(
        SQL["warn"], {**_key(args), "began_at": args.began_at or "-infinity", "now": tx.now}, of=str
    )
    if noted is not None:
        says = f"{await _title(tx, args.scope)} has spent {amount(args.spent, args.measure)} {when(args.period)}"
        if args.hard:
            says += f" of {amount(args.hard, args.measure)}"
        tx.emit(
            "budget.warned",
            id=f"{args.scope}/{args.period}",
            on=await name_of(tx, args.scope),
            period=args.period,
            measure=args.measure,
            spent=args.spent,
            hard=args.hard or None,
            says=says,
        )
    return Warned(warned=noted is not None)


class BudgetExceedArgs(LimitReachedArgs):
    agent: str = Field(max_length=200)
    """Who stopped there."""
    asked: float = Field(gt=0)
    """What its next call may take."""


class BudgetStopped(Result):
    again: bool = False
    """The limit is no longer in the way."""
    on: str = COMPANY
    approval: str | None = None
    """What was asked about this limit in its period."""
    decided: str | None = None
    """What became of that."""
    raise_to: CallArgs | None = None
    """What to ask for, as arguments of `budget.raise`."""


@verb("budget.exceed", "write", progress=False, for_=SESSION, internal=True, while_frozen=SESSION)
async def exceed(tx: Tx, args: BudgetExceedArgs) -> BudgetStopped:
    """Stop an agent at a hard limit. It is frozen, unless only the limit of a mission or of one run is in its way."""
    on = await name_of(tx, args.scope)
    now = await tx.one(
        SQL["limit"],
        {**_key(args), "session": tx.call.session_id, "now": tx.now},
        into=BudgetLimitRow,
    )
    hard = getattr(now, FIELDS[args.measure], None)
    if now is None or hard is None or getattr(now, args.measure) + Decimal(str(args.asked)) <= hard:
        return BudgetStopped(again=True, on=on)
    spent = getattr(now, args.measure) + getattr(now, f"reserved_{args.measure}") + Decimal(str(args.asked))
    raise_to: CallArgs = {"on": on, "period": args.period, args.measure: _enough(hard, spent, args.measure)}
    if not args.scope.startswith("mission:") and args.period != "run":
        await _freeze(tx, args, on, raise_to)
    arguments = {"on": on, "period": args.period} if args.period != "day" else {"on": on}
    if on == COMPANY:
        del arguments["on"]  # an approval keeps what was said, not what is so by default
    asked = await tx.one(
        SQL["asked"], {"since": now.began_at or "-infinity", "arguments": Jsonb(arguments)}, into=AskedBudgetRow
    )
    return BudgetStopped(
        on=on,
        approval=str(asked.id) if asked else None,
        decided=asked.status if asked else None,
        raise_to=raise_to,
    )


class BudgetThawArgs(Args):
    """Which agent."""

    agent: str = Field(max_length=200)
    """Its slug."""


class BudgetThawed(Result):
    thawed: list[str]


@verb("budget.thaw", "write", progress=False, for_=SESSION, internal=True, while_frozen=SESSION)
async def thaw(tx: Tx, args: BudgetThawArgs) -> BudgetThawed:
    """Let an agent work again whose budget is no longer in its way, because its period turned."""
    return BudgetThawed(thawed=await thaw_due(tx, args.agent))


async def thaw_due(tx: Tx, agent: str | None = None) -> list[str]:
    """Agents, or one of them, that stopped at a limit which no longer is in their way."""
    thawed = []
    for stop in await tx.rows(SQL["stops"], {"agent": agent, "now": tx.now}, into=BudgetStopRow):
        if stop.stands:
            continue
        await tx.conn.execute(SQL["go"], {"agent": stop.agent})
        node = await tx.look_up(f"agent:{stop.agent}")
        if node is not None and node.status == "frozen":
            await tx.move(node, to="active")
            tx.emit(
                "agent.thawed", id=str(node.id), slug=node.slug, why=f"{await _title(tx, stop.scope)} may spend again"
            )
            thawed.append(node.slug)
    return thawed


async def _freeze(tx: Tx, args: BudgetExceedArgs, on: str, raise_to: CallArgs) -> None:
    await tx.conn.execute(SQL["stop"], {**_key(args), "agent": args.agent, "asked": args.asked, "now": tx.now})
    agent = await tx.look_up(f"agent:{args.agent}")
    if agent is not None and agent.status == "active":
        await tx.move(agent, to="frozen")
        why = f"the {args.measure} limit of {await _title(tx, args.scope)} {when(args.period)} is used up"
        tx.emit("agent.frozen", id=str(agent.id), slug=agent.slug, why=why)
        told = {"on": on, "period": args.period, "measure": args.measure, "raise_to": raise_to}
        tx.emit("budget.exceeded", id=f"{args.scope}/{args.period}", **told)


async def name_of(tx: Tx, scope: str) -> str:
    """What a scope is called on the command line."""
    if scope == "tenant":
        return COMPANY
    kind, _, rest = scope.partition(":")
    return rest if kind == "agent" else (await tx.get(parse_id(rest))).slug


async def _title(tx: Tx, scope: str) -> str:
    return await tx.the_scalar(SQL["title"], {"scope": scope}, of=str)


def _key(args: LimitReachedArgs) -> dict[str, str]:
    return {"scope": args.scope, "period": args.period, "measure": args.measure}


def _enough(hard: Decimal, needed: Decimal, measure: str) -> float | int:
    """Half as much again, and at least what the next call needs and a little more: what is said meanwhile adds to that."""
    wanted = max(hard * Decimal("1.5"), needed * Decimal("1.25"))
    if measure == "usd":
        return float(wanted.quantize(Decimal("0.01"), rounding=ROUND_UP))
    return int(wanted.to_integral_value(rounding=ROUND_UP))


VERBS = (warn, exceed, thaw)
