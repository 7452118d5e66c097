"""Text of a query's answer: a table in the order of its columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hq.terminal.screen import Screen
from hq.terminal.table import table

Data = Mapping[str, Any]


def answer(data: Data, screen: Screen) -> Iterator[str]:
    yield from table(data["items"], screen, [column["name"] for column in data["columns"]])
