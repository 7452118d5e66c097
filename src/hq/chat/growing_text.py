"""Growing text, told as what changed: from where on, and what stands there now."""

from __future__ import annotations

from typing import NamedTuple


class TextChange(NamedTuple):
    at: int
    """How many characters stay."""
    text: str
    """What comes behind them."""


class Growing:
    def __init__(self) -> None:
        self._step = 0
        self._text = ""

    def became(self, step: int, text: str) -> TextChange | None:
        """The change, if there is one. A mind that is asked again may begin anew."""
        if step != self._step:
            self._step, self._text = step, ""
        if text == self._text:
            return None
        at = len(self._text) if text.startswith(self._text) else 0
        self._text = text
        return TextChange(at, text[at:])
