"""Text of what waits: who asks what, what one should know, and the commands that answer it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hq.terminal.screen import Screen
from hq.terminal.values import harmless, one_line

Data = Mapping[str, Any]


def inbox(data: Data, screen: Screen) -> Iterator[str]:
    """What waits, one below the other, each with how it is answered."""
    if not data["items"]:
        yield screen.dim("nothing waits for you")
    for number, each in enumerate(data["items"]):
        if number:
            yield ""
        yield from ask(each, screen)
    if more := data.get("more"):
        yield ""
        yield screen.yellow(
            f"{more} more wait; `hq inbox --limit 200` shows more, `--kind` and `--type` only some of them"
        )


def ask(data: Data, screen: Screen) -> Iterator[str]:
    """One ask: who asks what, what one should know, and the commands that answer it."""
    mark = screen.yellow if data["severity"] != "info" else screen.dim
    kind = f"[{data['kind'].replace('_', ' ')}]"
    head = screen.prose(f"{kind} {harmless(data['title'])}")
    yield f"{mark(kind)}{screen.bold(head[0].removeprefix(kind))}"
    yield from map(screen.bold, head[1:])
    if who := data.get("from_name") or data.get("from"):
        yield f"  from: {harmless(who)}"
    yield from screen.prose(harmless(data.get("text", "")), "  | ")
    for fact in data.get("facts", ()):
        yield from screen.prose(f"{harmless(fact['name'])}: {one_line(fact['value'], screen)}", "  | ")
    if data["state"] != "open":
        by = data.get("answered_by") or data.get("ended_by")
        how = data.get("answer") or data.get("why")
        told = f": {one_line(how, screen)}" if how else ""
        yield screen.dim(f"  {data['status']}{f' by {by}' if by else ''}{told}")
        yield from (f"  | {line}" for line in harmless(data.get("note", "")).splitlines())
        return
    answer = f"hq ask answer {data['slug']}"
    for option in data["options"]:
        way = f"{answer} {option['key']}"
        yield f"  {harmless(option['label'])}  {screen.dim(way)}"
        if option.get("does"):
            yield from screen.prose(f"does: {harmless(option['does'])}", "    ")
    if data["takes_text"]:
        yield screen.dim(f'  {answer} --text "…"')
