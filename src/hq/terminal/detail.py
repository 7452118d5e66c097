"""Details of one thing, whole: a title line, its properties, its long texts, its links."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from hq.json_types import CallResult
from hq.terminal.screen import Screen
from hq.terminal.table import table
from hq.terminal.values import harmless, label, moment, one_line
from hq.terminal.width import padded, width

ONE_LINE = 100  # longer texts become blocks
TITLE = ("title", "name", "about", "actor", "action", "slug")
LAST = ("tags", "confidence", "taint", "external", "producer", "valid_from", "valid_to", "created_at", "updated_at",
        "archived_at", "version", "id")  # fmt: skip


def detail(data: Mapping[str, Any], screen: Screen) -> Iterator[str]:
    heading = next((name for name in TITLE if data.get(name)), None)
    title = one_line(data[heading], screen) if heading else ""
    kind = " ".join(str(data[name]) for name in ("type", "slug") if data.get(name) and name != heading)
    if title:
        yield screen.bold(title) + (f"  ({kind})" if kind else "")
    yield from _fields(_in_order(data, heading), screen)


def _in_order(data: Mapping[str, Any], heading: str | None) -> CallResult:
    """Its own properties first, what every node has last, what is empty not at all."""
    titled = {heading, "slug", "type"} if "type" in data else {heading}
    props = data.get("props")
    own = dict(props) if isinstance(props, Mapping) else {}
    own = {name: value for name, value in own.items() if value != data.get(heading or "")}
    rest = {name: value for name, value in data.items() if name not in titled and (name != "props" or not own)}
    ordered = own | {n: v for n, v in rest.items() if n not in LAST} | {n: rest[n] for n in LAST if n in rest}
    return {name: value for name, value in ordered.items() if value not in (None, "", [], {})}


def _fields(fields: Mapping[str, Any], screen: Screen) -> Iterator[str]:
    short = {name: value for name, value in fields.items() if not _is_block(value)}
    wide = max((width(label(name)) + 1 for name in short), default=0)
    for name, value in short.items():
        yield screen.dim(padded(label(name) + ":", wide)) + " " + one_line(value, screen)
    for name, value in fields.items():
        if _is_block(value):
            yield ""
            yield screen.bold(label(name))
            yield from (f"  {line}".rstrip() for line in _block(name, value, screen))


def _is_block(value: Any) -> bool:
    match value:
        case str():
            return "\n" in value or len(value) > ONE_LINE
        case dict():
            return True
        case list():
            return any(isinstance(item, dict | list) for item in value)
    return False


def _block(name: str, value: Any, screen: Screen) -> Iterator[str]:
    match value:
        case str():
            yield from (harmless(line.expandtabs()) for line in value.strip().splitlines())
        case list() if value and all(isinstance(item, dict) and "edge" in item for item in value):
            yield from links(value, screen)
        case list() if all(isinstance(item, dict) for item in value):
            yield from table(value, Screen(tty=screen.tty, width=screen.width - 2))
        case dict():
            yield from _fields(value, screen)
        case _:
            yield one_line(value, screen)


def links(found: Sequence[Mapping[str, Any]], screen: Screen) -> Iterator[str]:
    """Grouped by kind and direction: `driven by → founder  Founder (contact)`."""
    wide = max(width(str(link["slug"])) for link in found)
    for (edge, direction), group in groupby(found, key=lambda link: (link["edge"], link.get("direction"))):
        yield f"{label(edge)} {'←' if direction == 'from' else '→'}"
        for link in group:
            until = f" until {moment(link['until'], screen)}" if link.get("until") else ""
            since = f", since {moment(link['since'], screen)}{until}" if link.get("since") else ""
            about = screen.dim(f" ({link['type']}{since})")
            yield f"  {padded(str(link['slug']), wide)}  {one_line(link.get('title'), screen)}{about}"
