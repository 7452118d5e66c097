"""An agent to have skills."""

from __future__ import annotations

import pytest

from tests.support.passable import tmp_path

__all__ = ["tmp_path"]


@pytest.fixture
async def sre(hq):
    """The token of an agent that is also a node."""
    return await hq.hired("sre")
