"""The watchdog: looks for sessions and agents that something is wrong with and raises each occurrence once. No model is asked."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from psycopg import AsyncConnection
from psycopg.rows import namedtuple_row

from hq.database.queries import beside
from hq.door.caller import new_token, token_hash
from hq.door.door import Door
from hq.door.tx import Call
from hq.engine.duty import Duty
from hq.guard.budgets import Budgets
from hq.ids import new_id

SQL = beside(__file__)


@dataclass(frozen=True)
class Seen:
    """What one look found and did."""

    raised: tuple[str, ...]
    """The occurrences raised as incidents."""
    swept: int
    """Model calls whose worker is gone, counted as spent as estimated."""


@dataclass(frozen=True, kw_only=True)
class Watchdog:
    """To be run every half minute, by one process at a time; two do no harm."""

    silent: timedelta = timedelta(minutes=1)
    """How long after its lease a session may lie unclaimed."""
    idle: timedelta = timedelta(minutes=10)
    """How long a running session may take for one step."""
    failures: int = 3
    """How many failed sessions of an agent within an hour are too many, when they are half of all or more."""
    memories: int = 200
    """How many memories of one agent are too many."""

    async def run_once(self, door: Door) -> Seen:
        swept = await Budgets(door.pool, door.clock).sweep()
        found = await self._rows(door, "watch", {**self.__dict__, "now": door.clock.now()})
        return Seen(tuple([once for finding in found if (once := await self._raise(door, finding))]), swept)

    async def _raise(self, door: Door, finding: Any) -> str | None:
        """In the name of the agent it is about, with a key that can do nothing else."""
        token = new_token("watchdog")
        (key,) = await self._rows(
            door,
            "watchdog_credential",
            {
                "tenant": finding.tenant_id,
                "agent": finding.agent,
                "id": new_id(),
                "token": token_hash(token),
                "now": door.clock.now(),
            },
        )
        if not key.made:
            return None
        args = {"agent": finding.agent, "kind": finding.kind, "once": finding.once, "summary": finding.summary}
        if finding.session_id is not None:
            args["session"] = str(finding.session_id)
        raised = await door.call(Call("incident.raise", args, token, reason="watchdog"))
        return finding.once if raised.ok else None

    async def _rows(self, door: Door, query: str, values: dict[str, Any]) -> list[Any]:
        async with door.pool.connection() as conn, conn.cursor(row_factory=namedtuple_row) as cursor:
            await cursor.execute(SQL[query], values)
            return await cursor.fetchall()


class Watch(Duty):
    """The watchdog at its post: one look every half minute, by whoever leads."""

    name = "watchdog"
    lock = 0x68715F64
    channel = "hq_watch"  # nobody tells it anything: it goes by time alone
    pause = 30.0

    def __init__(self, url: str, door: Door) -> None:
        super().__init__(url)
        self._door = door

    async def run_once(self, conn: AsyncConnection[Any]) -> int:
        await Watchdog().run_once(self._door)
        return 0
