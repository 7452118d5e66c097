"""Company now, as a script reads it: the house's own word on how things stand, by its sections."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

_SECTIONS = {
    "Waits for the founder's word:": "asks",
    "Missions:": "missions",
    "Staff:": "staff",
    "Left to spend:": "money",
    "Ended in the last day:": "ended",
}
_NAMED = re.compile(r'(?P<slug>[\w-]+):? "(?P<title>.*?)"(?P<rest>.*)', re.DOTALL)

_WAY = re.compile(r'; ([\w-]+) = "')
_LABEL = re.compile(r'; [\w-]+ = "([^"]*)"')


@dataclass(frozen=True)
class NowLine:
    """A thing that stands there: a mission, an ask, somebody of the staff, a limit."""

    text: str
    """The line, with what it is called in place of its slug."""
    slug: str = ""
    title: str = ""
    ways: tuple[str, ...] = ()
    """Of an ask: the words by which it can be answered."""
    labels: tuple[str, ...] = ()
    """Of an ask: what these are called."""


@lru_cache(maxsize=64)
def company_now(text: str) -> Mapping[str, list[NowLine]]:
    """The sections that are there; none where nothing was told."""
    found: dict[str, list[NowLine]] = {}
    section = ""
    for line in text.splitlines():
        if line in _SECTIONS:
            section = _SECTIONS[line]
        elif section and line.startswith("- "):
            found.setdefault(section, []).append(_line(line[2:]))
        else:
            section = ""
    return found


def _line(text: str) -> NowLine:
    named = _NAMED.fullmatch(text)
    if named is None:
        return NowLine(text)
    ways = tuple(_WAY.findall(named["rest"]))
    labels = tuple(_LABEL.findall(named["rest"]))
    return NowLine(f"{named['title']}{named['rest']}", named["slug"], named["title"], ways, labels)
