"""A limit on an answer's text: it ends before a stop sequence, or after so many tokens, also while it is still being said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from hq.minds.tokens import BYTES_PER_TOKEN


class TextLimit:
    """Feed it what is said; it passes on what the program is to hear."""

    def __init__(self, stops: Sequence[str], longest: int | None = None) -> None:
        self._stops = stops
        self._room = round(longest * BYTES_PER_TOKEN) if longest else None
        self._held = ""
        """What may be the beginning of a stop sequence."""
        self.ended: Literal["stop", "length"] | None = None
        """Why it was cut off."""

    def feed(self, piece: str) -> str:
        if self.ended:
            return ""
        text = self._held + piece
        found = [at for stop in self._stops if (at := text.find(stop)) >= 0]
        if found:
            self._held, self.ended = "", "stop"
            return self._fits(text[: min(found)])
        keep = max((_overlap(text, stop) for stop in self._stops), default=0)
        self._held = text[len(text) - keep :]
        return self._fits(text[: len(text) - keep])

    def rest(self) -> str:
        """What was held back, now that nothing more comes."""
        held, self._held = self._held, ""
        return "" if self.ended else self._fits(held)

    def cut(self, text: str) -> str:
        return self.feed(text) + self.rest()

    def _fits(self, text: str) -> str:
        if self._room is None:
            return text
        data = text.encode()
        if len(data) <= self._room:
            self._room -= len(data)
            return text
        cut, self._room, self._held, self.ended = data[: self._room], 0, "", "length"
        return cut.decode(errors="ignore")


def _overlap(text: str, stop: str) -> int:
    """How much of a text's end may be the beginning of what ends it."""
    return next((n for n in range(min(len(stop) - 1, len(text)), 0, -1) if text.endswith(stop[:n])), 0)
