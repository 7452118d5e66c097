"""Text of what the CEO puts before the founder: a card with the commands that its buttons are, a tick, a brief."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hq.cli.terminal import Screen
from hq.cli.values import harmless, one_line

Data = Mapping[str, Any]


def card(data: Data, screen: Screen) -> Iterator[str]:
    """As it stands in the conversation."""
    mark = (
        screen.red if data["severity"] == "critical" else screen.yellow if data["severity"] == "warning" else screen.dim
    )
    kind = f"[{data['kind']}]"
    yield f"{mark(kind)} {screen.bold(harmless(data['title']))}"
    yield from (f"  {line}" for line in harmless(data.get("text", "")).splitlines())
    yield from (f"  {harmless(fact['name'])}: {one_line(fact['value'], screen)}" for fact in data.get("facts", ()))
    match data["state"]:
        case "open":
            yield from _ways(data, screen)
        case "pressed":
            yield screen.dim(f"  {_label(data)} (by {data.get('pressed_by')})")
        case "held":
            yield screen.dim("  not shown yet")
        case _:
            yield screen.dim("  no longer needed")


def _ways(data: Data, screen: Screen) -> Iterator[str]:
    for button in data.get("buttons", ()):
        does = f"  → {button['verb']}" if button.get("verb") else ""
        way = f"hq card press {data['id']} {button['key']}"
        yield f"  {harmless(button['label'])}{screen.dim(does)}  {screen.dim(way)}"


def _label(data: Data) -> str:
    return next((harmless(b["label"]) for b in data.get("buttons", ()) if b["key"] == data.get("pressed")), "done")


def inbox(data: Data, screen: Screen) -> Iterator[str]:
    """What waits, one below the other, each with how it is answered."""
    if not data["items"]:
        yield screen.dim("nothing waits for you")
    for number, each in enumerate(data["items"]):
        if number:
            yield ""
        yield from ask(each, screen)


def ask(data: Data, screen: Screen) -> Iterator[str]:
    """One ask: who asks what, what one should know, and the commands that answer it."""
    mark = screen.yellow if data["severity"] != "info" else screen.dim
    kind = f"[{data['kind'].replace('_', ' ')}]"
    yield f"{mark(kind)} {screen.bold(harmless(data['title']))}"
    if data.get("from"):
        yield f"  from: {harmless(data['from'])}"
    yield from (f"  {line}" for line in harmless(data.get("text", "")).splitlines())
    yield from (f"  {harmless(fact['name'])}: {one_line(fact['value'], screen)}" for fact in data.get("facts", ()))
    if data["state"] != "open":
        by = f" by {data['answered_by']}" if data.get("answered_by") else ""
        yield screen.dim(f"  {data['status']}{by}")
        return
    answer = f"hq ask answer {data['slug']}"
    for option in data["options"]:
        way = f"{answer} {option['key']}"
        yield f"  {harmless(option['label'])}  {screen.dim(way)}"
    if data["takes_text"]:
        yield screen.dim(f'  {answer} --text "…"')


def tick(data: Data, screen: Screen) -> Iterator[str]:
    """What was seen and done, or would be."""
    if not data["seen"] and not data.get("shown"):
        yield "nothing to notice"
    for each in data["seen"]:
        about = each["facts"].get("title") or each["facts"].get("approval") or each["key"]
        yield f"saw   {each['trigger']}: {harmless(str(about))}"
    if data.get("shown"):
        yield f"shown {data['shown']} that had been held"
    for each in data["actions"]:
        what = each["args"].get("title") or each["args"].get("ref") or each["args"].get("agent") or ""
        failed = screen.red(f"  {each.get('error', '')}") if each.get("ok") is False else ""
        yield f"{'did' if 'ok' in each else 'would'}   {each['verb']} {harmless(str(what))}{failed}  {screen.dim(each['by'])}"
    if data.get("asked") and not any("ok" in each for each in data["actions"]):
        yield screen.dim("a model would be asked; this is what the rules say")


def brief(data: Data, screen: Screen) -> Iterator[str]:
    yield screen.dim(f"since {one_line(data['since'], screen)}")
    yield from harmless(data["text"]).splitlines()
