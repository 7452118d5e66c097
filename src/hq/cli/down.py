"""`hq down`: ask the process that serves this home to stop, wait until it is gone, and end it by force where it does not listen."""

from __future__ import annotations

import os
import select
import signal
import time
from contextlib import suppress

from hq.errors import Outage, Refused
from hq.server_lock import holder
from hq.settings import Settings
from hq.stop_guard import STOPS_WITHIN

PATIENCE = STOPS_WITHIN + 15.0
"""Seconds; calls under way have ten, the rest is the database's. A process that hears the signal ends in time by itself."""
KILLED = 10.0
POLL = 0.05


def stop(settings: Settings) -> str:
    """Says what was done. Nothing to stop is no error."""
    pid = holder(settings)
    if pid is None:
        return _sweep(settings)
    if not pid:
        raise Outage("hq is just starting; try again in a moment")
    with suppress(ProcessLookupError), _Process(pid) as process:
        try:
            os.kill(pid, signal.SIGTERM)
        except PermissionError as error:
            raise Refused.forbidden(f"hq (pid {pid}) was started by another user; stop it as that user") from error
        if not process.ends_within(PATIENCE):
            return _kill(settings, process)
    return f"hq is stopped (pid {pid})"


def _kill(settings: Settings, process: _Process) -> str:
    os.kill(process.pid, signal.SIGKILL)
    if not process.ends_within(KILLED):
        raise Outage(f"hq (pid {process.pid}) does not stop, not even by force; `hq logs` says what it was doing")
    _sweep(settings)
    return (
        f"hq did not listen and was ended by force (pid {process.pid}); what was under way goes on at the next `hq up`"
    )


def _sweep(settings: Settings) -> str:
    """A killed hq leaves its database running."""
    from hq.headquarters import stop_unused_database

    if stop_unused_database(settings):
        return "hq was not running; its database was, and is stopped now"
    return "hq is not running"


class _Process:
    """A process by its own handle where the system has such: a pid may be another's a moment later."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._handle: int | None = None

    def __enter__(self) -> _Process:
        if hasattr(os, "pidfd_open"):
            self._handle = os.pidfd_open(self.pid)
        return self

    def __exit__(self, *_: object) -> None:
        if self._handle is not None:
            os.close(self._handle)

    def ends_within(self, seconds: float) -> bool:
        if self._handle is not None:
            return bool(select.select([self._handle], [], [], seconds)[0])
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            try:
                os.kill(self.pid, 0)
            except ProcessLookupError:
                return True
            time.sleep(POLL)
        return False
