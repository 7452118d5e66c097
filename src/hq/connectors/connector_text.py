"""Text of what comes through a connector: what a tool said, and what a server offers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hq.terminal.screen import Screen
from hq.terminal.table import table
from hq.terminal.values import harmless

Data = Mapping[str, Any]


def called(data: Data, screen: Screen) -> Iterator[str]:
    """The tool's own words, harmless to a terminal, and whose they are."""
    yield from harmless(data.get("text") or "").splitlines()
    if data.get("truncated"):
        yield screen.dim("(it said more than is passed on)")
    if data.get("is_error"):
        yield screen.red("the tool says that it failed")
    yield screen.dim(f"written by others: {', '.join(data['taint'])}")


def tested(data: Data, screen: Screen) -> Iterator[str]:
    yield f"{data['connector']} answers: {data['tools']} tools in {data['milliseconds']:g} ms"
    if changed := data.get("changed"):
        yield screen.red(f"not as they were accepted: {', '.join(map(harmless, changed))}")


def refreshed(data: Data, screen: Screen) -> Iterator[str]:
    """The tools as they stand after asking; what is new or changed has to be accepted."""
    result = data.get("result") or {}
    if not result.get("ok"):
        yield screen.red(
            f"{data['connector']} was asked, but not noted: {(result.get('error') or {}).get('message', '')}"
        )
        return
    tools = result["data"]["tools"]
    yield from table(tools, screen) if tools else ("it offers no tools",)
    if any(tool["state"] in ("new", "changed") for tool in tools):
        yield screen.dim(f"`hq connector approve {data['connector']}` accepts what is new or changed")
