"""The connection breaks after the commit and before its answer: the caller still hears what happened."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from hq.app import open_door
from hq.door.tx import Call

COMMITTED = b"COMMIT\x00"


@dataclass
class Wire:
    """Passes bytes on to Postgres and back. Armed, it swallows the next answer to a commit and hangs up."""

    socket: str
    armed: bool = False
    cut: asyncio.Event = field(default_factory=asyncio.Event)

    async def carry(self, near_in: asyncio.StreamReader, near_out: asyncio.StreamWriter) -> None:
        far_in, far_out = await asyncio.open_unix_connection(self.socket)
        there = asyncio.create_task(self._pass(near_in, far_out))
        while data := await far_in.read(65536):
            if self.armed and COMMITTED in data:
                self.armed = False
                self.cut.set()
                break
            near_out.write(data)
        there.cancel()
        near_out.close()
        far_out.close()

    async def _pass(self, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        while data := await source.read(65536):
            target.write(data)


@asynccontextmanager
async def wired(address) -> AsyncIterator[tuple[object, Wire]]:
    parts = conninfo_to_dict(address.app_url)
    if not str(parts.get("host", "")).startswith("/"):
        pytest.skip("the server is not reached over a socket file")
    wire = Wire(f"{parts['host']}/.s.PGSQL.{parts.get('port', 5432)}")
    server = await asyncio.start_server(wire.carry, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    owner = conninfo_to_dict(address.url) | {"host": "127.0.0.1", "port": port, "sslmode": "disable"}
    async with server:
        yield replace(address, url=make_conninfo(**owner)), wire


async def test_a_commit_whose_answer_was_lost_is_reported_as_done(own_hq, tmp_path: Path):
    async with (
        wired(own_hq.address) as (address, wire),
        open_door(address, vault_file=tmp_path / "key", clock=own_hq.clock) as door,  # type: ignore[arg-type]
    ):
        await door.call(Call("task.create", {"title": "Warm up"}, own_hq.token))
        wire.armed = True
        told = await door.call(Call("task.create", {"title": "Once"}, own_hq.token))

        assert wire.cut.is_set() and told.ok, told.error
    listed = (await own_hq.do("task.list"))["items"]
    assert [row["title"] for row in listed] == ["Once", "Warm up"]
