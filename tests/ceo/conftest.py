"""The agents' stage serves here too."""

import pytest

from agents.conftest import play, stage
from ceo.hearts import Heart

__all__ = ["play", "stage"]


@pytest.fixture
async def heart(own_hq) -> Heart:
    """The shipped agents, and a heart that beats when the test says so."""
    await own_hq.do("agent.load")
    made = Heart(own_hq)
    await made.beat(hours=1)
    return made
