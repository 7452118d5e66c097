"""`hq doctor`: looks at everything hq needs, and tries the real thing on a scratch database."""

from __future__ import annotations

import asyncio
import platform
import shutil
import stat
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from hq.errors import HqError, Outage
from hq.settings import Settings
from hq.terminal.screen import Screen

if TYPE_CHECKING:
    from hq.database.migrate import SchemaState

State = Literal["ok", "warn", "fail"]
OLDEST_PYTHON = (3, 11)
LITTLE_ROOM, NO_ROOM = 1024**3, 256 * 1024**2
BORN = datetime(2026, 1, 1, tzinfo=UTC)
PATIENCE = 10.0  # seconds for the ledger to be linked
SKEW = timedelta(seconds=5)
PRIVATE = ("token", "vault.key", "database.key", "remote.json")


@dataclass(frozen=True)
class DoctorFinding:
    """What one look found, and what to do about it when it is not well."""

    name: str
    state: State
    says: str
    advice: str = ""

    def line(self, screen: Screen) -> str:
        ink = {"ok": screen.green, "warn": screen.yellow, "fail": screen.red}[self.state]
        return f"{ink(f'{self.state:<4}')}  {self.name:<10} {self.says}" + (f"; {self.advice}" if self.advice else "")


def examine(settings: Settings) -> Iterator[DoctorFinding]:
    """One look after the other, each told as soon as it is done."""
    yield _python()
    yield _clock()
    yield from _home(settings)
    yield _disk(settings)
    yield _port(settings)
    yield _programs(settings)
    yield _sandbox()
    if settings.database_url:
        server = _external(settings)
        yield server
        if server.state == "fail":  # it is what was asked about, and nothing else is worth looking at before it is well
            return
    yield from _trial(settings)
    yield _schema(settings)


def _python() -> DoctorFinding:
    says = f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"
    if sys.version_info < OLDEST_PYTHON:
        return DoctorFinding("python", "fail", says, "hq needs Python 3.11 or newer")
    return DoctorFinding("python", "ok", says)


def _clock() -> DoctorFinding:
    now = datetime.now(UTC)
    if now < BORN:
        return DoctorFinding(
            "clock", "fail", f"it says {now:%Y-%m-%d}, before hq was written", "set this machine's clock"
        )
    return DoctorFinding("clock", "ok", f"{now:%Y-%m-%d %H:%M:%S} UTC")


def _home(settings: Settings) -> Iterator[DoctorFinding]:
    from hq.home import prepare_home

    try:
        prepare_home(settings.home)
    except HqError as error:
        yield DoctorFinding("home", "fail", error.message)
        return
    yield DoctorFinding("home", "ok", f"{settings.home} is writable")
    files = [file for name in PRIVATE if (file := settings.home / name).exists()]
    exposed = [file for file in files if _exposed(file)]
    for file in exposed:
        yield DoctorFinding("secrets", "fail", f"{file} can be read by others", f"run `chmod 600 {file}`")
    if not exposed:
        yield DoctorFinding(
            "secrets", "ok", f"{len(files)} private files, all closed to others" if files else "none yet"
        )


def _exposed(file: Path) -> bool:
    return bool(stat.S_IMODE(file.stat().st_mode) & 0o077)


def _disk(settings: Settings) -> DoctorFinding:
    place = next(path for path in (settings.home, *settings.home.parents) if path.exists())
    free = shutil.disk_usage(place).free
    says = f"{free // 1024**2:,} MB free at {place}"
    if free < NO_ROOM:
        return DoctorFinding("disk", "fail", says, "free some space, or set HQ_HOME to another disk")
    return DoctorFinding(
        "disk", "warn" if free < LITTLE_ROOM else "ok", says, "that is little" if free < LITTLE_ROOM else ""
    )


def _port(settings: Settings) -> DoctorFinding:
    from hq.api.listener import bind
    from hq.cli.status import asked
    from hq.server_lock import find

    if running := find(settings):
        if asked(running.url):
            return DoctorFinding("port", "ok", f"hq serves {running.url} (pid {running.pid})")
        return DoctorFinding(
            "port", "fail", f"hq (pid {running.pid}) does not answer on {running.url}", "see `hq logs`"
        )
    try:
        bind(settings).close()
    except HqError as error:
        return DoctorFinding("port", "fail", error.message)
    return DoctorFinding("port", "ok", f"{settings.port} is free")


def _programs(settings: Settings) -> DoctorFinding:
    from hq.database.embedded.binaries import installed

    try:
        says = f"embedded Postgres {installed().version()} runs on this machine"
        unused = "; HQ_DATABASE_URL names another, so it is only tried" if settings.database_url else ""
        return DoctorFinding("postgres", "ok", says + unused)
    except HqError as error:
        return DoctorFinding("postgres", "warn" if settings.database_url else "fail", error.message)


def _sandbox() -> DoctorFinding:
    from hq.sandbox import machine

    try:
        return DoctorFinding("sandbox", "ok", f"programs run in {machine.look().bubblewrap}")
    except HqError as error:
        return DoctorFinding("sandbox", "warn", error.message, error.hint or "")


def _trial(settings: Settings) -> Iterator[DoctorFinding]:
    """The real thing, on a home that is thrown away."""
    from hq.database.embedded import scratch_home

    started = time.monotonic()
    try:
        with scratch_home() as home:
            scratch = replace(Settings.load({"HQ_HOME": str(home)}), pool_size=2)
            links = asyncio.run(_live_through(scratch))
    except Exception as error:
        says = error.message if isinstance(error, HqError) else f"a scratch company failed: {error!r}"
        yield DoctorFinding(
            "trial", "warn" if settings.database_url else "fail", says, "`hq up` would fail in the same way"
        )
        return
    took = time.monotonic() - started
    yield DoctorFinding(
        "trial", "ok", f"a scratch database was made, migrated, written, read and stopped in {took:.1f} s"
    )
    yield DoctorFinding("ledger", "ok", f"the scratch company's chain of {links} links was proven")


async def _live_through(settings: Settings) -> int:
    """A company's first minute: write, read, link the ledger, prove it. Returns how long the chain is."""
    from psycopg import AsyncConnection

    from hq.door.tx import Call
    from hq.engine.announcer import Announcer
    from hq.headquarters import Headquarters, open_headquarters

    async def do(hq: Headquarters, verb: str, **args: object) -> dict:
        outcome = await hq.door.call(Call(verb, args, hq.token or ""))
        if not outcome.ok:
            raise Outage(f"{verb} failed: {outcome.message}")
        return outcome.data

    async with open_headquarters(settings) as hq:
        task = await do(hq, "task.create", title="See the doctor")
        shown = await do(hq, "task.show", ref=task["slug"])
        if shown["id"] != task["id"]:
            raise Outage("what was written is not what was read back")
        announcer = Announcer(hq.address.app_url, hq.clock)
        async with (
            await AsyncConnection.connect(hq.address.app_url, autocommit=True) as conn,
            asyncio.timeout(PATIENCE),
        ):
            while not await announcer.run_once(conn):
                await asyncio.sleep(0.01)
        proof = await do(hq, "ledger.verify")
        if not proof["intact"] or not proof["links"]:
            raise Outage(f"the ledger does not hold: {proof['faults']}")
        return proof["links"]


def _external(settings: Settings) -> DoctorFinding:
    """The server in HQ_DATABASE_URL: looked at, never changed."""
    import psycopg

    from hq.database.address import Address
    from hq.database.migrate import in_one_line, lacking

    try:
        address = Address(settings.database_url or "").checked()
        with psycopg.connect(address.url, connect_timeout=5) as conn:
            row = conn.execute("select current_setting('server_version'), clock_timestamp()").fetchone()
            lacks = lacking(conn)
    except HqError as error:
        return DoctorFinding("server", "fail", error.message)
    except psycopg.Error as error:
        says = f"HQ_DATABASE_URL does not answer: {in_one_line(error)}"
        return DoctorFinding("server", "fail", says, "check the address and that it runs")
    assert row is not None
    if lacks:
        return DoctorFinding("server", "fail", "HQ_DATABASE_URL answers", lacks)
    says = f"HQ_DATABASE_URL is Postgres {row[0].split()[0]}"
    if abs(datetime.now(UTC) - row[1]) > SKEW:
        return DoctorFinding(
            "server", "warn", f"{says}; its clock and this one differ by more than 5 s", "set both by NTP"
        )
    return DoctorFinding("server", "ok", says)


def _schema(settings: Settings) -> DoctorFinding:
    """Whether this hq can open this home's database, and what it would change in it. An embedded one runs meanwhile."""
    if not (settings.database_url or (settings.home / "postgres").exists()):
        return DoctorFinding("schema", "ok", "no database yet; `hq up` makes it")
    try:
        state = asyncio.run(_schema_state(settings))
    except HqError as error:
        return DoctorFinding("schema", "fail", error.message)
    if state.without_hashes:
        return DoctorFinding("schema", "ok", f"{state.version:04d}, known by names alone; `hq up` matches its tables")
    if state.missing:
        told = ", ".join(state.missing[:3]) + (" …" if len(state.missing) > 3 else "")
        return DoctorFinding("schema", "ok", f"{state.version:04d}; `hq up` applies {len(state.missing)} more: {told}")
    if state.stale:
        return DoctorFinding("schema", "ok", f"{state.version:04d}; `hq up` applies the functions of this hq")
    return DoctorFinding("schema", "ok", f"{state.version:04d}, every migration as this hq knows it")


async def _schema_state(settings: Settings) -> SchemaState:
    from hq.app import functions
    from hq.database.migrate import inspect
    from hq.headquarters import running_database

    async with running_database(settings) as url:
        return await asyncio.to_thread(inspect, url, functions())
