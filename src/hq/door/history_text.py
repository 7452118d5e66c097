"""Text of what happened: the history of a node, why something is so, what an undo would put back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hq.terminal.screen import Screen
from hq.terminal.values import label, moment, one_line


def history(data: Mapping[str, Any], screen: Screen) -> Iterator[str]:
    yield screen.bold(data["slug"])
    for change in data["items"]:
        yield ""
        yield f"{moment(change['believed_from'], screen)}  {change['op']} by {change['actor']}{_because(change, screen)}"
        for name, value in (change.get("said") or {}).items():
            yield f"  {label(name)}: {one_line(value, screen)}"
        yield screen.dim(f"  {_truth(change, screen)}")
        yield screen.dim(f"  {change['action']}")


def _truth(change: Mapping[str, Any], screen: Screen) -> str:
    true = f"true from {moment(change['true_from'], screen)}"
    until = change.get("believed_until")
    return f"{true}, believed until {moment(until, screen)}" if until else f"{true}, believed still"


def why(data: Mapping[str, Any], screen: Screen) -> Iterator[str]:
    yield screen.bold(data["about"])
    if data.get("producer"):
        yield f"  first said by {data['producer']}"
    for saying in data["because"]:
        said = _few(saying.get("said", ()))
        call = f"{saying['verb']} by {saying['actor']}" if "verb" in saying else f"by {saying['actor']}"
        yield ""
        yield (f"{said}: " if said else "") + call + _because(saying, screen)
        yield f"  {moment(saying['at'], screen)}"
        for name in ("session", "task", "because_of", "tainted_by", "action", "trace"):
            if name in saying:
                yield screen.dim(f"  {label(name)}: {one_line(saying[name], screen)}")
    if data.get("evidence"):
        yield ""
        yield screen.bold("rests on")
        yield from _grounds(data["evidence"], screen, "  ")


def _grounds(evidence: Sequence[Mapping[str, Any]], screen: Screen, indent: str) -> Iterator[str]:
    for ground in evidence:
        tainted = f", tainted by {', '.join(ground['tainted_by'])}" if ground.get("tainted_by") else ""
        yield (
            f"{indent}{label(ground['edge'])} {ground['type']} {ground['slug']}: {one_line(ground['title'], screen)}"
            + screen.dim(f" (since {moment(ground['since'], screen)}{tainted})")
        )
        yield from _grounds(ground.get("evidence", ()), screen, indent + "  ")


def undo(data: Mapping[str, Any], screen: Screen) -> Iterator[str]:
    if data.get("done"):
        yield f"took back {data['action']}"
    elif data["possible"]:
        yield f"{data['action']} can be taken back"
    else:
        yield f"{data['action']} cannot be taken back"
    for item in data.get("restores", ()):
        what = "goes away" if item["made"] else f"goes back: {_few(item['fields']) or 'as it was'}"
        yield f"  {item['kind']} {item['what']} {what}"
    for reason in data.get("blocked_by", ()):
        yield screen.red(f"  blocked: {reason}")
    for warning in data.get("warnings", ()):
        yield screen.yellow(f"  note: {warning}")


def _few(names: Sequence[str], most: int = 8) -> str:
    labels = list(dict.fromkeys(map(label, names)))
    more = f" and {len(labels) - most} more" if len(labels) > most else ""
    return ", ".join(labels[:most]) + more


def _because(said: Mapping[str, Any], screen: Screen) -> str:
    return f": “{one_line(said['reason'], screen)}”" if said.get("reason") else ""
