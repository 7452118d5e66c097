"""The house around the sessions of one process: who an agent is, which mind answers, what it may spend."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hq.agents.config import AgentConfig
from hq.agents.session import Reservation
from hq.agents.transcript import Transcript
from hq.door.door import Door
from hq.engine.sessions.leases import Claimed
from hq.guard.loops import looping
from hq.minds.mind import Ask, Mind, Reply
from hq.minds.service import Minds


class Free:
    """Nothing is set aside: the mind costs nothing."""

    async def settle(self, reply: Reply | None) -> None:
        return None


@dataclass
class Staff:
    door: Door
    minds: Minds

    async def config(self, claimed: Claimed) -> AgentConfig:
        return AgentConfig(claimed.agent, f"You are {claimed.agent}.")

    async def mind(self, claimed: Claimed, ask: Ask, config: AgentConfig) -> tuple[Mind, dict[str, Any]]:
        return await self.minds.mind(claimed.tenant_id, ask.tier), {}

    async def budget(self, claimed: Claimed, ask: Ask, config: AgentConfig) -> Reservation:
        return Free()

    def looping(self, transcript: Transcript) -> str | None:
        return looping(transcript.calls)
