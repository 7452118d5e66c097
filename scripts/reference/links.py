"""Links to where a verb, a type, an edge or an event is told of."""

from __future__ import annotations

from hq.door.verb import Verb
from scripts.reference.markdown import anchor, link


def verb_link(verb: Verb, page: str = "") -> str:
    return link(f"`{verb.name}`" if page else verb.action, f"{page}#{anchor(verb.name)}")


def type_link(type_: str) -> str:
    return link(f"`{type_}`", f"types.md#{anchor(type_)}")


def edge_link(name: str, page: str = "edges.md") -> str:
    return link(f"`{name}`", f"{page}#{anchor(name)}")


def event_link(topic: str) -> str:
    return link(f"`{topic}`", f"events.md#{anchor(noun_of(topic))}")


def noun_of(topic: str) -> str:
    """The heading under which the page of events has it."""
    noun = topic.partition(".")[0]
    return "any type" if noun.startswith("<") else noun
