"""Events at a steady rate: the rows a door call writes, in bare transactions, so that what is measured is their way out."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from psycopg import AsyncClientCursor, AsyncConnection
from psycopg.types.json import Jsonb
from psycopg_pool import AsyncConnectionPool

from bench.listening import TOPIC
from hq.clock import SystemClock
from hq.database.address import Address
from hq.door.caller import token_hash
from hq.door.waker import Waker
from hq.ids import new_id

WRITERS = 24
CALL = """
begin;
select principal_id, credential_id from ops.open_call(%s, null, '', %s, 'bench.tick', null, %s, true, false);
select ops.record(%s, (select id from ops.principals where actor = current_setting('hq.actor') limit 1), null, null, null,
                  %s, null, 'bench.tick', 'write', null, null, '{}', '{}', 'ok', null, 'internal', 'do', 0, null, null,
                  '{}', null, %s);
commit
"""


async def tick(address: Address, token: str, rate: float, count: int) -> list[float]:
    """So many events a second, so many in all. For each the moment its commit was acknowledged, on the shared clock."""
    committed = [0.0] * count
    async with AsyncConnectionPool[AsyncConnection[Any]](
        address.app_url, min_size=WRITERS, max_size=WRITERS + 1, kwargs={"autocommit": True}, open=False
    ) as pool:
        await pool.wait()
        waker, numbers, started = Waker(pool), iter(range(count)), time.perf_counter() + 0.1

        async def write() -> None:
            async with pool.connection() as conn:
                for n in numbers:
                    await asyncio.sleep(max(0.0, started + n / rate - time.perf_counter()))
                    await _emit(conn, token, n)
                    committed[n] = time.perf_counter()
                    waker.wake()

        # One after the other keeps the numbers in order; only a high rate needs several at a time.
        await asyncio.gather(*(write() for _ in range(1 if rate <= 100 else WRITERS)))
        await waker.flush()
    return committed


async def _emit(conn: AsyncConnection[Any], token: str, n: int) -> None:
    action = new_id()
    events = [{"topic": TOPIC, "payload": {"n": n}}]
    async with AsyncClientCursor(conn) as cursor:
        await cursor.execute(CALL, [token_hash(token), action, SystemClock().now(), action, new_id(), Jsonb(events)])
