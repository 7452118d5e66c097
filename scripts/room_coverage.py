"""Coverage per room: lines of `src/hq` that the tests ran, as a table. Exits 1 where a room is below what is asked for.

`python scripts/room_coverage.py 90`, after `coverage combine`.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path

from coverage import Coverage

ROOT = Path(__file__).parents[1] / "src" / "hq"


def main(least: float) -> int:
    rooms = by_room()
    every = (sum(lines for lines, _ in rooms.values()), sum(run for _, run in rooms.values()))
    for name, (lines, run) in [*sorted(rooms.items()), ("all", every)]:
        print(f"{name:<12} {lines:>6} lines {percent(lines, run):>6.1f} %")
    low = [name for name, (lines, run) in rooms.items() if percent(lines, run) < least]
    if low:
        print(f"below {least:g} %: {', '.join(sorted(low))}", file=sys.stderr)
    return 1 if low else 0


def by_room() -> dict[str, tuple[int, int]]:
    """Statements and those that were run; what lies in no room counts as `hq`."""
    measured = Coverage()
    measured.load()
    found: dict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
    for file in sorted(ROOT.rglob("*.py")):
        _, statements, _, missing, _ = measured.analysis2(str(file))
        inside = file.relative_to(ROOT).parts
        room = inside[0] if len(inside) > 1 else "hq"
        lines, run = found[room]
        found[room] = (lines + len(statements), run + len(statements) - len(missing))
    return dict(found)


def percent(lines: int, run: int) -> float:
    return 100 * run / lines if lines else 100.0


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1])))
