"""The public way in, as a test uses it."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from hq.clock import FakeClock
from hq.database.address import Address
from hq.door.door import Door
from hq.door.outcome import Outcome
from hq.door.tx import Call


@contextmanager
def cloned(server: Address, template: str) -> Iterator[Address]:
    """A copy of a database, for the length of a block. Copied as files: through the WAL it takes twice the CPU."""
    name = f"hq_test_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(server.url, autocommit=True) as conn:
        made = sql.SQL("create database {} template {} strategy file_copy")
        conn.execute(made.format(sql.Identifier(name), sql.Identifier(template)))
        try:
            yield server.database(name)
        finally:
            conn.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))


class Hq:
    """The public way in, as a test uses it."""

    def __init__(self, door: Door, address: Address, token: str, clock: FakeClock, root: str | None = None) -> None:
        self.door = door
        self.address = address
        self.token = token
        self.clock = clock
        self.root = root or token

    async def call(self, verb: str, /, **args: Any) -> Outcome:
        """Call a verb. `_token`, `_key`, `_reason`, `_actor`, `_at`, `_known_at` go with the call, not into it."""
        how = {name[1:]: args.pop(name) for name in list(args) if name.startswith("_")}
        return await self.door.call(Call(verb, args, how.pop("token", self.token), **how))

    async def do(self, verb: str, /, **args: Any) -> Any:
        """Call a verb that must succeed; its data."""
        outcome = await self.call(verb, **args)
        assert outcome.ok, outcome.error
        return outcome.data

    async def agent(self, name: str = "chief", **more: Any) -> str:
        """The token of an agent."""
        return (await self.do("auth.token", agent=name, **more))["token"]

    async def hired(self, name: str) -> str:
        """The token of an agent that is on the record too."""
        await self.do("agent.create", name=name, role=name.upper())
        return await self.agent(name)

    async def company(self) -> uuid.UUID:
        """The id of the company whose founder this is."""
        return uuid.UUID((await self.do("auth.whoami"))["tenant_id"])

    async def tenant(self, name: str | None = None) -> str:
        """The token of another company's founder."""
        name = name or f"Company {uuid.uuid4().hex[:12]}"
        return (await self.do("tenant.create", _token=self.root, name=name, founder="Founder"))["token"]


def ended_process(pid: int) -> bool:
    """Nothing runs under the pid: in a container, whose first process collects nobody, an orphan that ended stays listed."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True
