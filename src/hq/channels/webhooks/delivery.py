"""Delivery of announced events to webhooks, by the courier. One leader at a time; each endpoint by itself, in order.

An event is tried again and again by a schedule that grows, then given up as a dead letter, and the next one follows.
"""

from __future__ import annotations

import asyncio
import json
import random
import traceback
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, LiteralString
from uuid import UUID

import psycopg
import structlog
from psycopg_pool import PoolTimeout

from hq.channels.webhooks import signing
from hq.channels.webhooks.rows import DeliveryEndRow, DueWebhookRow, RepeatedDeliveryRow
from hq.channels.webhooks.sender import Attempt, Sender
from hq.channels.webhooks.verbs import COURIER_TOKEN, SQL, previous_name, secret_name
from hq.database.connection import ListeningConnection
from hq.door.door import Door
from hq.door.tx import Call
from hq.engine.duty import Duty
from hq.engine.tenancy import outside, rows
from hq.errors import HqError
from hq.guard.vault import Vault, fetch_for
from hq.json_types import WireBody
from hq.stream.cursor import Cursor
from hq.stream.event import Announced, read_page
from hq.stream.topics import Topics

REST = 30.0
"""Seconds between looks while there is no webhook at all; news wakes it anyway."""
SCAN = 500
RETRIES = tuple(
    timedelta(seconds=seconds) for seconds in (5, 5 * 60, 30 * 60, 2 * 3600, 5 * 3600, 10 * 3600, 10 * 3600)
)
"""After each failure in turn, as the Standard Webhooks specification proposes; more than a day in all."""
JITTER = 0.2
DISABLED_AFTER = timedelta(days=5)
"""An endpoint that failed for so long without one success is disabled."""
BOTH_KEYS = timedelta(days=1)
TESTED = "webhook.tested"
log = structlog.get_logger("hq.webhooks")


class Endpoint:
    """A webhook as it was when the courier last looked."""

    def __init__(self, found: DueWebhookRow) -> None:
        self.tenant: UUID = found.tenant_id
        self.id: UUID = found.webhook_id
        self.slug: str = found.slug
        self.url: str = found.props.url
        self.allow_private: bool = found.props.allow_private
        self.position = Cursor.of_event(found.seq, found.ordinal)
        self.last: str = found.last
        self.line: int = found.line
        self._topics = Topics(found.props.topics)
        self.searched = Topics([*self._topics.patterns, TESTED])

    def wants(self, event: Announced) -> bool:
        if self._topics.match(event.topic):
            return True
        return json.loads(event.body + b"}")["payload"].get("slug") == self.slug

    @property
    def key(self) -> dict[str, UUID]:
        return {"tenant": self.tenant, "webhook": self.id}


class Courier(Duty):
    name = "courier"
    lock = 0x68715F77
    patience = 30.0

    def __init__(self, url: str, door: Door) -> None:
        super().__init__(url)
        self._door = door
        self._clock = door.clock
        self._sender = Sender()
        self._busy: dict[UUID, asyncio.Task[int]] = {}
        self._searched: dict[UUID, Cursor] = {}
        """Up to where nothing was wanted: kept in mind, and written down only now and then."""

    async def run(self) -> None:
        try:
            await super().run()
        finally:
            await self._sender.close()

    async def deliver_once(self) -> int:
        """Deliver what is due. Returns how many attempts were made."""
        return sum(await asyncio.gather(*await self._start_due()))

    async def lead(self, conn: ListeningConnection) -> None:
        while True:
            await self._start_due()
            await conn.news(self.pause if await self._any() else REST)

    async def resign(self) -> None:
        tasks = list(self._busy.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _start_due(self) -> list[asyncio.Task[int]]:
        """Set out to every endpoint that is due and not being served."""
        started = []
        for found in await rows(self._door.pool, SQL["due"], {"now": self._clock.now()}, into=DueWebhookRow):
            if found.webhook_id not in self._busy:
                task = asyncio.create_task(self._serve(Endpoint(found)))
                self._busy[found.webhook_id] = task
                task.add_done_callback(lambda _, done=found.webhook_id: self._busy.pop(done, None))
                started.append(task)
        return started

    async def _serve(self, endpoint: Endpoint) -> int:
        """Everything there is for one endpoint, until something fails."""
        try:
            return await self._repeat(endpoint) + await self._catch_up(endpoint)
        except (HqError, psycopg.Error, PoolTimeout) as error:
            log.warning("a webhook could not be served", webhook=endpoint.slug, error=str(error).strip())
            return 0

    async def _repeat(self, endpoint: Endpoint) -> int:
        """What somebody asked to have again: once each, and where that fails it stays given up. Also what was being sent
        again when a process died."""
        asked = await rows(self._door.pool, SQL["again"], endpoint.key, into=RepeatedDeliveryRow)
        for each in asked:
            page = await read_page(
                self._door.pool, endpoint.tenant, Cursor.of_event(each.seq, each.ordinal - 1), each.seq, Topics(), 1
            )
            for event in page.events:
                await self._deliver(endpoint, event, last_try=True)
        return len(asked)

    async def _catch_up(self, endpoint: Endpoint) -> int:
        tried = 0
        after = max(endpoint.position, self._searched.get(endpoint.id, endpoint.position))
        while after < Cursor.of_event(endpoint.line):
            page = await read_page(self._door.pool, endpoint.tenant, after, endpoint.line, endpoint.searched, SCAN)
            for event in filter(endpoint.wants, page.events):
                tried += 1
                if not await self._deliver(endpoint, event):
                    return tried
            if page.upto < Cursor.of_event(endpoint.line):
                await self._write(SQL["skip"], **endpoint.key, seq=page.upto.seq, ordinal=page.upto.at)
            after = self._searched[endpoint.id] = page.upto
        return tried

    async def _deliver(self, endpoint: Endpoint, event: Announced, *, last_try: bool = False) -> bool:
        """One attempt. Says whether the next event may follow."""
        now = self._clock.now()
        journal = endpoint.key | {"seq": event.position.seq, "ordinal": event.position.at}
        async with outside(self._door.pool) as reader:
            attempts = await reader.scalar(SQL["begin"], {**journal, "topic": event.topic, "now": now}, of=int)
        if attempts is None:
            return False  # paused, removed or frozen meanwhile
        attempt = await self._send(endpoint, event)
        given_up = last_try or attempts > len(RETRIES)
        status = "delivered" if attempt.ok else "dead" if given_up and not attempt.gone else "failed"
        wait = RETRIES[min(attempts, len(RETRIES)) - 1] * random.uniform(1 - JITTER, 1 + JITTER)
        came = {"status": status, "response": attempt.status, "error": attempt.error, "duration": attempt.milliseconds}
        ending = {**journal, **came, "next": now + wait, "now": now}
        ended = await rows(self._door.pool, SQL["end"], ending, into=DeliveryEndRow)
        if ended:
            await self._report(endpoint, attempt, ended[0].turned, ended[0].failing_since)
        if status != "failed":
            endpoint.last = str(event.position)
        return attempt.ok

    async def _send(self, endpoint: Endpoint, event: Announced) -> Attempt:
        """Whatever goes wrong is a failed attempt: one that is not written down would be made again at once, for ever."""
        try:
            return await self._sent(endpoint, event)
        except HqError as error:
            return Attempt(False, error=error.message)
        except (psycopg.Error, PoolTimeout):
            raise
        except Exception as error:
            log.error("a webhook could not be sent", webhook=endpoint.slug, traceback=traceback.format_exc())
            return Attempt(False, error=f"something went wrong inside hq ({type(error).__name__}); `hq logs` has it")

    async def _sent(self, endpoint: Endpoint, event: Announced) -> Attempt:
        keys = await self._keys(endpoint)
        if not keys or not all(map(signing.signs, keys)):
            why = "is none that signs" if keys else "is no longer there"
            return Attempt(False, error=f"its secret in the vault {why}; `hq webhook rotate` makes a new one")
        said = json.loads(event.told(endpoint.last))
        message = f"{said['action']}_{event.position.at}"
        body = json.dumps(_standard(said), ensure_ascii=False, separators=(",", ":")).encode()
        signed = signing.headers(message, self._clock.now(), body, keys)
        return await self._sender.send(endpoint.url, body, signed, allow_private=endpoint.allow_private)

    async def _keys(self, endpoint: Endpoint) -> list[str]:
        vault = self._door.services[Vault]
        async with self._door.pool.connection() as conn:
            new = await fetch_for(conn, vault, endpoint.tenant, secret_name(endpoint.slug))
            old = await fetch_for(conn, vault, endpoint.tenant, previous_name(endpoint.slug))
        fresh = old is not None and self._clock.now() - old.set_at < BOTH_KEYS
        return [kept.plain for kept in (new, old if fresh else None) if kept]

    async def _report(self, endpoint: Endpoint, attempt: Attempt, turned: str | None, since: datetime | None) -> None:
        """Tell the company, once, through the door."""
        why = attempt.error or ""
        if attempt.gone:
            turned, why = "disabled", "the address answered that it is gone for good (410)"
        elif since is not None and self._clock.now() - since >= DISABLED_AFTER:
            turned, why = "disabled", f"it failed for {DISABLED_AFTER.days} days; the last time: {why}"
        if turned is None:
            return
        async with self._door.pool.connection() as conn:
            token = await fetch_for(conn, self._door.services[Vault], endpoint.tenant, COURIER_TOKEN)
        args = {"ref": str(endpoint.id), "turned": turned, "why": why[:500]}
        told = await self._door.call(Call("webhook.report", args, token.plain if token else ""))
        if not told.ok:
            log.warning("a webhook's state could not be told", webhook=endpoint.slug, turned=turned, error=told.error)

    async def _any(self) -> bool:
        async with outside(self._door.pool) as reader:
            return await reader.the_scalar(SQL["any"], of=bool)

    async def _write(self, query: LiteralString, **values: Any) -> None:
        async with outside(self._door.pool) as reader:
            await reader.conn.execute(query, values)


def _standard(said: Mapping[str, object]) -> WireBody:
    """The names the specification proposes, and ours beside them."""
    own = {name: said[name] for name in ("id", "prev", "action", "actor", "taint") if name in said}
    return {"type": said["topic"], "timestamp": said["at"], "data": said["payload"], **own}
