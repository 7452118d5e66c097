"""Rows as aligned columns. A terminal is not overfilled: the widest columns give way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hq.terminal.screen import Screen
from hq.terminal.values import is_moment, label, one_line
from hq.terminal.width import clipped, padded, width

GAP = "  "
NARROWEST, MARK = 8, 4
"""A column gives way to the first while others can, and then to the second."""
WHOLE = ("slug", "id", "action", "session", "worker", "job", "duty")  # a name cut short cannot be used
OTHERS = ("session", "worker")
"""Names of other things, where they are not what the row is about: the first to be left out."""
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
        whole = times | {place for place, name in enumerate(lines[0]) if name in WHOLE}
        others = {place for place, name in enumerate(lines[0]) if place and name in OTHERS}
        widths = _fitting(widths, screen.width, whole, others)
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


def _fitting(widths: list[int], room: int, whole: set[int], others: set[int]) -> list[int]:
    """The widest columns give way; where that is not enough, ids of other things are left out, then the last columns."""
    without = [0 if place in others else cells for place, cells in enumerate(widths)]
    for tried, least in ((widths, NARROWEST), (without, NARROWEST), (without, MARK)):
        fitted = _narrowed(list(tried), room, whole, least)
        if not _excess(fitted, room):
            return fitted
    fitted = _narrowed(without, room, whole, MARK)
    for place in reversed(range(1, len(fitted))):
        if _excess(fitted, room) and place not in whole:
            fitted[place] = 0
    return fitted


def _narrowed(widths: list[int], room: int, whole: set[int], least: int) -> list[int]:
    while _excess(widths, room):
        flexible = [place for place, cells in enumerate(widths) if cells > least and place not in whole]
        if not flexible:
            break
        widths[max(flexible, key=widths.__getitem__)] -= 1
    return widths


def _excess(widths: Sequence[int], room: int) -> int:
    shown = [cells for cells in widths if cells]
    return max(0, sum(shown) + len(GAP) * (len(shown) - 1) - room)
