"""Sight: whose things somebody sees of what is not the whole company's. A type says by `seen_by` that its nodes are such."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import LiteralString
from uuid import UUID

from hq.database.rows import QueryValues
from hq.graph.catalogue import Catalogue


@dataclass(frozen=True)
class Sight:
    """Somebody and whom they lead, under every name that these go by."""

    agents: list[str]
    """By their slugs."""
    parties: list[UUID]
    """Their nodes, those of the personas that they are, of the seats that they are in and of the organisations these are in:
    what a link may lead to."""
    principals: list[UUID]
    """As they call, workers too."""
    producers: list[UUID]
    """As they are said to have made a node."""


Look = Callable[[], Awaitable[Sight]]
"""Finds out whose; only asked where something is in question that is not the whole company's."""


@dataclass(frozen=True)
class Told:
    """The words of a change by who does not see everything: what they name is there only where it is seen."""

    names: frozenset[str]
    look: Look
    hides: bool = False
    """Whether they name something that is not, and the call goes on as if there were no such thing."""


SEEN: LiteralString = """(n.type <> all(%(private)s) or n.producer_id = any(%(producers)s) or exists (
 select 1 from graph.edges s where s.tenant_id = ops.tenant() and s.from_id = n.id and s.live
 and s.to_id = any(%(parties)s) and n.type || ' ' || s.type = any(%(seen_by)s) offset 0))"""
"""Of nodes of any type: what is the whole company's, what one of them made, and what leads to one of them."""
SEEN_OF_TYPE: LiteralString = """n.id in (
 select s.from_id from graph.edges s where s.tenant_id = ops.tenant() and s.to_id = any(%(parties)s) and s.live
 and %(private_type)s::text || ' ' || s.type = any(%(seen_by)s)
 union all select m.id from graph.nodes m where m.tenant_id = ops.tenant() and m.producer_id = any(%(producers)s)
 and m.type = %(private_type)s)"""
"""The same of nodes of one such type, found from whose they are: those of others, however many, are not looked at."""


def seen_by(sight: Sight, catalogue: Catalogue, types: Sequence[str]) -> tuple[LiteralString, QueryValues]:
    """The condition on a node `n` of these types, or of any, and its values."""
    values = {"private": catalogue.private, "seen_by": catalogue.seen_by}
    values |= {"parties": sight.parties, "producers": sight.producers}
    return (SEEN, values) if len(types) != 1 else (SEEN_OF_TYPE, {**values, "private_type": types[0]})
