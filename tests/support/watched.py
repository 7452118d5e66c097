"""A house as it is, but for its mind."""

from __future__ import annotations

from hq.agents.session_services import SessionServices
from hq.minds.policy import TierDecision
from hq.sessions.reservation import NoReservation


class Watched(SessionServices):
    """Services as they are, but for the mind."""

    def __init__(self, hq, told) -> None:
        super().__init__(hq.door, None)  # type: ignore[arg-type]
        self.told = told

    async def tier(self, claimed, config):
        return TierDecision("default", "a test")

    async def mind(self, claimed, ask):
        return self.told

    async def budget(self, claimed, ask, config):
        return NoReservation()
