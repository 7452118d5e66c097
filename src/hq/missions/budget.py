"""The budget of a mission: never more than the missions it is a part of have left."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from hq.database.queries import beside
from hq.door.tx import Tx
from hq.errors import Refused
from hq.graph.records import Stored
from hq.guard.budgets import amount
from hq.missions.rows import BudgetLeftRow
from hq.missions.types import Mission

SQL = beside(__file__)


@dataclass(frozen=True)
class Left:
    """What is left of the tightest limit above; nothing means that there is none."""

    tokens: int | None = None
    usd: float | None = None


async def left(tx: Tx, mission: UUID, *, without: UUID | None = None) -> Left:
    """What a mission can still give to a part of it. `without` is a part whose own share counts as free."""
    rows = await tx.rows(SQL["left"], {"mission": mission, "except": without, "now": tx.now}, into=BudgetLeftRow)
    tokens = [max(int(row.tokens), 0) for row in rows if row.tokens is not None]
    usd = [max(float(row.usd), 0.0) for row in rows if row.usd is not None]
    return Left(min(tokens, default=None), min(usd, default=None))


async def allot(
    tx: Tx, parent: Stored[Mission], tokens: int | None, usd: float | None, *, part: UUID | None = None
) -> None:
    """Refuse what the parent does not have. Two at once take turns, so that neither gets what the other got."""
    await tx.conn.execute(SQL["lock_mission"], {"id": str(parent.id)})
    there = await left(tx, parent.id, without=part)
    for wanted, has, measure in ((tokens, there.tokens, "tokens"), (usd, there.usd, "usd")):
        if wanted is not None and has is not None and wanted > has:
            raise Refused.conflict(
                f"{parent.slug} has {amount(has, measure)} left to give, not {amount(wanted, measure)}",
                hint=f"ask for less, or `hq mission revise {parent.slug}` gives it more",
            )
