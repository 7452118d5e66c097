"""Text of a mission's payoff: what is changed by whom, and how to follow it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hq.terminal.screen import Screen
from hq.terminal.values import one_line


def change(data: Mapping[str, Any], screen: Screen) -> Iterator[str]:
    yield f"{data['slug']}: {one_line(data['says'], screen)}"
    yield screen.dim(f"`hq mission show {data['slug']}` shows how far it is, `hq mission open {data['slug']}` opens it")
