"""Rows as aligned columns. A terminal is not overfilled: the widest columns give way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hq.terminal.screen import Screen
from hq.terminal.values import label, one_line
from hq.terminal.width import clipped, padded, width

GAP = "  "
NARROWEST = 8
WHOLE = ("slug", "id", "action", "session", "worker")  # a name cut short cannot be used


def table(rows: Sequence[Mapping[str, Any]], screen: Screen, columns: Sequence[str] = ()) -> Iterator[str]:
    """A header and a line for each row. Columns in which nothing is said are left out, unless they were asked for."""
    names = list(columns) or columns_of(rows)
    cells = [[one_line(row.get(name), screen) for name in names] for row in rows]
    said = [place for place in range(len(names)) if columns or any(line[place] for line in cells)]
    lines = [[names[place] if columns else label(names[place]) for place in said]]
    lines += [[line[place] or ("" if screen.tty else "-") for place in said] for line in cells]
    widths = [max(width(line[place]) for line in lines) for place in range(len(said))]
    if screen.tty:
        whole = {place for place, name in enumerate(lines[0]) if name in WHOLE}
        widths = _fitting(widths, screen.width, whole)
    for number, line in enumerate(lines):
        text = GAP.join(padded(clipped(cell, cells), cells) for cell, cells in zip(line, widths, strict=True)).rstrip()
        yield screen.bold(text) if number == 0 else text


def columns_of(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """In the order in which the rows name them; an id is shown only where there is no slug."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    return [name for name in names if name != "id"] if "slug" in names else names


def _fitting(widths: list[int], room: int, whole: set[int]) -> list[int]:
    """The widest columns give way first, down to a width at which they still say something."""
    room -= len(GAP) * (len(widths) - 1)
    while sum(widths) > room:
        flexible = [place for place, cells in enumerate(widths) if cells > NARROWEST and place not in whole]
        if not flexible:
            break
        widths[max(flexible, key=widths.__getitem__)] -= 1
    return widths
