"""The company with one of everything: made once for a run, and a copy of it for each test."""

from __future__ import annotations

import asyncio
import pickle
import shutil
import uuid
from collections.abc import AsyncIterator
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from hq.app import open_door
from hq.clock import FakeClock
from hq.database.address import Address
from tests.support.company import Hq, cloned
from tests.support.one_of_everything import Firm, founded
from tests.support.only_one import only_one


@pytest.fixture(scope="session")
def firm_template(server: Address, template: tuple[str, str]) -> Path:
    """A directory with what copies need: the database's name and what is known of the company, and its vault's key."""
    with only_one("firm") as run:
        kept = run / "firm"
        if not kept.exists():
            kept.mkdir()
            name = f"hq_firm_{uuid.uuid4().hex[:8]}"
            with psycopg.connect(server.url, autocommit=True) as conn:
                made = sql.SQL("create database {} template {} strategy file_copy")
                conn.execute(made.format(sql.Identifier(name), sql.Identifier(template[0])))
            known = asyncio.run(_founded(server.database(name), template[1], kept / "vault.key"))
            (kept / "known").write_bytes(pickle.dumps((name, known)))
        return kept


async def _founded(address: Address, token: str, key: Path) -> tuple[FakeClock, dict[str, object]]:
    clock = FakeClock()
    clock.advance(hours=1)
    async with open_door(address, vault_file=key, clock=clock, pool_size=8) as door:
        firm = await founded(Hq(door, address, token, clock))
    return clock, {name: value for name, value in vars(firm).items() if name != "hq"}


@pytest.fixture
async def firm(server: Address, template: tuple[str, str], firm_template: Path, tmp_path: Path) -> AsyncIterator[Firm]:
    """A company with one of everything, on a database of its own."""
    name, (clock, known) = pickle.loads((firm_template / "known").read_bytes())  # noqa: S301
    key = tmp_path / "vault.key"
    if (firm_template / "vault.key").exists():
        shutil.copy(firm_template / "vault.key", key)
    with cloned(server, name) as address:
        async with open_door(address, vault_file=key, clock=clock, pool_size=8) as door:
            yield Firm(Hq(door, address, template[1], clock), **known)
