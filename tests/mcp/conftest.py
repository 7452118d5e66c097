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
