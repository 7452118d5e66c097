"""One home, opened: its database running and migrated, its company founded, its door ready to be called."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psycopg
import structlog
from psycopg import AsyncConnection, errors

from hq import locks
from hq.agents.event_router import AgentRoom
from hq.app import catalogue, migrate, open_door
from hq.business.tenant import found_first, recover
from hq.clock import Clock, SystemClock
from hq.connectors.program import shown_paths
from hq.database.address import Address
from hq.database.embedded import EmbeddedServer
from hq.database.migrate import Migrated
from hq.door.door import Door
from hq.door.tx import Call
from hq.engine.announcer import Announcer, announce_once
from hq.engine.indexer import Indexer, index_once
from hq.errors import Outage, Refused
from hq.graph.search.service import Embedders
from hq.guard.loops import LoopLimits
from hq.home import prepare_home, read_token, write_private
from hq.settings import Settings

TIDYING = 8.0
"""Seconds for telling and indexing what the last calls left."""
log = structlog.get_logger("hq.headquarters")


@dataclass(frozen=True)
class Headquarters:
    """What a face needs: the door, and the token of the home it stands in."""

    settings: Settings
    address: Address
    door: Door
    token: str | None
    clock: Clock
    migrated: Migrated


@asynccontextmanager
async def open_headquarters(settings: Settings, clock: Clock | None = None) -> AsyncIterator[Headquarters]:
    """Come in: the database runs and is migrated, the first company is there, the door is open."""
    clock = clock or SystemClock()
    embedders = Embedders(settings.embedder, settings.embedder_url, settings.embedder_key)
    prepare_home(settings.home)
    async with running_database(settings) as url:
        with _explained(settings):
            address = Address(url, _secret(settings))
            migrated = await asyncio.to_thread(migrate, address)
            token, founded = await _token(settings, address, clock)
        async with open_door(
            address,
            vault_file=settings.vault_file,
            vault_key=settings.vault_key,
            clock=clock,
            keep_days=settings.artifact_days,
            pool_size=settings.pool_size,
            calls_per_second=settings.calls_per_second,
            embedders=embedders,
            search=settings.search,
            companies=settings.companies,
            loops=LoopLimits.parse(settings.loops),
            agent_room=AgentRoom(settings.agents_at_once, settings.agents_memory * 2**20),
            run_timeout=settings.run_timeout,
            connector_sandbox=settings.connector_sandbox,
            connector_paths=shown_paths(settings.connector_paths, settings.home),
        ) as door:
            if founded and token:
                await _first_agents(door, token)
            yield Headquarters(settings, address, door, token, clock, migrated)
            with suppress(psycopg.Error, TimeoutError):  # whoever comes next takes up what this one leaves
                async with asyncio.timeout(TIDYING):
                    await announce_once(Announcer(address.app_url, clock))
                    await index_once(Indexer(address.app_url, catalogue(), clock, embedders))


@asynccontextmanager
async def running_database(settings: Settings) -> AsyncIterator[str]:
    """The owner's address of a running server. Whoever is the last to leave an embedded one stops it.

    So a command never stops it under another's feet, and one that a killed process left behind is stopped too.
    """
    if settings.database_url:
        yield Address(settings.database_url).checked().url
        return
    server = EmbeddedServer(settings.home)
    use = await asyncio.to_thread(locks.share, _use_lock(settings))
    starting = asyncio.ensure_future(asyncio.to_thread(server.start))
    try:
        await asyncio.shield(starting)
        yield server.url
    finally:
        # Called off while it starts, it still has to be waited for: a thread cannot be stopped, a server can.
        await asyncio.gather(starting, return_exceptions=True)
        if locks.alone(use):
            await asyncio.to_thread(server.stop)
        os.close(use)


def stop_unused_database(settings: Settings) -> bool:
    """Stop the embedded server of a home that no process uses. Says whether there was one."""
    if settings.database_url or not _use_lock(settings).exists():
        return False
    server = EmbeddedServer(settings.home)
    use = locks.share(_use_lock(settings))
    try:
        found = locks.alone(use) and server.running()
        if found:
            server.stop()
        return found
    finally:
        os.close(use)


@contextmanager
def _explained(settings: Settings) -> Iterator[None]:
    """What the disk or the database refuses while the house is made ready, in words."""
    try:
        yield
    except (errors.DiskFull, OSError) as error:
        raise Outage(
            f"{settings.home} or its database cannot be written to ({_in_short(error)}); free some disk space"
        ) from error
    except errors.UndefinedFile as error:
        raise Outage(
            f"the database lacks something hq needs: {_in_short(error)}; install pgvector on that server"
        ) from error
    except psycopg.Error as error:
        raise Outage(f"the database could not be made ready: {_in_short(error)}") from error


def _in_short(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def _use_lock(settings: Settings) -> Path:
    """Shared by every process that uses the embedded server."""
    return settings.home / "run" / "database.lock"


async def _first_agents(door: Door, token: str) -> None:
    """A company does not begin empty. That they cannot be written now is no reason not to open: see `hq job list`."""
    loaded = await door.call(Call("agent.load", {}, token, reason="founded"))
    if not loaded.ok:
        log.warning("the first agents were not loaded", error=loaded.error)


async def _token(settings: Settings, address: Address, clock: Clock) -> tuple[str | None, bool]:
    """The home's own token: made with the first company, kept 0600, read by the command line by itself. And whether
    that was just now."""
    async with await AsyncConnection.connect(address.app_url, autocommit=True) as conn, conn.transaction():
        token = await found_first(conn, catalogue(), clock, "Headquarters", "Founder")
        if token is not None:
            # Kept before the commit: killed in between, there is no company yet, never one that nobody can enter.
            write_private(settings.token_file, token + "\n")
    return token or read_token(settings), token is not None


async def recover_token(settings: Settings, company: str | None, clock: Clock | None = None) -> str:
    """A new token for the home whose own was lost, for whoever owns its database. Returns the company's name."""
    clock = clock or SystemClock()
    prepare_home(settings.home)
    async with running_database(settings) as url:
        address = Address(url, _secret(settings))
        if not address.may_migrate:
            raise Refused.forbidden("HQ_DATABASE_URL names hq's own role; only the owner of the database can recover")
        with _explained(settings):
            await asyncio.to_thread(migrate, address)
            async with await AsyncConnection.connect(url, autocommit=True) as conn:
                slug, token = await recover(conn, clock, company)
    write_private(settings.token_file, token + "\n")
    return slug


def _secret(settings: Settings) -> str:
    """For servers that trust connections without a password: the product's role still gets one."""
    file = settings.home / "database.key"
    if not file.exists():
        write_private(file, os.urandom(32).hex() + "\n")
    return file.read_text().strip()
