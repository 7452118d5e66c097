from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.passable import tmp_path

__all__ = ["tmp_path"]


@pytest.fixture
async def tree(hq) -> Path:
    """The working tree of a session, `one` on `app1`."""
    await hq.do("workspace.create", name="app1")
    return Path((await hq.do("workspace.begin", ref="app1", session="one"))["path"])
