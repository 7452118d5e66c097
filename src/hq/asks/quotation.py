"""Quotation: words of somebody else within a sentence of the house. None of them passes for the house's own, nor for a command."""

from __future__ import annotations

import unicodedata

LONGEST = 200
_MARKS = str.maketrans(dict.fromkeys('“”„‟«»"`', "'"))


def quoted(text: str, longest: int = LONGEST) -> str:
    """The words between marks that they cannot close, and how many were left out."""
    said = in_line(text)
    left = len(said) - longest
    return f"“{said}”" if left <= 0 else f"“{said[:longest]}…” and {left:,} characters more"


def in_line(text: str) -> str:
    """The words in one line, without quotation marks, and without what is not seen or turns the direction of writing."""
    seen = "".join(" " if unicodedata.category(each) in ("Cc", "Zl", "Zp") else each for each in text)
    seen = "".join(each for each in seen if unicodedata.category(each) != "Cf")
    return " ".join(seen.translate(_MARKS).split())
