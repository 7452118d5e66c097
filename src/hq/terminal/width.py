"""The width of a text in cells of a terminal, and cutting it to fit."""

from __future__ import annotations


def width(text: str) -> int:
    if text.isascii():
        return len(text)
    return sum(_cells(char) for char in text)


def padded(text: str, cells: int) -> str:
    return text + " " * (cells - width(text))


def clipped(text: str, cells: int) -> str:
    """The text, or its beginning with an ellipsis."""
    if width(text) <= cells:
        return text
    taken, room = [], cells - 1
    for char in text:
        room -= _cells(char)
        if room < 0:
            break
        taken.append(char)
    return "".join(taken).rstrip() + "…"


def wrapped(text: str, cells: int, hang: str = "") -> list[str]:
    """The lines of a text, none wider than that unless a single word is; lines after a break begin with what hangs."""
    return [piece for line in text.splitlines() or [""] for piece in _pieces(line, cells, hang)]


def _pieces(line: str, cells: int, hang: str) -> list[str]:
    if width(line) <= cells:
        return [line]
    begin = line[: len(line) - len(line.lstrip())]
    pieces, now = [], begin
    for word in line.split():
        if now.strip() and width(now) + 1 + width(word) > cells:
            pieces.append(now)
            now = hang
        now = f"{now} {word}" if now.strip() and now not in (begin, hang) else now + word
    return [*pieces, now]


class WordWrap:
    """Wraps a text that comes in pieces: a word is held back until it is whole."""

    def __init__(self, cells: int) -> None:
        self._cells, self._column, self._word = cells, 0, ""

    def feed(self, text: str) -> str:
        """What can be printed by now."""
        out = []
        for char in text:
            if not char.isspace():
                self._word += char
                continue
            out.append(self._settled())
            out.append(char)
            self._column = 0 if char == "\n" else self._column + 1
        return "".join(out)

    def end(self) -> str:
        """The last word; what comes next begins a line."""
        out = self._settled()
        self._column = 0
        return out

    def _settled(self) -> str:
        word, self._word = self._word, ""
        if not word:
            return ""
        breaks = self._column > 0 and self._column + width(word) > self._cells
        self._column = width(word) if breaks else self._column + width(word)
        return f"\n{word}" if breaks else word


def shortened(text: str, most: int) -> str:
    """The text, or as many of its first words as there is room for, with an ellipsis; no word is cut that need not be."""
    if len(text) <= most:
        return text
    kept = text[:most].rsplit(None, 1)[0] if " " in text[:most].strip() and not text[most].isspace() else text[:most]
    return kept.rstrip(" ,;:.") + "…"


def _cells(char: str) -> int:
    import unicodedata

    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
