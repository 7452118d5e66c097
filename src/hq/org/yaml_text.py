"""Text of the organisation's answers: YAML, as its documents are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hq.org.document.yaml_writer import lines
from hq.terminal.screen import Screen

Data = Mapping[str, Any]


def answer(data: Data, _screen: Screen) -> Iterator[str]:
    yield from lines(data["items"] if isinstance(data.get("items"), list) else data)


def preview(data: Data, screen: Screen) -> Iterator[str] | None:
    """What a call would do; once it is done one sentence says so."""
    return answer(data, screen) if data.get("preview") else None
