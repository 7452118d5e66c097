"""`python -m scripts.reference` writes the pages anew; with `--check` it only says which of them are stale."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from scripts.reference import edges, errors, events, rooms, settings, triggers, types, verbs

FOLDER = Path(__file__).parents[2] / "docs" / "reference"
PAGES: dict[str, Callable[[], Iterator[str]]] = {
    "rooms.md": rooms.page,
    "verbs.md": verbs.page,
    "types.md": types.page,
    "edges.md": edges.page,
    "events.md": events.page,
    "triggers.md": triggers.page,
    "settings.md": settings.page,
    "errors.md": errors.page,
}


def main(args: list[str], folder: Path = FOLDER) -> int:
    made = _made()
    stale = [name for name, text in made.items() if _known(folder / name) != text]
    if "--check" in args:
        for name in stale:
            print(f"docs/reference/{name} is stale; run `make docs`", file=sys.stderr)
        return int(bool(stale))
    folder.mkdir(parents=True, exist_ok=True)
    for name in stale:
        (folder / name).write_text(made[name], "utf-8")
        print(f"wrote docs/reference/{name}")
    return 0


@cache
def _made() -> dict[str, str]:
    return {name: "\n".join(page()).rstrip() + "\n" for name, page in PAGES.items()}


def _known(file: Path) -> str | None:
    return file.read_text("utf-8") if file.exists() else None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
