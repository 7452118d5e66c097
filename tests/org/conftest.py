"""Organisations to try things on."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.company import Hq


class Team:
    """The software team of the seed, in a company of its own."""

    def __init__(self, hq: Hq, slug: str) -> None:
        self.hq, self.slug = hq, slug

    async def document(self, **how: Any) -> str:
        return (await self.hq.do("org.export", org=self.slug, **how))["document"]

    async def seat(self, title: str) -> dict[str, Any]:
        return await self.hq.do("position.show", org=self.slug, title=title)


@pytest.fixture
async def team(hq: Hq) -> Team:
    made = await hq.do("org.create", template="software-team")
    return Team(hq, made["slug"])


async def seated(hq: Hq, name: str, org: str, title: str, **more: Any) -> str:
    """The token of an agent that sits in a seat that is there."""
    seat = await hq.do("position.show", org=org, title=title)
    await hq.do("agent.hire", name=name, position_id=seat["position_id"], **more)
    return await hq.agent(name)
