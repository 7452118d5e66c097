"""A Postgres for the length of a benchmark, as durable as the product's own, with a company in it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from uuid import UUID

import psycopg
from psycopg import AsyncConnection, sql

from bench.measure import cpu_of, family
from hq.app import catalogue, migrate
from hq.business.tenant import found_first
from hq.clock import SystemClock
from hq.database.address import Address
from hq.database.embedded import EmbeddedServer, scratch

DURABLE = {"fsync": "on", "full_page_writes": "on", "synchronous_commit": "on"}


@contextmanager
def durable_server() -> Iterator[EmbeddedServer]:
    """With the settings of the product: a commit is on the disk when it is acknowledged."""
    with scratch(shared_buffers="128MB", extra=DURABLE) as server:
        yield server


def server_cpu(server: EmbeddedServer) -> float:
    """Seconds of CPU that all processes of the server took so far."""
    return cpu_of(family(server.pid))


@dataclass(frozen=True)
class Company:
    """A founded company in a database of its own."""

    address: Address
    token: str
    tenant: UUID
    producer: UUID
    actor: str


def found_company(server: EmbeddedServer, name: str, company: str = "Bench") -> Company:
    """A fresh database, migrated, with its first company."""
    with psycopg.connect(server.url, autocommit=True) as owner:
        owner.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
    address = Address(server.url).database(name)
    migrate(address)
    token = asyncio.run(_found(address, company))
    with psycopg.connect(address.url) as owner:
        row = owner.execute("select tenant_id, producer_id, actor from ops.principals").fetchone()
    assert row is not None
    return Company(address, token, *row)


async def _found(address: Address, company: str) -> str:
    async with await AsyncConnection.connect(address.app_url, autocommit=True) as conn:
        token = await found_first(conn, catalogue(), SystemClock(), company, "Founder")
    assert token is not None
    return token
