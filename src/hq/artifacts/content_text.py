"""Text of a file or an artifact: nothing but it, so that it can be piped on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hq.terminal.screen import Screen
from hq.terminal.values import harmless

Data = Mapping[str, Any]


def content(data: Data, screen: Screen) -> Iterator[str]:
    """A file or an artifact: its text and nothing else, so that it can be piped on."""
    yield from harmless(data.get("text") or "").splitlines()
