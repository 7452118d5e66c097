"""Quotation: words of somebody else within a sentence of the house. None of them passes for the house's own, nor for a command."""

from __future__ import annotations

import re
import unicodedata

from hq.errors import Refused

LONGEST = 200
_WORD, _JOINS = re.compile(r"[^\W\d_]+"), "\u200c\u200d"
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
    """Titles and labels stand beside lines of the house; with a line of their own they could pass for one. Nor is there anything in
    them that is not seen, turns the direction of writing, or looks like another letter."""
    if any(_unseen(text, at) for at in range(len(text))):
        raise Refused.invalid(f"{what}: it has signs that are not seen; leave them out")
    if odd := next((word for word in _WORD.findall(text) if len(_scripts(word)) > 1), None):
        raise Refused.invalid(f"{what}: {odd[:40]!r} mixes the letters of {' and '.join(sorted(_scripts(odd)))}")
    if any(_breaks(each) for each in text.strip()):
        raise Refused.invalid(f"{what}: say it in one line; more of it goes into the text")


def _unseen(text: str, at: int) -> bool:
    """Some scripts and pictures are joined by signs that are not seen; Latin letters are not."""
    char, before = text[at], text[at - 1 : at]
    return unicodedata.category(char) == "Cf" and not (char in _JOINS and before and not before.isascii())


def _scripts(word: str) -> set[str]:
    """Of the alphabets whose letters look alike, those that a word is written in."""
    names = {unicodedata.name(each, "").partition(" ")[0] for each in word if each.isalpha()}
    return {each.capitalize() for each in names & {"LATIN", "CYRILLIC", "GREEK"}}


def _breaks(char: str) -> bool:
    return unicodedata.category(char) in ("Cc", "Zl", "Zp")
