"""kill -9 of hq, of Postgres, of both, in the middle of writes: what was acknowledged is there, nothing is half there."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest

from hq.app import catalogue, migrate, open_door
from hq.business.tenant import found_first
from hq.clock import SystemClock
from hq.database.address import Address
from hq.database.embedded import EmbeddedServer, scratch_home
from hq.door.tx import Call

WORKER = Path(__file__).with_name("worker.py")
ENOUGH = 40


@pytest.fixture
def home():
    """A durable server of the test's own, fsync and all."""
    with scratch_home() as path:
        server = EmbeddedServer(path)
        server.start()
        yield path, server
        server.stop()


def founded(server: EmbeddedServer) -> tuple[Address, str]:
    address = Address(server.url)
    migrate(address)

    async def found() -> str | None:
        async with await psycopg.AsyncConnection.connect(address.app_url, autocommit=True) as conn:
            return await found_first(conn, catalogue(), SystemClock(), "Acme", "Founder")

    token = asyncio.run(found())
    assert token
    return address, token


def writer(address: Address, token: str, home: Path, prefix: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, WORKER, address.url, token, home, prefix],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def acknowledged(process: subprocess.Popen[str], enough: int) -> list[str]:
    """Read until enough was acknowledged; the rest comes after the kill."""
    assert process.stdout
    return [process.stdout.readline().strip() for _ in range(enough)]


def rest(process: subprocess.Popen[str]) -> list[str]:
    assert process.stdout
    lines = process.stdout.read().splitlines(keepends=True)
    process.wait()
    return [line.strip() for line in lines if line.endswith("\n")]


def check(address: Address, token: str, acked: list[str], home: Path) -> None:
    """Every acknowledged write is there and whole: node, history, both links, ledger row and event; nothing without the rest."""
    with psycopg.connect(address.url) as conn:
        there = {row[0] for row in conn.execute("select slug from graph.nodes where type = 'task'")}
        halves = conn.execute(
            """
            select n.slug from graph.nodes n where n.type = 'task' and (
                   not exists (select 1 from graph.versions v where v.item_id = n.id)
                or (select count(*) from graph.edges e where e.from_id = n.id and e.live) <> 2
                or not exists (select 1 from ops.agent_actions a where a.seq = n.seq and a.status = 'ok')
                or not exists (select 1 from ops.outbox o where o.seq = n.seq))
            union all
            select a.id::text from ops.agent_actions a where a.action_type = 'task.create' and a.status = 'ok'
               and not exists (select 1 from graph.nodes n where n.seq = a.seq)
            """
        ).fetchall()
    assert set(acked) <= there
    assert halves == []
    assert asyncio.run(writes_again(address, token, home))


async def writes_again(address: Address, token: str, home: Path) -> bool:
    async with open_door(address, vault_file=home / "vault.key") as door:
        return (await door.call(Call("task.create", {"title": "after"}, token))).ok


def kill_postgres(server: EmbeddedServer) -> None:
    pid = server.pid
    assert pid
    children = [int(p) for p in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    for each in (pid, *children):
        with suppress(ProcessLookupError):
            os.kill(each, signal.SIGKILL)


@pytest.mark.slow
def test_killing_the_program_loses_nothing_that_was_acknowledged(home):
    path, server = home
    address, token = founded(server)
    process = writer(address, token, path, "a")
    acked = acknowledged(process, ENOUGH)

    process.kill()

    check(address, token, acked + rest(process), path)


@pytest.mark.slow
def test_killing_postgres_loses_nothing_that_was_acknowledged(home):
    path, server = home
    address, token = founded(server)
    process = writer(address, token, path, "a")
    acked = acknowledged(process, ENOUGH)

    kill_postgres(server)
    process.kill()
    acked += rest(process)
    server.start()

    check(address, token, acked, path)


@pytest.mark.slow
def test_a_program_goes_on_by_itself_when_postgres_comes_back(home):
    path, server = home
    address, token = founded(server)
    process = writer(address, token, path, "a")
    acked = acknowledged(process, ENOUGH)

    kill_postgres(server)
    server.start()
    acked += acknowledged(process, ENOUGH * 2)
    process.kill()

    check(address, token, acked + rest(process), path)
