"""Text of workers: what came of them, and the files they wrote."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hq.engine.sessions.life import BUSY
from hq.sessions.session_text import state
from hq.terminal.screen import Screen
from hq.terminal.values import harmless

Data = Mapping[str, Any]


def joined(data: Data, screen: Screen) -> Iterator[str]:
    """What came of workers that were waited for."""
    for item in data["items"]:
        yield f"{screen.bold(item['worker'])}  {state(item['status'], screen)}"
        yield from (f"  {harmless(line)}" for line in (item.get("result") or item.get("summary") or "").splitlines())


def ran(data: Data, screen: Screen) -> Iterator[str]:
    """What came of a helper that was waited for; of one that goes on, how one comes back to it."""
    yield f"{screen.bold(data['worker'])}  {state(data['status'], screen)}"
    told = data.get("result") or data.get("summary") or ""
    yield from (f"  {harmless(line)}" for line in told.splitlines())
    if data["status"] in BUSY:
        yield screen.dim(f"`hq worker wait {data['worker']}` waits for it")


def contents(data: Data, screen: Screen) -> Iterator[str]:
    """A file as it is, so that it can be piped on; what else there is stands beside it."""
    yield from (harmless(line) for line in data["text"].splitlines())
