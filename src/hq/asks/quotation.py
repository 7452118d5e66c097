"""Quotation: words of somebody else within a sentence of the house. None of them passes for the house's own, nor for a command."""

from __future__ import annotations

import unicodedata

from hq.errors import Refused

LONGEST = 200
_MARKS = str.maketrans(dict.fromkeys('“”„‟«»"`', "'"))


def quoted(text: str, longest: int = LONGEST) -> str:
    """The words between marks that they cannot close, and how many were left out."""
    said = in_line(text)
    left = len(said) - longest
    return f"“{said}”" if left <= 0 else f"“{said[:longest]}…” and {left:,} characters more"


def in_line(text: str) -> str:
    """The words in one line, without quotation marks, and without what is not seen or turns the direction of writing."""
    seen = "".join(each for each in one_line(text) if unicodedata.category(each) != "Cf")
    return " ".join(seen.translate(_MARKS).split())


def one_line(text: str) -> str:
    """The words in one line, as a title or the label of a button has them."""
    return " ".join("".join(" " if _breaks(each) else each for each in text).split())


def check_line(what: str, text: str) -> None:
    """Titles and labels stand beside lines of the house; with a line of their own they could pass for one."""
    if any(_breaks(each) for each in text.strip()):
        raise Refused.invalid(f"{what}: say it in one line; more of it goes into the text")


def _breaks(char: str) -> bool:
    return unicodedata.category(char) in ("Cc", "Zl", "Zp")
