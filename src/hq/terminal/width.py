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
