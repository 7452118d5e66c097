"""The session's host: what a session needs of the process around it. Light: whatever only names these need not load a
model's library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from hq.door.door import Door
from hq.engine.sessions.leases import Claimed
from hq.engine.sessions.steps import SessionWait
from hq.minds.mind import Mind, MindRequest, Reply
from hq.minds.policy import TierDecision
from hq.sessions.config import AgentConfig

if TYPE_CHECKING:
    from hq.sessions.transcript import Transcript

HANDOVER = "handover: "
"""How the reason of a stop begins that asks for a memo to the next session."""


INTERRUPT = "interrupt: "
"""How it begins when somebody stops the session at once; it still leaves a memo."""
REST = "rest"
"""No stop either: whom it acts for was paused, and it is handed back at its next step until that ends."""
SOFT = "soft interrupt"
"""No stop: what the mind wanted to do is left undone, and it reads the message instead."""


class SessionHost(Protocol):
    door: Door

    async def config(self, claimed: Claimed) -> AgentConfig: ...

    async def tier(self, claimed: Claimed, config: AgentConfig) -> TierDecision:
        """How strong a mind this turn gets, and why."""
        ...

    async def mind(self, claimed: Claimed, ask: MindRequest) -> Mind:
        """Who answers."""
        ...

    async def budget(self, claimed: Claimed, ask: MindRequest, config: AgentConfig) -> Reservation: ...

    def looping(self, transcript: Transcript, config: AgentConfig) -> str | None: ...


class Reservation(Protocol):
    def within(self, ask: MindRequest) -> MindRequest:
        """The request as it may be made: with a shorter answer where what is left does not allow a longer one."""
        ...

    def weighed(self, reply: Reply) -> Reply:
        """The reply with what of its question counts as kept, where whoever answered says nothing of a cache."""
        ...

    async def settle(self, reply: Reply | None, error: Exception | None = None) -> None: ...


class OverBudget(Exception):
    """A hard cap would be passed. The session waits for what lifts it, or until a moment; with neither, it is over."""

    def __init__(self, why: str, wait: SessionWait | None = None) -> None:
        super().__init__(why)
        self.why = why
        self.wait = wait
