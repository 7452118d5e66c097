"""The front of the room `coding`: what it brings."""

from __future__ import annotations

from hq.coding import continuation, operations, record, review, types, verbs
from hq.coding.owners import owner_of_code_run, requester_of_code_run
from hq.coding.programs import CodingPrograms
from hq.room import Room

ROOM = Room(
    name="coding",
    types=types.NODES,
    edges=types.EDGES,
    verbs=(*verbs.VERBS, *review.VERBS, *continuation.VERBS, *record.VERBS),
    nouns={
        "code": "Coding programs at work in a workspace, in the sandbox: build, review, answer, follow.",
    },
    kinds=operations.KINDS,
    owners={"code_run": owner_of_code_run, "requested_code_run": requester_of_code_run},
    jobs=continuation.JOBS,
    services=(lambda _: CodingPrograms(),),
    tables=("code_steps",),
    sql=("functions.sql",),
)
