"""Signals to a session: what others want of it while it works. It looks at them at every step."""

from __future__ import annotations

import asyncio
from datetime import datetime

from hq.sessions.session_host import HANDOVER, INTERRUPT, REST, SOFT


class SessionSignals:
    def __init__(self, stop: str | None) -> None:
        self.stop = stop
        """Why it is to stop."""
        self.leave = False
        """Its process ends: it is handed back at its next step."""
        self.rests = False
        """Whom it acts for was paused."""
        self.deadline: datetime | None = None
        """When it is stopped with what it has by then."""
        self.thinking: asyncio.Timeout | None = None
        """While its mind is asked."""

    def halt(self, why: str) -> None:
        """Asked to stop, or to rest. A hard interrupt does not even wait for what the mind is about to say."""
        if why == REST:
            self.rests = True
            return
        self.stop = self.stop if self.stop and self.stop != SOFT else why
        if self.stop.startswith(INTERRUPT) and self.thinking is not None:
            self.thinking.reschedule(asyncio.get_running_loop().time())

    def stops_now(self, pending: bool) -> bool:
        """Asked to hand over, it first makes the calls its mind is waiting for; interrupted softly, it goes on."""
        return bool(self.stop) and self.stop != SOFT and not (self.stop.startswith(HANDOVER) and pending)

    @property
    def interrupted(self) -> bool:
        """Softly: what the mind wanted to do is left undone, and it reads the message instead."""
        return self.stop == SOFT

    def heard(self) -> None:
        """The message was read: a soft interrupt is over with that."""
        self.stop = None if self.stop == SOFT else self.stop

    def late(self, now: datetime) -> bool:
        return self.deadline is not None and now >= self.deadline

    def left(self, now: datetime) -> float | None:
        """Seconds."""
        return (self.deadline - now).total_seconds() if self.deadline else None
