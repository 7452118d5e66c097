"""Text of messages: an answer as its words, a conversation line by line with its receipts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hq.terminal.screen import Screen
from hq.terminal.values import harmless, moment

Data = Mapping[str, Any]


def posted(data: Data, _screen: Screen) -> Iterator[str]:
    """What became of a message, and the command that follows it."""
    if held := data.get("held"):
        yield held
    elif session := data.get("session"):
        yield f"sent to {data['agent']}; `hq session show {session}` follows it"
    else:
        how = "waits for its next turn" if data["state"] == "queued" else data["state"]
        yield f"sent to {data['agent']}: {how}; `hq agent read {data['message']}` shows what became of it"


def answered(data: Data, screen: Screen) -> Iterator[str]:
    """The words alone, so that they can be piped on."""
    if not data.get("answered"):
        yield screen.yellow(harmless(str(data.get("why"))))
        return
    yield from (harmless(line) for line in data["text"].splitlines())


def conversation(data: Data, screen: Screen) -> Iterator[str]:
    for item in data["items"]:
        far = ", ".join(f"{name} {moment(at, screen)}" for name, at in item["receipts"].items())
        heading = f"{harmless(item['from'])} → {harmless(item['to'])}  {item['kind']}, {item['state']}"
        yield screen.bold(heading) + screen.dim(f"  {moment(item['at'], screen)}{f'; {far}' if far else ''}")
        yield from (f"  {harmless(line)}" for line in item["text"].splitlines())
