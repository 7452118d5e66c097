"""Text of what the CEO noticed and did, and of its brief."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hq.terminal.screen import Screen
from hq.terminal.values import harmless, one_line

Data = Mapping[str, Any]


def onboarded(data: Data, _screen: Screen) -> Iterator[str]:
    if data["done"]:
        yield "the company is at work; `hq chat` talks to its CEO"
    else:
        yield "next: " + next(each["question"] for each in data["steps"] if each["step"] == data["next"])


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
    for line in harmless(data["text"]).splitlines():
        heading = line.startswith("**") and line.endswith("**")
        yield from map(screen.bold, [line.strip("*")]) if heading else screen.prose(line)
