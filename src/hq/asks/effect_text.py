"""Effect of an answer: what the call behind an option does, told from the call alone and never in the words of who asks."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from hq.asks.quotation import in_line, quoted
from hq.door.tx import Tx
from hq.door.verb import Verb

Titles = Mapping[str, str]
"""What things are called, by the names that calls have for them."""
Effect = tuple[str, Mapping[str, Any]]
"""A call, as its verb and its arguments."""


async def titles_of(tx: Tx, effects: Iterable[Effect]) -> Titles:
    """What the things are called that these calls act on, in one question."""
    named = [str(args[name]) for verb, args in effects for name in _things(_known(tx, verb)) if args.get(name)]
    titles: dict[str, str] = {}
    for node in await tx.named(named):
        titles |= dict.fromkeys((node.slug, f"{node.type}:{node.slug}", str(node.id)), node.title)
    return titles


def effect_text(tx: Tx, effect: Effect, titles: Titles | None = None) -> str:
    """The verb's own sentence, each argument, and the verb. Nothing is left out, so nothing hides behind something long."""
    name, args = effect
    verb = _known(tx, name)
    order = {field.alias or each: n for n, (each, field) in enumerate(verb.args.model_fields.items())} if verb else {}
    told = ", ".join(
        f"{in_line(each).replace('_', ' ')} {_value(verb, each, args[each], titles or {})}"
        for each in sorted(args, key=lambda each: (order.get(each, len(order)), each))
    )
    return f"{_sentence(verb) or name}{f': {told}' if told else ''} ({name})"


def _known(tx: Tx, name: str) -> Verb | None:
    """A home may hold a call of a verb that is no more."""
    return tx.door.registry.verbs.get(name)


def _sentence(verb: Verb | None) -> str:
    return verb.summary.partition(". ")[0].removesuffix(".") if verb else ""


def _things(verb: Verb | None) -> set[str]:
    """The arguments that are declared to name something."""
    return {name for name in (verb.target, *(touch.arg for touch in verb.touches)) if name} if verb else set()


def _value(verb: Verb | None, name: str, value: Any, titles: Titles) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case int() | float():
            return str(value)
        case str():
            title = titles.get(value) if name in _things(verb) else None
            return f"{quoted(title)} ({in_line(value)})" if title and title != value else quoted(value)
        case _:
            return quoted(json.dumps(value, ensure_ascii=False))
