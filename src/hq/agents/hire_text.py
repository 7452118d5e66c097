"""Text of a hire: who, as what, in which seat, what it costs, and what it does now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hq.terminal.screen import Screen


def hired(data: Mapping[str, Any], screen: Screen) -> Iterator[str]:
    """A hire in three lines."""
    slug, role = data["slug"], data["role"]
    as_what = data["title"] if role.casefold() == data["title"].casefold() else f"{data['title']}, a {role},"
    yield f"{slug} is hired as {as_what} in seat {data['position_id']} of {data['organisation']} (persona {data['persona_slug']})"
    yield f"  expected cost: {data['cost']}"
    if mission := data.get("mission"):
        yield f"  it begins with {mission}; `hq mission show {mission}` shows how far it is"
    else:
        yield f"  it waits for work: `hq mission assign <mission> --to {slug}` gives it a mission, `hq chat --agent {slug}` talks with it"
