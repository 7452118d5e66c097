"""A house to serve, and its address."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from hq.api.mcp import McpFace
from hq.database.migrate import Migrated
from hq.headquarters import Headquarters
from hq.settings import Settings
from tests.mcp.serving import served


@pytest.fixture
def house(hq: Any, tmp_path: Path) -> Headquarters:
    settings = Settings.load({"HQ_HOME": str(tmp_path)})
    return Headquarters(settings, hq.address, hq.door, hq.token, hq.clock, Migrated((), 1))


@pytest.fixture
async def address(house: Headquarters) -> AsyncIterator[str]:
    async with served(house, McpFace(house)) as url:
        yield url


@pytest.fixture
async def own_house(own_hq: Any, tmp_path: Path) -> AsyncIterator[tuple[Any, str]]:
    """A house with a database of its own, and its address."""
    settings = Settings.load({"HQ_HOME": str(tmp_path)})
    house = Headquarters(settings, own_hq.address, own_hq.door, own_hq.token, own_hq.clock, Migrated((), 1))
    async with served(house, McpFace(house)) as url:
        yield own_hq, url
