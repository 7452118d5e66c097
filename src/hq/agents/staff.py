"""The house around the sessions of one process: who an agent is, which mind answers, what it may spend."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hq.agents.config import AgentConfig
from hq.agents.session import Reservation
from hq.agents.spending import Free, Spending
from hq.agents.transcript import Transcript
from hq.door.door import Door
from hq.engine.sessions.leases import Claimed
from hq.guard.loops import LoopLimits, looping
from hq.minds.mind import Ask, Mind
from hq.minds.service import Minds

__all__ = ["Free", "Staff"]


@dataclass
class Staff:
    door: Door
    minds: Minds

    def __post_init__(self) -> None:
        self.spending = Spending(self.door, self.minds)
        self._limits: LoopLimits = self.door.services.get(LoopLimits) or LoopLimits()

    async def config(self, claimed: Claimed) -> AgentConfig:
        return AgentConfig(claimed.agent, f"You are {claimed.agent}.")

    async def mind(self, claimed: Claimed, ask: Ask, config: AgentConfig) -> tuple[Mind, dict[str, Any]]:
        return await self.minds.mind(claimed.tenant_id, ask.tier), {}

    async def budget(self, claimed: Claimed, ask: Ask, config: AgentConfig) -> Reservation:
        return await self.spending.reserve(claimed, ask)

    def looping(self, transcript: Transcript, config: AgentConfig) -> str | None:
        full = transcript.tokens / config.context_window
        return looping(transcript.calls, transcript.made, full, self._limits, self._reads)

    def _reads(self, verb: str) -> bool:
        known = self.door.registry.verbs.get(verb)
        return known is not None and not known.changes
