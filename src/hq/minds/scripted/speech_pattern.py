"""Speech patterns: what a script listens for, matched by RE2 over a bounded text, so that no message costs more than its length.

RE2 knows the words of ASCII alone. So a text is matched as it is spelt without accents, letter for letter, and what a pattern
caught is cut out of the text as it was said.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from hq.patterns import compiled

HEAD, TAIL = 15_000, 5_000
"""Characters of a longer text that a script reads: its beginning and its end."""


class SpeechPattern:
    """A pattern that knows neither case nor accents; `.` is any character, also the end of a line."""

    def __init__(self, source: str) -> None:
        self.source = source
        self._compiled = compiled(f"(?s:{spelt(source)})", ignore_case=True)

    def search(self, text: str) -> Mapping[str, str] | None:
        """What its names caught where it occurs first; nothing where it does not occur."""
        return _caught(self._compiled.search(spelt(text)), text)

    def fullmatch(self, text: str) -> Mapping[str, str] | None:
        """What its names caught, where all of the text is that."""
        return _caught(self._compiled.fullmatch(spelt(text)), text)


def bounded(text: str) -> str:
    """A text as far as scripts read it, with a word on what was left out of a longer one."""
    left_out = len(text) - HEAD - TAIL
    return text if left_out <= 0 else f"{text[:HEAD]}\n[… {left_out} characters left out …]\n{text[-TAIL:]}"


@lru_cache(maxsize=64)
def spelt(text: str) -> str:
    """The text in letters of ASCII, each in its place: `ã` as a, a letter of another script as a character of a word."""
    return text if text.isascii() else text.translate(_SPELLING)


class _Spelling(dict[int, str]):
    def __missing__(self, code: int) -> str:
        self[code] = found = _letter(chr(code))
        return found


_SPELLING = _Spelling()


def _letter(character: str) -> str:
    if character.isascii():
        return character
    if character.isspace():
        return " "
    if not character.isalnum():
        return "\ufffd" if unicodedata.category(character) == "Cs" else character
    plain = unicodedata.normalize("NFKD", character)[0]
    return plain if plain.isascii() and plain.isalnum() else "_"


def _caught(match: Any, text: str) -> Mapping[str, str] | None:
    if match is None:
        return None
    spans = {name: match.span(group) for name, group in match.re.groupindex.items()}
    return {name: text[start:end] for name, (start, end) in spans.items() if start >= 0}
