"""Text of memories: what waits for a look, with how to answer it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hq.terminal.screen import Screen
from hq.terminal.values import one_line

Data = Mapping[str, Any]


def added(data: Data, screen: Screen) -> Iterator[str]:
    """Whether it is remembered, was known already, or waits."""
    slug, sure = screen.bold(one_line(data["slug"], screen)), f"{data['confidence']:.0%} sure"
    if data.get("contradicts"):
        yield f"{slug} waits: it contradicts {one_line(data['contradicts'], screen)}"
        if data.get("question"):
            yield screen.dim(f"`hq ask answer {data['question']} yes` lets the new one hold instead")
    elif data.get("merged"):
        yield f"known already as {slug}, now {sure}"
    elif data.get("status") == "pending":
        yield f"{slug} waits for a look: `hq memory confirm {data['slug']}` takes it over"
    else:
        yield f"remembered {slug}, {sure}"


def review(data: Data, screen: Screen) -> Iterator[str]:
    """Each finding with who found it."""
    for each in data["items"]:
        yield f"{screen.bold(one_line(each['slug'], screen))}  {screen.dim(one_line(each['source'], screen))}"
        yield f"  {one_line(each['content'], screen)}"
    if data["items"]:
        yield screen.dim("`hq memory confirm <slug>` takes one over, `hq memory reject <slug>` does not")
    else:
        yield "nothing waits for a look"
