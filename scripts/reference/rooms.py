"""The page of the rooms: what each brings, as its front says it."""

from __future__ import annotations

from collections.abc import Iterator

from hq.room import Room
from hq.rooms import rooms
from scripts.reference.files import files_of
from scripts.reference.links import type_link
from scripts.reference.markdown import anchor, codes, head, link, paragraph, table

INTRO = """
A room is a folder of `src/hq` and says in its `room.py` what it brings: types, verbs, kinds of asks, jobs, SQL functions,
policies, services. The composition root (`app.py`), the migrator and this reference read that; there is no other list. A room
builds only on those below it here.
"""


def page() -> Iterator[str]:
    yield from head("Rooms", INTRO)
    top_first = rooms()[::-1]
    yield from table(
        ("room", "what it is for"), [(link(r.name, f"#{anchor(r.name)}"), paragraph(r.says)) for r in top_first]
    )
    for room in top_first:
        yield from _room(room)


def _room(room: Room) -> Iterator[str]:
    yield f"## {room.name}"
    yield ""
    yield paragraph(room.says)
    yield ""
    if room.types:
        yield f"- Types: {', '.join(type_link(node.type) for node in room.types)}."
    if room.kinds:
        yield f"- Kinds of asks: {codes(kind.name for kind in room.kinds)}."
    if room.jobs:
        yield f"- Jobs: {codes(job.name for job in room.jobs)}."
    if room.owners:
        yield f"- Says whose it is of: {codes(room.owners)}."
    if room.stops or room.policies:
        yield f"- Policies: {codes(policy.__name__ for policy in (*room.stops, *room.policies))}."
    if room.functions:
        yield f"- SQL functions: {codes(room.functions)}."
    yield ""
    nouns = sorted({verb.noun for verb in room.verbs} | {node.type for node in room.types})
    if nouns:
        own = {noun: [file for file in files_of(noun) if file.startswith(f"{room.name}/")] for noun in nouns}
        verbs = {verb.noun for verb in room.verbs}
        yield from table(
            ("noun", "files"),
            [
                (
                    link(noun, f"verbs.md#{anchor(noun)}") if noun in verbs else type_link(noun),
                    codes(files[1:]) or codes(files),
                )
                for noun, files in own.items()
            ],
        )
