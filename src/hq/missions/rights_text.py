"""Rights of an agent for people: sort by sort, what it may, where that comes from, and why not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hq.terminal.screen import Screen
from hq.terminal.values import harmless

SORTS = {
    "verb": "calls", "skill": "skills", "collaborator": "helpers", "scope": "scopes", "border": "borders", "grant": "grants",
    "budget": "budgets", "authority": "authority", "model": "model",
}  # fmt: skip
MARKS = {"yes": "+", "asks": "?", "no": "-"}


def rights(data: Mapping[str, Any], screen: Screen) -> Iterator[str]:
    yield screen.bold(f"{data['agent']}: {data.get('may') or data['status']}") + screen.dim(
        "  + may, ? is asked about, - may not"
    )
    last = None
    for right in data["rights"]:
        if right["sort"] != last:
            last = right["sort"]
            yield screen.bold(SORTS[last])
        why = f"; {harmless(right['why'])}" if right.get("why") else ""
        yield f"  {MARKS[right['may']]} {harmless(right['what'])}" + screen.dim(f"  ({harmless(right['from'])}{why})")
