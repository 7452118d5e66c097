"""Text of an approval for who must decide: who asks for what, what they say to it, why hq asks, until when, and what it will do.

Hashes and versions, which bind the yes to the call, are in `--json`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hq.terminal.screen import Screen
from hq.terminal.values import label, moment, one_line


def approval(data: Mapping[str, Any], screen: Screen) -> Iterator[str]:
    asked = data["props"]
    yield screen.bold(f"{asked['requester']} asks to {asked['verb']}")
    said = asked.get("why") if asked.get("why") != asked.get("needs") else None
    yield f"  says:   {f'“{one_line(said, screen)}”' if said else 'no reason given'}"
    if asked.get("needs"):
        yield f"  needs:  a yes, {one_line(asked['needs'], screen)}"
    if asked.get("expires_at"):
        yield f"  until:  {moment(asked['expires_at'], screen)}"
    yield f"  risk:   {label(asked.get('gate', ''))}"
    if asked.get("forecast"):
        yield f"  cost:   {one_line(asked['forecast'], screen)}"
    if data.get("taint"):
        yield f"  from outside: {', '.join(one_line(mark, screen) for mark in data['taint'])}"
    yield f"  state:  {_state(asked, screen)}"
    yield ""
    yield screen.bold("what it will do" if asked["status"] in ("pending", "approved") else "what it was about")
    yield f"  {asked['verb']}"
    for name, value in asked.get("arguments", {}).items():
        yield f"    {label(name)}: {one_line(value, screen)}"
    about = [link for link in data.get("links", ()) if link["edge"] == "about" and link["direction"] == "to"]
    for link in about:
        yield f"  on {link['type']} {link['slug']}: {one_line(link['title'], screen)}"
    if asked["status"] == "pending":
        yield ""
        yield screen.dim(f"yes: hq approval approve {data['slug']}    no: hq approval reject {data['slug']}")


def _state(asked: Mapping[str, Any], screen: Screen) -> str:
    if not asked.get("decided_by"):
        return asked["status"]
    when = f" at {moment(asked['decided_at'], screen)}" if asked.get("decided_at") else ""
    note = f": “{one_line(asked['note'], screen)}”" if asked.get("note") else ""
    return f"{asked['status']} by {asked['decided_by']}{when}{note}"
