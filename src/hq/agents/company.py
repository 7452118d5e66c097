"""What a session needs of the house around it. Light: whatever only names these need not load a model's library."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from hq.agents.config import AgentConfig
from hq.door.door import Door
from hq.engine.sessions.leases import Claimed
from hq.minds.mind import Ask, Mind, Reply
from hq.minds.policy import Decision

if TYPE_CHECKING:
    from hq.agents.transcript import Transcript

HANDOVER = "handover: "
"""How the reason of a stop begins that asks for a memo to the next session."""


class Company(Protocol):
    door: Door

    async def config(self, claimed: Claimed) -> AgentConfig: ...

    async def tier(self, claimed: Claimed, config: AgentConfig) -> Decision:
        """How strong a mind this turn gets, and why."""
        ...

    async def mind(self, claimed: Claimed, ask: Ask) -> Mind:
        """Who answers."""
        ...

    async def budget(self, claimed: Claimed, ask: Ask, config: AgentConfig) -> Reservation: ...

    def looping(self, transcript: Transcript, config: AgentConfig) -> str | None: ...


class Reservation(Protocol):
    async def settle(self, reply: Reply | None, error: Exception | None = None) -> None: ...


class OverBudget(Exception):
    """A hard cap would be passed. The session waits for what lifts it, or until a moment; with neither, it is over."""

    def __init__(
        self, why: str, waits_for: Sequence[str] = (), until: datetime | None = None, since: str | None = None
    ) -> None:
        super().__init__(why)
        self.why = why
        self.waits_for = waits_for
        """Each as `noun:id`; an event about one of them ends the wait."""
        self.until = until
        self.since = since
        """The call after which such an event counts."""
