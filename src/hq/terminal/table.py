"""Rows as aligned columns. A terminal is not overfilled: words of the house and ids are left out before a title is cut to nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hq.terminal.screen import Screen
from hq.terminal.values import is_moment, label, one_line
from hq.terminal.width import clipped, padded, width

GAP = "  "
NARROWEST, WORDS, MARK = 8, 16, 4
"""How far a column gives way: one of short values, one of whole sentences, and any where nothing else is left to do."""
TITLES, TITLE = ("title", "name", "text", "question", "says"), 24
"""What a person reads a row by, and how much of it is left as long as anything else can give way."""
SLUG, BEGINNING = "slug", 16
"""A name that has a title beside it may be cut: the shell completes its beginning."""
WHOLE = ("slug", "id", "action", "session", "worker", "job", "duty")  # a name cut short cannot be used
KEPT = ("status", "state")
OTHERS = ("session", "worker")
"""Names of other things, where they are not what the row is about: the first to be left out."""
HOUSE_WORDS = ("category", "kind", "requester", "severity", "tier", "rank", "taint", "producer", "scope", "by")
"""The next: words with which the house sorts."""
LONGEST, LONGEST_STRUCTURE = 200, 80
"""Cells of a pipe; `--json` has all of it."""


def table(rows: Sequence[Mapping[str, Any]], screen: Screen, columns: Sequence[str] = ()) -> Iterator[str]:
    """A header and a line for each row. Columns in which nothing is said are left out, unless they were asked for."""
    names = list(columns) or columns_of(rows)
    cells = [[_cell(row.get(name), screen) for name in names] for row in rows]
    said = [place for place in range(len(names)) if columns or any(line[place] for line in cells)]
    lines = [[names[place] if columns else label(names[place]) for place in said]]
    lines += [[line[place] or ("" if screen.tty else "-") for place in said] for line in cells]
    widths = [max(width(line[place]) for line in lines) for place in range(len(said))]
    if screen.tty:
        times = {place for place, at in enumerate(said) if any(is_moment(row.get(names[at])) for row in rows)}
        widths = _Columns([names[place] for place in said], widths, times).within(screen.width)
    for number, line in enumerate(lines):
        shown = [padded(clipped(cell, room), room) for cell, room in zip(line, widths, strict=True) if room]
        text = GAP.join(shown).rstrip()
        yield screen.bold(text) if number == 0 else text


def _cell(value: Any, screen: Screen) -> str:
    text = one_line(value, screen)
    return text if screen.tty else clipped(text, LONGEST_STRUCTURE if isinstance(value, dict | list) else LONGEST)


def columns_of(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """In the order in which the rows name them; an id is shown only where there is no slug."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    return [name for name in names if name != "id"] if "slug" in names else names


class _Columns:
    """The columns of a table, and what becomes of them where there is not room for all."""

    def __init__(self, names: list[str], widths: list[int], times: set[int]) -> None:
        self._names, self._widths = names, widths
        self._times = times
        self._status = {place for place, name in enumerate(names) if name in KEPT}
        self._titles = {place for place, name in enumerate(names) if name in TITLES}
        self._whole = {place for place, name in enumerate(names) if name in WHOLE}

    def within(self, room: int) -> list[int]:
        """Their widths, 0 for one that is left out."""
        for slug, title, times in ((0, TITLE, False), (BEGINNING, TITLE, False), (0, WORDS, False), (0, MARK, True)):
            least = [self._least(place, slug, title) for place in range(len(self._names))]
            for left in self._left_out(times=times):
                tried = [0 if place in left else cells for place, cells in enumerate(self._widths)]
                fitted = _narrowed(tried, room, least)
                if not _excess(fitted, room):
                    return fitted
        return _narrowed(list(self._widths), room, [MARK] * len(self._names))

    def _least(self, place: int, slug: int, title: int) -> int:
        if place in self._titles:
            return title
        if slug and self._titles and self._names[place] == SLUG:
            return slug
        wide = self._widths[place]
        if place in self._times | self._whole | self._status:
            return wide
        return WORDS if wide > 2 * WORDS else NARROWEST

    def _left_out(self, *, times: bool) -> Iterator[set[int]]:
        """More and more of them; never the first, a title, a status, or how a row is named."""
        yield set()
        rest = [place for place in range(1, len(self._names)) if place not in self._titles | self._status]
        ids = [place for place in rest if self._names[place] in OTHERS]
        words = [place for place in rest if self._names[place] in HOUSE_WORDS]
        last = [place for place in reversed(rest) if place not in self._whole | self._times]
        when = [place for place in reversed(rest) if place in self._times] if times else []
        left: set[int] = set()
        for place in dict.fromkeys((*ids, *words, *last, *when)):
            left.add(place)
            yield set(left)


def _narrowed(widths: list[int], room: int, least: list[int]) -> list[int]:
    while _excess(widths, room):
        flexible = [place for place, cells in enumerate(widths) if cells > least[place]]
        if not flexible:
            break
        widths[max(flexible, key=widths.__getitem__)] -= 1
    return widths


def _excess(widths: Sequence[int], room: int) -> int:
    shown = [cells for cells in widths if cells]
    return max(0, sum(shown) + len(GAP) * (len(shown) - 1) - room)
