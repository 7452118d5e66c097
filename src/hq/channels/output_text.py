"""Text of a tool's output: its own words first, harmless to a terminal, then what became of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hq.terminal.screen import Screen
from hq.terminal.values import harmless

Data = Mapping[str, Any]
BAD = ("critical", "unknown")


def output(data: Data, screen: Screen) -> Iterator[str]:
    yield from harmless(data.get("text") or "").splitlines()
    yield from _became(data, screen)
    if not data.get("complete", True):
        yield screen.red("it went on beyond what is kept, and was stopped")
    whole = f"artifact {data['artifact']}" if data.get("artifact") else ""
    others = f"written by others: {', '.join(data['taint'])}" if data.get("taint") else ""
    yield screen.dim(" · ".join(part for part in (whole, others) if part))


def _became(data: Data, screen: Screen) -> Iterator[str]:
    if verdict := data.get("verdict"):
        where = f"{data['skill']} on {data['where']}: {verdict}"
        yield screen.red(where) if verdict in BAD else screen.green(where) if verdict == "ok" else where
    if data.get("timed_out") or data.get("killed_by"):
        yield screen.red(data.get("why") or "it took too long and was stopped")
    elif data.get("exit_code"):
        yield screen.red(f"it ended with {data['exit_code']}")
    if status := data.get("status"):
        said = f"{status} {harmless(str(data.get('url', '')))}"
        yield screen.red(said) if status >= 400 else screen.dim(said)
