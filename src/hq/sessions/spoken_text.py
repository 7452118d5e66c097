"""Spoken text: what a mind said as others read it, without the words that are for its session only."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hq.engine.sessions.reply import ReplyPart

_DONE = re.compile(r"\s*<(?:task-complete\b[^>]*|escalate)/?>\s*", re.I)
_BEGUN = ("<task-complete", "<escalate")


def spoken_text(parts: Sequence[ReplyPart]) -> str:
    return readable("\n".join(part["content"] for part in parts if part["part_kind"] == "text"))


def readable(text: str) -> str:
    """Without the words that are for the session only, also where one is only half said."""
    text = _DONE.sub("", text)
    begun = text.rfind("<")
    if begun >= 0 and any(_begins(text[begun:].lower(), word) for word in _BEGUN):
        text = text[:begun]
    return text.strip()


def _begins(text: str, word: str) -> bool:
    return word.startswith(text) or text.startswith(word)
