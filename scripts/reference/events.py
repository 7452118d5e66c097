"""The page of the events: what verbs declare, and what their code says beside that."""

from __future__ import annotations

import typing
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from hq.app import catalogue, registry
from hq.door.results import Row
from hq.door.verb import Verb
from scripts.reference.links import noun_of, verb_link
from scripts.reference.markdown import codes, head, table
from scripts.reference.written import Said, written

INTRO = """
What a call says to the world: rows in `ops.outbox`, written in the call's own transaction, in the order of its number.
They are part of the ledger's chain. Once a call is settled the announcer tells of them, in order and each once: to
`hq events tail` and `GET /api/events`, and to webhooks. `hq events list` shows those of the past.

An event that a verb declares carries the plain values of its result, without what is shown only once and without what is
empty; the keys listed here are those it may have.
"""


def page() -> Iterator[str]:
    yield from head("Events", INTRO)
    found = _emitted()
    rooms = {noun: list(group) for noun, group in groupby(found, key=lambda said: noun_of(said.topic))}
    for noun, group in rooms.items():
        yield f"## {noun}"
        yield ""
        yield from table(
            ("event", "emitted by", "payload"),
            [(f"`{said.topic}`", said.by, codes(said.payload)) for said in group],
        )


def _emitted() -> list[Said]:
    """What verbs declare, and what their code says beside that."""
    declared = [Said(v.emits, verb_link(v, "verbs.md"), _payload(v)) for v in registry() if v.emits]
    return sorted([*declared, *written()], key=lambda said: (noun_of(said.topic), said))


def _payload(verb: Verb) -> tuple[str, ...]:
    """The door puts every plain value of the result into the event, but for what is shown only once."""
    if verb.result is Row and (model := catalogue().nodes.get(verb.noun)):
        state = ["status"] if model.moves else []
        urgency = ["priority"] if "priority" in model.model_fields else []
        plain = [name for name in model.columns if _is_plain(model.model_fields[name].annotation)]
        return tuple(dict.fromkeys(["slug", "title", *state, *urgency, *plain, "id", "updated_at"]))
    fields = verb.result.model_fields.items()
    return tuple(name for name, info in fields if name not in verb.shown_once and _is_plain(info.annotation))


def _is_plain(annotation: Any) -> bool:
    """Whether its JSON is text, a number or a yes or no."""
    return typing.get_origin(annotation) not in (list, dict, tuple) and not any(
        typing.get_origin(part) in (list, dict, tuple) for part in typing.get_args(annotation)
    )
