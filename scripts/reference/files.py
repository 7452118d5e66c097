"""Where the code of something is: the files that hold a noun, and the room that brings it."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from hq.app import catalogue, registry
from hq.room import Room
from hq.rooms import rooms

SOURCE = Path(__file__).parents[2] / "src" / "hq"
_QUERIES = re.compile(r"\bbeside\(__file__(?:, \"([\w./]+)\")?\)")
FOR_ANY_NOUN = "hq.door.nouns"
"""Makes the verbs that every noun may have."""


def files_of(noun: str) -> list[str]:
    """Paths under `src/hq`: the noun's type, its verbs with their queries, and the front that brings them."""
    modules = {verb.handler.__module__ for verb in registry() if verb.noun == noun} - {FOR_ANY_NOUN}
    if noun in catalogue().nodes:
        modules.add(catalogue().nodes[noun].__module__)
    files = {file for module in modules for file in _files(module)}
    return [*(f"{room.name}/room.py" for room in rooms_of(noun)), *sorted(files)]


@cache
def rooms_of(noun: str) -> list[Room]:
    """The rooms that bring its type or verbs of it, the topmost first."""
    return [
        room
        for room in reversed(rooms())
        if any(verb.noun == noun for verb in room.verbs) or any(node.type == noun for node in room.types)
    ]


def _files(module: str) -> Iterator[str]:
    file = Path(sys.modules[module].__file__ or "")
    yield str(file.relative_to(SOURCE))
    for name in _QUERIES.findall(file.read_text("utf-8")):
        yield str(file.with_name(name or "queries.sql").relative_to(SOURCE))
