"""`hq down`: ask the process that serves this home to stop, and wait until it has."""

from __future__ import annotations

import os
import signal
import time

from hq.errors import Outage, Refused
from hq.server_lock import holder
from hq.settings import Settings

PATIENCE = 60.0  # seconds; calls under way have ten, the rest is the database's
POLL = 0.05


def stop(settings: Settings) -> str:
    """Says what was done. Nothing to stop is no error."""
    pid = holder(settings)
    if pid is None:
        return _sweep(settings)
    if not pid:
        raise Outage("hq is just starting; try again in a moment")
    try:
        os.kill(pid, signal.SIGTERM)
    except ProcessLookupError:
        pass
    except PermissionError as error:
        raise Refused.forbidden(f"hq (pid {pid}) was started by another user; stop it as that user") from error
    _await_end(settings, pid)
    return f"hq is stopped (pid {pid})"


def _sweep(settings: Settings) -> str:
    """A killed hq leaves its database running."""
    from hq.headquarters import stop_unused_database

    if stop_unused_database(settings):
        return "hq was not running; its database was, and is stopped now"
    return "hq is not running"


def _await_end(settings: Settings, pid: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while holder(settings) == pid:
        if time.monotonic() > deadline:
            raise Outage(f"hq (pid {pid}) does not stop; `hq logs` says why, `kill -9 {pid}` ends it by force")
        time.sleep(POLL)
