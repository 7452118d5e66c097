"""Text of a check of the ledger."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hq.terminal.screen import Screen
from hq.terminal.table import table

Data = Mapping[str, Any]


def verified(data: Data, screen: Screen) -> Iterator[str]:
    waiting = f", {data['waiting']} not linked yet" if data.get("waiting") else ""
    if data["intact"]:
        yield screen.green(f"the ledger is intact: {data['links']} links{waiting}")
        return
    yield screen.red(f"the ledger is broken: {len(data['faults'])} faults in {data['links']} links{waiting}")
    yield from table(data["faults"], screen)
