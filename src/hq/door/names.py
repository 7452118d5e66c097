"""Names of nodes: what somebody typed for one becomes its slug, before anything is judged, compared or written down.

A node goes by its slug, its id, its number, or its title in whatever case, with an @ before it or without. One place finds that, so
what is accepted for one verb is for all. Which type an argument names follows from the declaration: the target of a noun's
verb, an argument that is called like a type, or `Names`. What looks like a slug is taken for one, unless `Names` says otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from types import NoneType
from typing import TYPE_CHECKING, Annotated, get_args, get_origin

from hq.database.queries import beside
from hq.errors import Refused

if TYPE_CHECKING:
    from hq.door.tx import Tx
    from hq.door.verb import Args, Verb

SQL = beside(__file__)
SLUG = re.compile(r"(?=.*[a-z])[a-z0-9][a-z0-9-]*")


@dataclass(frozen=True, slots=True)
class NamedNodeRow:
    """A node that may be meant by a name."""

    slug: str
    number: int | None
    title: str | None


@dataclass(frozen=True)
class Names:
    """Said of an argument, with `Annotated`: which type of node it names."""

    type: str
    always: bool = False
    """Also where it looks like a slug: few are named so, and mostly by their title."""


async def name_slugs(tx: Tx, verb: Verb, args: Args) -> None:
    """Put slugs in the place of names. What nothing is called stays, and the verb says so."""
    for arg, said in named_by(tx, verb).items():
        if (text := getattr(args, arg)) is None:
            continue
        name = text.removeprefix(f"{said.type}:")
        if (said.always or not SLUG.fullmatch(name)) and (slug := await slug_of(tx, said.type, name)) is not None:
            setattr(args, arg, slug)


def named_by(tx: Tx, verb: Verb) -> dict[str, Names]:
    """The arguments of a verb that name a node of a known type. What only some see is not found by its title."""
    known, private = tx.catalogue.nodes, tx.catalogue.private
    declared = _declared(verb.args, verb.target, verb.noun)
    return {arg: said for arg, said in declared.items() if said.type in known and said.type not in private}


@cache
def _declared(args: type[Args], target: str | None, noun: str) -> dict[str, Names]:
    """What each argument that is a text, or a text or nothing, would name."""
    found: dict[str, Names] = {}
    for arg, field in args.model_fields.items():
        parts = [part for part in get_args(field.annotation) or (field.annotation,) if part is not NoneType]
        kind, said = parts[0] if len(parts) == 1 else None, list(field.metadata)
        if get_origin(kind) is Annotated:
            kind, *more = get_args(kind)
            said += more
        if kind is str:
            usual = Names(noun if arg == target else arg)
            found[arg] = next((each for each in said if isinstance(each, Names)), usual)
    return found


async def slug_of(tx: Tx, type_: str, name: str) -> str | None:
    """The slug of the one node of a type that goes by this name."""
    values = {"type": type_, "name": name.removeprefix("@")}
    rows = await tx.rows(SQL["called"], values, into=NamedNodeRow)
    return meant(type_, name, rows)


def meant(type_: str, name: str, known: Iterable[NamedNodeRow]) -> str | None:
    """Which of these is meant: by slug before number, by number before title; of several with a title none is."""
    text, known = name.removeprefix("@"), list(known)
    for exact in (text, text.casefold()):
        if any(each.slug == exact for each in known):
            return exact
    numbered = [each.slug for each in known if str(each.number) == text]
    alike = numbered or [each.slug for each in known if (each.title or "").casefold() == text.casefold()]
    if len(alike) > 1:
        raise Refused.invalid(f"several {type_}s are called {name!r}: say {', '.join(sorted(alike))}")
    return alike[0] if alike else None
