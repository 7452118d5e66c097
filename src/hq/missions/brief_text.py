"""A mission's brief for people: the prompt as it is, or how every part of it came about, step by step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hq.terminal.screen import Screen
from hq.terminal.values import harmless

Data = Mapping[str, Any]


def brief(data: Data, screen: Screen) -> Iterator[str]:
    chosen = data.get("agent")
    yield screen.bold(f"{data['mission']}: {chosen or 'nobody yet'}") + screen.dim(f"  {harmless(str(data['why']))}")
    steps = data.get("steps")
    if steps is None:
        yield from _text(data["prompt"], "") if data.get("prompt") else _found(data["brief"], screen)
        return
    for step in steps:
        yield ""
        yield screen.bold(f"{step['step']}. {step['does']}")
        yield from _found(step["found"], screen)


def _found(found: Any, screen: Screen) -> Iterator[str]:
    if not found:
        yield screen.dim("   nothing")
    elif isinstance(found, str):
        yield from _text(found, "   ")
    elif isinstance(found, Mapping):
        for name, value in found.items():
            if isinstance(value, list) and value and isinstance(value[0], Mapping):
                yield f"   {name}:"
                yield from (f"     {_row(each)}" for each in value)
            elif isinstance(value, str) and "\n" in value:
                yield f"   {name}:"
                yield from _text(value, "     ")
            elif value not in (None, "", [], {}):
                yield f"   {name}: {_value_text(value)}"
    else:
        yield from (f"   {_row(each)}" for each in found)


def _row(item: Data) -> str:
    """What it is called first, then everything that was counted, then why."""
    name, *rest = item.items()
    told = [f"{key} {_value_text(value)}" for key, value in rest if key != "why" and value not in (None, "", [])]
    counted = f" ({'; '.join(told)})" if told else ""
    why = f": {harmless(str(item['why']))}" if item.get("why") else ""
    return f"{_value_text(name[1])}{counted}{why}"


def _value_text(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_value_text(each)}" for name, each in value.items() if each not in (None, [], ""))
    if isinstance(value, list):
        return ", ".join(map(_value_text, value))
    return harmless(str(value))


def _text(text: str | None, indent: str) -> Iterator[str]:
    yield from (f"{indent}{harmless(line)}".rstrip() for line in (text or "").splitlines())
