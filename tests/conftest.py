"""One real Postgres for the whole run, one cloned database per test, the door on it, a clock that stands still."""

from __future__ import annotations

import asyncio
import fcntl
import importlib
import json
import os
import shutil
import signal
import tempfile
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import psycopg
import pytest
from hypothesis import HealthCheck, settings
from psycopg import sql

from hq.app import catalogue, migrate, open_door
from hq.business.tenant import found_first
from hq.clock import FakeClock
from hq.database.address import Address
from hq.database.embedded import EmbeddedServer
from tests.support.company import Hq, cloned
from tests.support.message_order import REFUSED
from tests.support.only_one import RUN, only_one

pytest_plugins = ["tests.support.hanging", "tests.support.servers", "tests.support.shapes", "tests.support.sshd"]
# How long anything takes says something of the machine, not of the code.
settings.register_profile("hq", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("hq")
MEMORY, ENOUGH = "/dev/shm", 4 * 2**30  # noqa: S108
# Without autovacuum: its worker is a superuser's, and a test's database could not be dropped under it.
QUICK = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
    "max_wal_size": "256MB",
    "scram_iterations": "1",  # thousands of connections, each a few milliseconds of hashing
    "file_copy_method": "clone",  # how databases are cloned: the kernel copies the files, or only says that it did
}


def pytest_configure(config: pytest.Config) -> None:
    # A run in the background ignores Ctrl-C, and so would every program that the tests start and interrupt.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if RUN not in os.environ:
        place = _place()
        _remove_left(place)
        os.environ[RUN] = tempfile.mkdtemp(prefix="hqtest-", dir=place)
        os.chmod(os.environ[RUN], 0o755)
        config.add_cleanup(partial(_end_run, _owned(Path(os.environ[RUN]))))
    importlib.import_module("hq.database.embedded.scratch").PLACE = os.environ[RUN]


def _place() -> str:
    """In memory, where there is enough of it: a cloned database is 600 new files, ten times as quick there."""
    roomy = os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ENOUGH
    return MEMORY if roomy else "/tmp"  # noqa: S108


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The slow ones first: one that is left for the end runs alone, while the other workers have nothing to do."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


def _end_run(owner: int) -> None:
    _remove(Path(os.environ.pop(RUN)))
    os.close(owner)


def _owned(run: Path) -> int:
    """A lock on the run's directory for as long as its process lives."""
    held = os.open(run / "owner.new", os.O_CREAT | os.O_RDWR)
    fcntl.flock(held, fcntl.LOCK_EX)
    (run / "owner.new").rename(run / "owner")
    return held


def _remove_left(place: str) -> None:
    """What this user's runs left that were killed: their server, and their directory."""
    for owner in Path(place).glob("hqtest-*/owner"):
        with suppress(OSError), open(owner) as held:
            if os.fstat(held.fileno()).st_uid != os.geteuid():
                continue
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _remove(owner.parent)


def _remove(run: Path) -> None:
    if (run / "home").exists():
        EmbeddedServer(run / "home", extra=QUICK).stop()
    shutil.rmtree(run, ignore_errors=True)


@pytest.fixture(scope="session")
def server() -> Address:
    """The owner's address of a running server: HQ_TEST_DATABASE_URL, or the wheel's own."""
    if given := os.environ.get("HQ_TEST_DATABASE_URL"):
        return Address(given)
    with only_one("server") as run:
        embedded = EmbeddedServer(run / "home", extra=QUICK)
        if not embedded.running():
            embedded.start()
        return Address(embedded.url)


@pytest.fixture(scope="session")
def template(server: Address) -> tuple[str, str]:
    """A migrated database with one founded company, and its founder's token. Tests clone it."""
    with only_one("template") as run:
        told = run / "template.json"
        if told.exists():
            name, token = json.loads(told.read_text())
            return name, token
        name = f"hq_template_{uuid.uuid4().hex[:8]}"
        with psycopg.connect(server.url, autocommit=True) as conn:
            conn.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
        migrate(server.database(name))
        token = asyncio.run(_found(server.database(name)))
        told.write_text(json.dumps([name, token]))
        return name, token


async def _found(address: Address) -> str:
    async with await psycopg.AsyncConnection.connect(address.app_url, autocommit=True) as conn:
        token = await found_first(conn, catalogue(), FakeClock(), "Acme HQ", "Founder")
    assert token
    return token


@pytest.fixture
def database(server: Address, template: tuple[str, str]) -> Iterator[Address]:
    """A database of the test's own, for tests that look at or break a whole one."""
    with cloned(server, template[0]) as address:
        yield address


@pytest.fixture(scope="session")
def shared(server: Address, template: tuple[str, str]) -> Iterator[Address]:
    """A database for many tests, each with a company of its own: isolation is the product's, so it serves here too."""
    with cloned(server, template[0]) as address:
        yield address


@pytest.fixture(autouse=True)
def well_formed() -> Iterator[None]:
    """No provider of a test was sent what a real one refuses."""
    REFUSED.clear()
    yield
    assert REFUSED == []


@pytest.fixture
def clock() -> FakeClock:
    clock = FakeClock()
    clock.advance(hours=1)
    return clock


@pytest.fixture
async def hq(shared: Address, template: tuple[str, str], clock: FakeClock, tmp_path: Path) -> AsyncIterator[Hq]:
    """The door, and a company founded for this test alone."""
    async with open_door(shared, vault_file=tmp_path / "vault.key", clock=clock, pool_size=8) as door:
        hq = Hq(door, shared, template[1], clock)
        hq.token = await hq.tenant()
        yield hq


@pytest.fixture
async def own_hq(database: Address, template: tuple[str, str], clock: FakeClock, tmp_path: Path) -> AsyncIterator[Hq]:
    """The same on a database of its own."""
    async with open_door(database, vault_file=tmp_path / "vault.key", clock=clock, pool_size=8) as door:
        yield Hq(door, database, template[1], clock)
