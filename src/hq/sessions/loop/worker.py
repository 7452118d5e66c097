"""A worker's session: it has a brief and no more, nobody speaks to it, and it leaves artifacts instead of memories."""

from __future__ import annotations

import re

from hq.engine.sessions.steps import OpenStep
from hq.sessions.loop.kind import SessionKind, reason_of
from hq.sessions.loop.record import SessionEnded
from hq.sessions.workers import brief
from hq.sessions.workers.outcome import undone


class WorkerKind(SessionKind):
    async def open(self) -> OpenStep:
        self.mind.config = brief.config(self.claimed)
        return OpenStep(config=self.mind.config.as_json(), prompt=brief.prompt(self.claimed))

    async def hear(self) -> None:
        """All that is said to it was said."""

    async def look_around(self) -> None:
        """Its task stands by itself."""

    async def complete(self, done: re.Match[str]) -> SessionEnded | None:
        """By what the system saw: one that did nothing is no success, whatever it says."""
        reason = reason_of(done)
        if why := undone(self.talk, reason):
            return await self.close("failed", 2, why)
        return await self.close("done", 0, reason)
