"""Workers in two network namespaces, one of them cut off in the middle of an effect: the other goes on, nothing twice."""

from __future__ import annotations

import asyncio
import os
import secrets
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from hq.app import open_door
from hq.clock import SystemClock
from hq.database.address import Address
from tests.crash.doomed import Scene, Workers, ended, outside
from tests.support.company import Hq

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("ip"), reason="needs root and iproute2 for namespaces"),
]


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, timeout=30)


@contextmanager
def namespace(number: int):
    """A namespace with one cable to this one: its name, the cable, and our address at the end of it."""
    mark = secrets.token_hex(2)
    name, ours, theirs = f"hqtest-{mark}", f"hqt{mark}a", f"hqt{mark}b"
    net = f"10.{200 + number}.{int(mark[:2], 16)}"
    ip("netns", "add", name)
    try:
        ip("link", "add", ours, "type", "veth", "peer", "name", theirs, "netns", name)
        ip("addr", "add", f"{net}.1/30", "dev", ours)
        ip("link", "set", ours, "up")
        ip("-n", name, "addr", "add", f"{net}.2/30", "dev", theirs)
        ip("-n", name, "link", "set", theirs, "up")
        yield name, ours, f"{net}.1"
    finally:
        ip("netns", "del", name)  # the cable goes with it


@asynccontextmanager
async def relays(host: str, *, unix: str, port: int):
    """On our end of the cable: a way to the database, and one to what is outside. Their ports."""

    async def pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.close()

    async def to(opened, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await opened()
        await asyncio.gather(pipe(reader, back), pipe(there, writer), return_exceptions=True)

    database = await asyncio.start_server(lambda r, w: to(lambda: asyncio.open_unix_connection(unix), r, w), host, 0)
    counter = await asyncio.start_server(
        lambda r, w: to(lambda: asyncio.open_connection("127.0.0.1", port), r, w), host, 0
    )
    try:
        yield database.sockets[0].getsockname()[1], counter.sockets[0].getsockname()[1]
    finally:
        database.close()
        counter.close()


async def test_cut_off_in_the_middle_the_other_goes_on(database, template, tmp_path):
    told = conninfo_to_dict(database.url)
    socket = f"{told['host']}/.s.PGSQL.{told['port']}"
    with outside() as counting, namespace(1) as (here, cable, ours), namespace(2) as (there, _, theirs):
        port = int(counting.url.rpartition(":")[2])
        async with (
            relays(ours, unix=socket, port=port) as (ours_db, ours_out),
            relays(theirs, unix=socket, port=port) as (theirs_db, theirs_out),
            workers(here, database.url, ours, ours_db, ours_out, tmp_path) as cut,
            workers(there, database.url, theirs, theirs_db, theirs_out, tmp_path) as other,
            open_door(database, vault_file=tmp_path / "vault.key", pool_size=4) as door,
        ):
            hq = Hq(door, database, template[1], SystemClock())  # type: ignore[arg-type]
            await hq.do("agent.create", name="scout", role="Scout")
            scene = Scene(hq, other, counting)
            session = await scene.ask("split")
            counting.open.clear()
            pid = (await asyncio.to_thread(cut.run, stop=True))["pid"]
            assert await asyncio.to_thread(counting.knocked.wait, 30)

            ip("link", "set", cable, "down")
            await scene.lease_over()
            counting.open.set()
            await asyncio.to_thread(other.run)
            before = await scene.steps(session)
            assert await scene.check(session, "split") == {"one"}

            ip("link", "set", cable, "up")
            await ended(pid)
            assert await scene.steps(session) == before
            assert counting.counts == {"split-one": 1, "split-two": 1}


@asynccontextmanager
async def workers(name: str, url: str, host: str, database: int, counter: int, home: Path) -> AsyncIterator[Workers]:
    inside = Address(make_conninfo(url, host=host, port=database))
    within = ["ip", "netns", "exec", name]
    made = await asyncio.to_thread(Workers, inside, home, f"{host}:{counter}", within=within)
    try:
        yield made
    finally:
        await asyncio.to_thread(made.close)
