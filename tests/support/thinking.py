"""A CEO with something to weigh, and a mind that decides as it is told."""

from __future__ import annotations

import json
from decimal import Decimal
from types import SimpleNamespace

import pytest
from pydantic_ai.messages import ModelResponse, TextPart

from hq.minds.config import MindConfig
from hq.minds.mind import Reply, TokenUsage
from hq.minds.service import Minds


class Mind:
    """Says what it is told to, and can be looked at."""

    name = "thinker"

    def __init__(self, *says: object) -> None:
        self.says, self.asked = list(says), []

    async def answer(self, ask, *, on_text=None) -> Reply:
        self.asked.append(ask)
        says = self.says.pop(0)
        if isinstance(says, Exception):
            raise says
        text = says if isinstance(says, str) else json.dumps(says)
        return Reply(ModelResponse(parts=[TextPart(text)]), "test:thinker", TokenUsage(100, 10), Decimal("0.01"), 1.0)


class OneMind:
    def __init__(self, mind: Mind) -> None:
        self._mind = mind

    async def company(self, tenant, conn=None):
        chain = [MindConfig("thinker", "ollama", "thinker")]
        return SimpleNamespace(choice=lambda tier, model=None: SimpleNamespace(chain=chain))

    async def mind(self, tenant, tier="default"):
        return self._mind


@pytest.fixture
async def backlog(heart):
    """Somebody idle, and something nobody has."""
    await heart.hq.do("agent.create", name="scout", role="Researcher")
    await heart.hq.do("mission.create", title="Research the birds")
    return heart


async def thinking(heart, *says: object) -> Mind:
    mind = Mind(*says)
    heart.hq.door.services[Minds] = OneMind(mind)
    await heart.beat(minutes=11)
    return mind
