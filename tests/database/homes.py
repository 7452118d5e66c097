"""Homes of earlier hqs, unpacked and opened. `home_0022/make.py` says how that one was made."""

from __future__ import annotations

import json
import re
import tarfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, LiteralString, cast
from uuid import uuid4

import psycopg
from psycopg import sql

from hq.clock import FakeClock
from hq.database.address import Address
from hq.database.roles import ensure_roles
from hq.headquarters import open_headquarters, recover_token
from hq.settings import Settings
from tests.support.company import Hq
from tests.support.play import DONE, Play, route

HOME_0022 = Path(__file__).parent / "home_0022" / "home.tar.xz"
VAULT_KEY = "5e" * 32
_BACKSLASH = re.compile(r"^\\(?:un)?restrict .*$", re.MULTILINE)
_COPY = re.compile(r"^(COPY .* FROM stdin);\n", re.MULTILINE)
_ROLE = re.compile(r"\bTO hq_(app|reader)\b")


@contextmanager
def restored(server: Address, archive: Path = HOME_0022) -> Iterator[str]:
    """The name of a database with what is in that home's, as it was left."""
    name = f"hq_home_{uuid4().hex[:12]}"
    address = server.database(name)
    with tarfile.open(archive) as home:
        member = home.extractfile("database.sql")
        assert member is not None
        dump = member.read().decode()
    roles = {"app": address.app_role, "reader": address.reader_role}
    with psycopg.connect(server.url, autocommit=True) as conn:
        conn.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
        try:
            with psycopg.connect(address.url, autocommit=True) as inside:
                ensure_roles(inside, address)
                _load(inside, _ROLE.sub(lambda found: f'TO "{roles[found[1]]}"', dump))
            yield name
        finally:
            conn.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))


def _load(conn: psycopg.Connection, dump: str) -> None:
    """Not by psql, which loses its place in functions that begin atomically."""
    statements, *copies = _COPY.split(_BACKSLASH.sub("", dump))
    conn.execute(cast(LiteralString, statements))
    for copy, rest in zip(copies[::2], copies[1::2], strict=True):
        rows, _, statements = rest.partition("\\.\n")
        with conn.cursor().copy(cast(LiteralString, copy)) as into:
            into.write(rows)
        conn.execute(cast(LiteralString, statements))


@dataclass
class OldHome:
    """A home of an earlier hq under today's, and what its maker noted of it."""

    hq: Hq
    told: dict[str, Any]

    async def as_agent(self, agent: str, verb: str, key: str, **args: Any) -> Any:
        """A call that was made before, made again under its key."""
        return await self.hq.call(verb, **args, _token=await self.hq.agent(agent), _key=key)

    async def status(self, noun: str, ref: str) -> str:
        shown = await self.hq.do(f"{noun}.show", ref=ref)
        return shown.get("status") or shown["props"]["status"]

    async def titles(self, noun: str) -> list[str]:
        return [row["title"] for row in (await self.hq.do(f"{noun}.list", limit=200))["items"]]

    async def made(self, verb: str) -> int:
        """How many calls of this verb have taken place."""
        rows = (await self.hq.do("action.list", verb=verb, limit=200))["items"]
        return sum(row["status"] == "ok" for row in rows)

    async def finish(self, session: str) -> str:
        """Run what is ready; how that session stands then."""
        play = Play(self.hq)
        await route(self.hq)
        await play.runner([DONE]).run_once()
        return (await self.hq.do("session.show", id=session))["state"]


@asynccontextmanager
async def opened(address: Address, place: Path, archive: Path = HOME_0022) -> AsyncIterator[OldHome]:
    """The home at `place`, its database at `address`: migrated and opened, as `hq up` does."""
    with tarfile.open(archive) as home:
        home.extractall(place, numeric_owner=True, filter="fully_trusted")  # noqa: S202 - our own
    told = json.loads((place / "told.json").read_text())
    clock = FakeClock(datetime.fromisoformat(told["now"]))
    clock.advance(minutes=5)
    env = {"HQ_HOME": str(place), "HQ_DATABASE_URL": address.url, "HQ_VAULT_KEY": VAULT_KEY, "HQ_PORT": "0"}
    settings = Settings.load(env)
    await recover_token(settings, None, clock)
    async with open_headquarters(settings, clock) as headquarters:
        assert headquarters.token
        yield OldHome(Hq(headquarters.door, headquarters.address, headquarters.token, clock), told)
