"""Text of workspaces and the sandbox: where files are, what changed, and what holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hq.terminal.screen import Screen
from hq.terminal.values import harmless, one_line

MARKS = {"added": "+", "removed": "-", "changed": "~"}


def begun(data: Mapping[str, Any], _screen: Screen) -> Iterator[str]:
    yield harmless(data["path"])


def opened(data: Mapping[str, Any], screen: Screen) -> Iterator[str]:
    yield harmless(data["path"])
    if unsaved := data.get("unsaved"):
        named = one_line(", ".join(unsaved[:5]), screen)
        yield screen.red(
            f"changed by hand there, so not brought up to date: {named}; `hq workspace take` takes it over"
        )


def exported(data: Mapping[str, Any], _screen: Screen) -> Iterator[str]:
    yield harmless(data["path"])
    if left_out := data.get("left_out"):
        yield f"left out, because they are links that lead elsewhere: {harmless(', '.join(left_out))}"


def saved(data: Mapping[str, Any], screen: Screen) -> Iterator[str]:
    count = len(data.get("changed", ())) + data.get("more", 0)
    yield f"saved {data['slug']} of {data['session']}: {count} {'change' if count == 1 else 'changes'}"
    yield from _lines(data.get("changed", ()), data.get("more", 0), screen)


def difference(data: Mapping[str, Any], screen: Screen) -> Iterator[str]:
    """As `diff` shows it where lines were asked for, else one line for each file."""
    found = data.get("items", ())
    if not any("patch" in each for each in found):
        yield from _lines(found, data.get("more", 0), screen)
        return
    for each in found:
        for line in each["patch"]:
            plain = harmless(line.expandtabs())
            color = screen.green if line.startswith("+") else screen.red if line.startswith("-") else str
            yield color(plain)
    yield from _lines((), data.get("more", 0), screen)


def _lines(found: Any, more: int, screen: Screen) -> Iterator[str]:
    for each in found:
        yield f"{MARKS[each['what']]} {one_line(each['path'], screen)}"
    if more:
        yield screen.dim(f"… and {more} more")
