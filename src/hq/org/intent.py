"""`intent.md`: what an organisation optimises for, protects and never sacrifices, as prose that people edit.

The lists under four headings are what agents and the YAML get; everything else in the file is left as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hq.org.types import OrgIntent

HEADINGS = {
    "optimise_for": "Optimise for",
    "protect": "Protect",
    "never_sacrifice": "Never sacrifice",
    "constraints": "Constraints",
}
_NAMES = {title.casefold(): name for name, title in HEADINGS.items()} | {"optimize for": "optimise_for"}
_HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*\s*$")
_ITEM = re.compile(r"^ {0,3}(?:[-*+]|\d{1,3}[.)])\s+(.*)$")


def one_line(text: str) -> str:
    """An item as a list can hold it."""
    return " ".join(text.split())


def parse(text: str) -> OrgIntent:
    """The lists of a text; a line that goes on below an item belongs to it."""
    found: dict[str, list[str]] = {name: [] for name in HEADINGS}
    for name, _, lines in _sections(text):
        if name:
            found[name] += _items(lines)
    return OrgIntent.model_validate(found)


def rewritten(text: str, intent: OrgIntent) -> str:
    """The text with its lists replaced by these, and the prose around them kept."""
    parts: list[str] = []
    left = {name: getattr(intent, name) for name in HEADINGS}
    for name, heading, lines in _sections(text):
        prose = _without_items(lines) if name else lines
        items = left.pop(name, []) if name else []
        parts.append("\n".join([*heading, *_spaced(prose, items)]).strip("\n"))
    parts += [f"## {HEADINGS[name]}\n\n" + _list(items) for name, items in left.items() if items]
    return "\n\n".join(part for part in parts if part) + "\n"


def first_text(name: str, intent: OrgIntent | None = None) -> str:
    """What a new organisation's file says."""
    intent = intent or OrgIntent()
    sections = [f"## {title}\n\n{_list(getattr(intent, each))}".rstrip() for each, title in HEADINGS.items()]
    return "\n\n".join([f"# Intent of {one_line(name)}", *sections]) + "\n"


def _sections(text: str) -> Iterator[tuple[str | None, list[str], list[str]]]:
    """Each part of the text: which list it holds, if one of ours, its heading, and the lines below."""
    name: str | None = None
    heading: list[str] = []
    lines: list[str] = []
    for line in text.split("\n"):
        if found := _HEADING.match(line):
            yield name, heading, lines
            name, heading, lines = _NAMES.get(one_line(found[1]).casefold()), [line], []
        else:
            lines.append(line)
    yield name, heading, lines


def _items(lines: Sequence[str]) -> list[str]:
    items: list[str] = []
    going_on = False
    for line in lines:
        if found := _ITEM.match(line):
            items.append(found[1])
            going_on = True
        elif going_on and line.strip() and line.startswith(" "):
            items[-1] += " " + line
        else:
            going_on = False
    return [plain for item in items if (plain := one_line(item))]


def _without_items(lines: Sequence[str]) -> list[str]:
    kept: list[str] = []
    inside = False
    for line in lines:
        inside = bool(_ITEM.match(line)) or (inside and bool(line.strip()) and line.startswith(" "))
        if not inside:
            kept.append(line)
    return "\n".join(kept).strip("\n").split("\n")


def _spaced(prose: Sequence[str], items: Sequence[str]) -> list[str]:
    text = "\n".join(prose).strip("\n")
    return [*(["", text] if text else []), *(["", _list(items)] if items else [])]


def _list(items: Sequence[str]) -> str:
    return "\n".join(f"- {item}" for item in items)
