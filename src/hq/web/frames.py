"""A conversation as the page takes it in: lines and words as HTML, and which nouns have news."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from hq.ceo.following import Seen, spoken
from hq.web.inbox import of_conversation
from hq.web.markdown import Streamed, html
from hq.web.rendering import part


class Html:
    def __init__(self) -> None:
        self._step = -1
        self._streamed = Streamed()
        self._text = ""

    async def __call__(self, seen: Seen) -> AsyncIterator[tuple[str, Any]]:
        for line in seen.lines:
            yield "line", {"id": line.id, "role": line.role, "text": line.text, "html": drawn(line.as_dict())}
        if nouns := sorted({event.topic.partition(".")[0] for event in seen.events}):
            yield "changed", {"nouns": nouns}
        if (found := seen.standing) is None:
            return
        if found.draft and (draft := self._draft(found.step, spoken(found))):
            yield "draft", draft
        yield "status", {"state": found.state, "why": found.why}

    def _draft(self, step: int, text: str) -> dict[str, Any] | None:
        if step != self._step:
            self._step, self._streamed, self._text = step, Streamed(), ""
        if text == self._text:
            return None
        self._text = text
        grown = self._streamed.became(text)
        return {"step": step, "fresh": grown.fresh, "blocks": grown.blocks, "tail": grown.tail}


def drawn(line: dict[str, Any], *, past: bool = False) -> str:
    """One line as it stands in the conversation."""
    card = of_conversation(line["card"]) if line.get("card") else None
    card = card.of_the_past() if card and past else card
    text = html(line["text"]) if line["role"] == "assistant" else None
    return part("line.html", line=line, html=text, card=card)
