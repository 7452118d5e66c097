"""Titles of asks: what is done, to what and for whom, in words of the house around the names of the things."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from hq.asks.quotation import in_line
from hq.door.verb import Verb
from hq.graph.records import Stored
from hq.terminal.width import shortened

NAMES = ("name", "title", "ref", "skill", "persona", "persona_slug", "machine", "host", "url", "command", "subject")
"""Arguments that say what it is about, where the verb itself does not say which does."""
WHOM = {"mission": "for", "into": "into", "to": "to", "agent": "for", "project": "in", "owner": "for"}
"""Those that say for whom or where, and the word before each."""
WHERE = {"position_id": "as", "organisation": "in", "org": "in"}
"""Those that say in which seat or organisation."""
LONGEST = 80


def asked_text(
    verb: Verb, args: Mapping[str, Any], things: Iterable[Stored[Any]], numbered: Mapping[str, Stored[Any]]
) -> str:
    """`numbered` are the things that arguments name by a number."""
    titles = {name: node.title for node in things for name in (node.slug, f"{node.type}:{node.slug}", str(node.id))}
    said = {name: titles.get(value, value) for name, value in args.items() if isinstance(value, str) and value.strip()}
    said |= {name: node.title or node.slug for name, node in numbered.items()}
    what = next((name for name in (*NAMES[:2], verb.target, *NAMES[2:]) if name in said), None)
    whom = next((name for name in WHOM if name in said and name != what), None)
    parts = [doing(verb.name), _named(said[what]) if what else ""]
    parts += [f"{WHOM[whom]} {_named(said[whom])}"] if whom else []
    where = next((name for name in WHERE if name in said and name != what), None)
    parts += [f"{WHERE[where]} {_named(said[where])}"] if where else []
    return " ".join(filter(None, parts))


def doing(verb: str) -> str:
    """A verb as one says it: `agent.hire` is Hire agent."""
    noun, _, action = verb.partition(".")
    return f"{action.replace('_', ' ').capitalize()} {noun.replace('_', ' ')}"


def _named(text: str) -> str:
    return f"“{shortened(in_line(text), LONGEST)}”"
