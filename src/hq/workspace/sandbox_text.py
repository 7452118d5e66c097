"""Text of the sandbox: which limits hold, and what that rests on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hq.terminal.screen import Screen
from hq.terminal.table import table
from hq.terminal.values import one_line

Data = Mapping[str, Any]


def tested(data: Data, screen: Screen) -> Iterator[str]:
    if not data["usable"]:
        yield screen.red(f"programs are not run here: {one_line(data['says'], screen)}")
        return
    holds = all(each["holds"] for each in data["limits"])
    yield (screen.green if holds else screen.red)(data["says"]) + f"; programs run as {data['runs_as']}"
    yield screen.dim(f"in {one_line(data['bubblewrap'], screen)}")
    rows = [
        {"limit": each["limit"], "rests on": each["rests_on"], "seen": each["seen"], "how": each["how"]}
        for each in data["limits"]
    ]
    yield from table(rows, screen)
