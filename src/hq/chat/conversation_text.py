"""Text of a conversation: who said what, as it would be read aloud."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hq.chat.card_text import card
from hq.terminal.screen import Screen
from hq.terminal.values import harmless, moment

Data = Mapping[str, Any]


def conversation(data: Mapping[str, Any], screen: Screen) -> Iterator[str]:
    """Who said what, as it would be read aloud."""
    if data.get("next"):
        yield screen.dim(f"… what was said before: hq chat history --after {data['next']}")
    for item in data["items"]:
        yield from spoken_line(item, screen)


def spoken_line(item: Data, screen: Screen) -> Iterator[str]:
    """One thing that was said, under the name of who said it."""
    name = "you" if item["role"] == "user" else item.get("name") or item["sender"]
    yield f"{screen.bold(harmless(name))}  {screen.dim(moment(item['at'], screen))}"
    if item.get("card"):
        yield from card(item["card"], screen)
    else:
        yield from screen.prose(harmless(item["text"]))
    yield ""
