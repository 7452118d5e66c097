"""The server's lock on a home: its process holds it for as long as it lives, and a file says how to reach it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass

from hq import locks
from hq.errors import Refused
from hq.settings import Settings


@dataclass(frozen=True)
class RunningServer:
    """A server that is ready, as it describes itself in `run/server.json`."""

    pid: int
    url: str
    version: str
    started_at: str


def holder(settings: Settings) -> int | None:
    """The pid of the process that serves this home or is about to; None when there is none."""
    if not locks.held(settings.lock_file):
        return None
    text = settings.lock_file.read_text().strip()
    return int(text) if text.isdigit() else 0


def find(settings: Settings) -> RunningServer | None:
    """The server of this home, once it is ready. What a killed one left behind does not count."""
    if holder(settings) is None:
        return None
    try:
        return RunningServer(**json.loads(settings.server_file.read_text()))
    except (OSError, ValueError, TypeError):
        return None


@contextmanager
def claimed(settings: Settings) -> Iterator[None]:
    """Be the one process that serves this home, or refuse."""
    os.close(os.open(settings.lock_file, os.O_RDWR | os.O_CREAT, 0o600))
    descriptor = locks.take(settings.lock_file)
    if descriptor is None:
        raise Refused.conflict(_already(settings))
    try:
        os.ftruncate(descriptor, 0)
        os.write(descriptor, f"{os.getpid()}\n".encode())
        settings.server_file.unlink(missing_ok=True)
        yield
    finally:
        settings.server_file.unlink(missing_ok=True)
        os.close(descriptor)


def publish(settings: Settings, running: RunningServer) -> None:
    """Say that the server is ready; whole or not at all."""
    draft = settings.server_file.with_suffix(".new")
    draft.write_text(json.dumps(asdict(running)) + "\n")
    draft.replace(settings.server_file)


def _already(settings: Settings) -> str:
    if found := find(settings):
        return f"hq is already running on {found.url} (pid {found.pid}); `hq down` stops it"
    return f"hq is already starting on {settings.home} (pid {holder(settings)}); `hq status` shows when it is ready"
