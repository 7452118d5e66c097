"""Text of what the CEO puts before the founder: a card with the commands that its buttons are, a tick, a brief."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hq.terminal.screen import Screen
from hq.terminal.table import table
from hq.terminal.values import harmless, one_line

Data = Mapping[str, Any]
LISTED = ("title", "state", "at", "id")


def cards(data: Data, screen: Screen) -> Iterator[str]:
    """A line for each; `hq card show` has the rest, and the ways to answer."""
    rows = [{name: each.get(name) for name in LISTED} for each in data["items"]]
    yield from table(rows, screen) if rows else ()


def card(data: Data, screen: Screen) -> Iterator[str]:
    """As it stands in the conversation."""
    mark = (
        screen.red if data["severity"] == "critical" else screen.yellow if data["severity"] == "warning" else screen.dim
    )
    kind = f"[{data['kind']}]"
    head = screen.prose(f"{kind} {one_line(data['title'], screen)}")
    yield f"{mark(kind)}{screen.bold(head[0].removeprefix(kind))}"
    yield from map(screen.bold, head[1:])
    yield from screen.prose(harmless(data.get("text", "")), "  | ")
    for fact in data.get("facts", ()):
        yield from screen.prose(f"{one_line(fact['name'], screen)}: {one_line(fact['value'], screen)}", "  | ")
    if remark := data.get("remark"):
        who = remark["by"].partition(":")[2] or remark["by"]
        who = data.get("name") or who if who == data.get("by") else who
        yield from screen.prose(harmless(remark["text"]), f"  {harmless(who)} says: ")
    offers = data.get("offers", ())
    widest = max((len(each["label"]) for each in offers), default=0)
    yield from (f"  {each['label']:<{widest}}  {screen.dim(harmless(each['command']))}" for each in offers)
    match data["state"]:
        case "open":
            yield from _ways(data, screen)
        case "pressed":
            yield screen.dim(f"  {_label(data, screen)} (by {data.get('pressed_by')})")
        case "held":
            yield screen.dim("  not shown yet")
        case _ if answer := data.get("answer"):
            yield screen.dim(f"  answered: {one_line(answer, screen)} (by {data.get('answered_by')})")
        case _:
            why = one_line(data.get("became", ""), screen)
            yield screen.dim(": ".join(filter(None, ("  no longer needed", why))))


def _ways(data: Data, screen: Screen) -> Iterator[str]:
    for button in data.get("buttons", ()):
        way = f"hq card press {data['id']} {button['key']}"
        yield f"  {one_line(button['label'], screen)}  {screen.dim(way)}"
        if button.get("does"):
            yield from screen.prose(f"does: {harmless(button['does'])}", "    ")


def _label(data: Data, screen: Screen) -> str:
    return next(
        (one_line(b["label"], screen) for b in data.get("buttons", ()) if b["key"] == data.get("pressed")), "done"
    )
