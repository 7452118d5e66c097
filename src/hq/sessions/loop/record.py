"""A session's record: its journal, and the transcript that grows with it. The journal is the fence: who lost the session writes
nothing more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from hq.engine.sessions.journal import Journal, JournalStep
from hq.engine.sessions.steps import SessionWait, StepPayload, WaitStep
from hq.sessions.transcript import Transcript


@dataclass(frozen=True)
class SessionEnded:
    """How a session came to rest: waiting, or over with an exit code (0 done, 1 budget, 2 error, 3 stopped)."""

    state: str
    exit_code: int = 0
    why: str = ""


class SessionRecord:
    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self.talk = Transcript()

    async def read(self) -> Sequence[JournalStep]:
        """From the beginning, as after a crash."""
        steps = await self.journal.read()
        self.talk = Transcript.of(steps)
        return steps

    async def write(self, payload: StepPayload) -> None:
        await self.journal.append(payload)
        self.talk.add(payload)

    def written(self, payload: StepPayload, has_mail: bool | None) -> None:
        """The door wrote this step, in the transaction of the call."""
        self.journal.written(has_mail)
        self.talk.add(payload)

    async def park(self, payload: WaitStep, wait: SessionWait, deadline: datetime | None = None) -> SessionEnded:
        """Lie down until one of these comes, or then."""
        wake_at = min((moment for moment in (wait.until, deadline) if moment), default=None)
        state = await self.journal.park(payload, replace(wait, until=wake_at))
        return SessionEnded("waiting") if state == "waiting" else SessionEnded("queued")

    async def hand_back(self) -> SessionEnded:
        """Whoever takes it up again goes on from the journal."""
        await self.journal.hand_back()
        return SessionEnded("queued")
