"""Help on tools, for a person: the same as a model is told, in lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hq.terminal.screen import Screen
from hq.terminal.values import harmless

Data = Mapping[str, Any]


def explained(data: Data, screen: Screen) -> Iterator[str]:
    """What there is, a line each."""
    if "command" in data:
        yield harmless(f"{data['command']}\n  {data['says']}")
        yield from (harmless(f"  {name}: {says}") for name, says in data.get("fields", {}).items())
        return
    if "about" in data:
        yield harmless(str(data["about"]))
    for name, says in {**data.get("found", {}), **data.get("commands", {})}.items():
        yield harmless(f"{name}: {says}")
