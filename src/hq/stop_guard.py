"""Stop guard: a process that stands still, or was asked to stop and does not, is ended by force, with its threads' stacks in the
log. What it worked on is others' then: a session at whose step two workers were lost is not taken up again."""

from __future__ import annotations

import asyncio
import faulthandler

from hq.settings import Settings

STOPS_WITHIN = 30.0
"""Seconds from a signal until everything but the database has ended, whatever is under way."""
DATABASE = 300.0
"""Seconds that an embedded database may take beyond that, to write what it holds; it hardly ever needs one."""
THREADS = 15.0
"""Seconds for threads that still work at the very end: nobody waits for what they find."""

PULSE = 5.0
"""Seconds between two signs of life."""


class StopGuard:
    """The last resort. It needs neither the event loop nor any other thread of Python's to be alive."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._begun = False

    async def watch(self) -> None:
        """The loop says again and again that it lives, until a signal comes."""
        if not (limit := self._settings.stuck_after):
            return
        try:
            while not self._begun:
                self._arm(limit)
                await asyncio.sleep(min(PULSE, limit / 4))
        finally:
            if not self._begun:
                faulthandler.cancel_dump_traceback_later()

    def begin(self) -> None:
        """A signal came; a further one gives no more time."""
        if self._begun:
            return
        self._begun = True
        self._arm(STOPS_WITHIN + (0.0 if self._settings.database_url else DATABASE))

    def nearly_over(self) -> None:
        """Only threads are left, which cannot be called off."""
        self._arm(THREADS)

    def _arm(self, seconds: float) -> None:
        self._log = self._settings.log_file.open("a")  # held open: it is written to when nothing else works
        faulthandler.dump_traceback_later(seconds, exit=True, file=self._log)
