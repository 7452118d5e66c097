"""Reading the graph in one transaction, for one tenant: as it is, or as it was at any moment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any, LiteralString, TypeVar, overload
from uuid import UUID

from psycopg import AsyncConnection
from psycopg.rows import args_row
from psycopg.types.json import Jsonb

from hq.database.queries import beside
from hq.database.rows import QueryValues, RowReader, check_columns
from hq.errors import Refused
from hq.grammar import with_article
from hq.graph.catalogue import Catalogue
from hq.graph.moment import AsOf
from hq.graph.records import EdgeTarget, NodeChange, NodeLink, Stored
from hq.graph.sight import Look, Sight, Told, seen_by
from hq.graph.types import Node
from hq.ids import is_id, parse_id

SQL = beside(__file__)
N = TypeVar("N", bound=Node)
T = TypeVar("T")

COLUMNS: LiteralString = """n.id, n.type, n.slug, n.number, n.title, n.status, n.priority, n.occurred_at, n.archived_at,
 n.props, n.tags, n.producer_id, n.owner_id, n.external_source, n.external_id, n.valid_from, n.valid_to, n.created_at,
 n.updated_at, n.redaction_policy, n.confidence, n.taint, n.seq, n.action_id"""
TYPE, PROPS, TAGS, TAINT = (
    [field.name for field in fields(Stored)].index(name) for name in ("type", "props", "tags", "taint")
)
"""Where these stand in a row: its columns are the fields of `Stored`, in their order."""
NOW_NODES: LiteralString = "graph.nodes n"
NOW_EDGES: LiteralString = "graph.edges e"
THEN_NODES: LiteralString = "graph.nodes_at(%(true_at)s, %(known_at)s, %(upto)s, %(also)s) n"
THEN_EDGES: LiteralString = "graph.edges_at(%(true_at)s, %(known_at)s, %(upto)s, %(also)s) e"
FEW = 1_000
Narrow = Callable[..., None]
"""Takes one more condition, and its values by name."""


@dataclass(frozen=True)
class EdgeFilter:
    """A filter: only nodes joined to `other` by this edge."""

    edge: str
    other: UUID
    inward: bool = False


@dataclass
class NodeFilter:
    """What a list asks for. Every condition narrows."""

    ids: Sequence[UUID] | None = None
    types: Sequence[str] = ()
    number: int | None = None
    status: str | None = None
    priority: str | None = None
    tag: str | None = None
    props: Mapping[str, Any] = field(default_factory=dict)
    related: Sequence[EdgeFilter] = ()
    producer: UUID | None = None
    external: tuple[str, str] | None = None
    since: datetime | None = None
    until: datetime | None = None
    by_time: bool = False
    archived: bool = False
    after: UUID | None = None
    limit: int = 50


class View(RowReader):
    """What a transaction sees of the graph: now, or with `as_of` at a moment of the past."""

    def __init__(
        self, conn: AsyncConnection[Any], catalogue: Catalogue, now: datetime, as_of: AsOf | None = None
    ) -> None:
        super().__init__(conn)
        self.catalogue = catalogue
        self.now = now
        self.as_of = as_of
        self.taint: set[str] = set()
        """Marks of the outside content this call has read or been given; they stick to what it writes."""
        self.look: Look | None = None
        """For who does not see everything: whose things they see."""
        self.told: Told | None = None
        """Of a change by who does not see everything: what its words name, which is found only where they see it."""
        self._sight: Sight | None = None

    async def sight(self) -> Sight | None:
        """Whose things are seen, of what is not the whole company's; nothing where everything is."""
        if self._sight is None and self.look is not None:
            self._sight = await self.look()
        return self._sight if self.look else None

    @contextmanager
    def looking(self) -> Iterator[None]:
        """Looking at something does not mark the call; showing it does, and whoever shows it says so."""
        before = set(self.taint)
        try:
            yield
        finally:
            self.taint = before

    @property
    def true_at(self) -> datetime:
        """The moment this is a view of."""
        return self.as_of.true_at if self.as_of and self.as_of.true_at else self.now

    @overload
    async def get(self, ref: str | UUID, kind: type[N]) -> Stored[N]: ...
    @overload
    async def get(self, ref: str | UUID, kind: None = None) -> Stored[Node]: ...

    async def get(self, ref: str | UUID, kind: type[Node] | None = None) -> Stored[Any]:
        """The node by slug, `type:slug` or id. Archived ones too: what was said of them still stands."""
        found = await self.look_up(ref, kind)
        if found is None:
            raise self.absent(ref, kind)
        return found

    def absent(self, ref: str | UUID, kind: type[Node] | None = None) -> Refused:
        """What is said of what is not there, and in the same words of what who looks does not see."""
        what = f"{kind.type} " if kind else ""
        hint = f"`hq {kind.type} list` shows what there is" if kind and self.can_list(kind) else ""
        return Refused.not_found(f"there is no {what}{str(ref)!r}{' that you see' if self.look else ''}", hint=hint)

    def can_list(self, kind: type[Node]) -> bool:
        """Whether who looks has a command that lists these."""
        return True

    async def look_up(self, ref: str | UUID, kind: type[Node] | None = None) -> Stored[Any] | None:
        text = str(ref)
        type_ = kind.type if kind else None
        if not isinstance(ref, UUID) and ":" in text and text.partition(":")[0] in self.catalogue.nodes:
            named, _, text = text.partition(":")
            if type_ and named != type_:
                raise Refused.invalid(f"{with_article(type_)} is wanted here, {str(ref)!r} names {with_article(named)}")
        by_id, marks = isinstance(ref, UUID) or is_id(text), frozenset(self.taint)
        rows = await self._nodes(
            "n.id = %(ref)s" if by_id else "n.slug = %(ref)s", {"ref": parse_id(text) if by_id else text}, limit=1
        )
        if not rows and by_id:  # a slug may look like an id
            rows = await self._nodes("n.slug = %(ref)s", {"ref": text}, limit=1)
        found = rows[0] if rows else None
        if found and not (await self.sees(found) and await self._may_name(ref, found)):
            self.taint &= marks
            return None
        if found and type_ and found.type != type_:
            if not await self.may_hear_of(found):
                return None
            raise Refused.invalid(f"{with_article(type_)} is wanted here, {text!r} is {with_article(found.type)}")
        return found

    async def named(self, texts: Iterable[str]) -> list[Stored[Any]]:
        """Every node that one of these texts names: by slug, `type:slug` or id in any spelling."""
        plain = {text.partition(":")[2] if text.partition(":")[0] in self.catalogue.nodes else text for text in texts}
        ids = [parse_id(text) for text in plain if is_id(text)]
        if not plain:
            return []
        seen, by = await self._seen()
        return await self._nodes(
            "(n.slug = any(%(slugs)s) or n.id = any(%(ids)s)) and " + seen,
            {"slugs": list(plain), "ids": ids, **by},
            limit=500,
        )

    async def get_all(self, refs: Sequence[str]) -> list[Stored[Any]]:
        """The nodes of these names, in their order, in one question."""
        found: dict[str, Stored[Any]] = {}
        if len(refs) > 1:
            for node in await self.named(refs):
                if self.told is None or node.type not in self.catalogue.private:  # else each is asked about
                    found |= {node.slug: node, f"{node.type}:{node.slug}": node, str(node.id): node}
        return [found.get(ref) or await self.get(ref) for ref in refs]

    async def find(self, wanted: NodeFilter) -> list[Stored[Any]]:
        """Nodes, newest first."""
        where: list[LiteralString] = []
        values: dict[str, object] = {}

        def only(condition: LiteralString, **named: Any) -> None:
            where.append(condition)
            values.update(named)

        if wanted.ids is not None and not wanted.ids:
            return []
        for index, relation in enumerate(wanted.related):
            if not await self._only_related(only, index, relation):
                return []
        if wanted.ids is not None:
            only("n.id = any(%(ids)s)", ids=list(wanted.ids))
        if len(wanted.types) == 1:
            only("n.type = %(type)s", type=wanted.types[0])
        elif wanted.types:
            only("n.type = any(%(types)s)", types=list(wanted.types))
        seen, by = await self._seen(wanted.types)
        if by:
            only(seen, **by)
        if not wanted.archived:
            only("n.archived_at is null")
            # What has not begun is not there yet; by its mark, not by our clock, which may be behind another's.
            only(
                "n.next_change_at is distinct from n.valid_from and (n.valid_to is null or n.valid_to > %(at)s)",
                at=self.true_at,
            )
        if wanted.number is not None:
            only("n.number = %(number)s", number=wanted.number)
        if wanted.status is not None:
            only("n.status = %(status)s", status=wanted.status)
        if wanted.priority is not None:
            only("n.priority = %(priority)s", priority=wanted.priority)
        if wanted.tag is not None:
            only("n.tags @> array[%(tag)s::text]", tag=wanted.tag)
        if wanted.props:
            only("n.props @> %(props)s", props=Jsonb(dict(wanted.props)))
        if wanted.producer is not None:
            only("n.producer_id = %(producer)s", producer=wanted.producer)
        if wanted.external is not None:
            only(
                "n.external_source = %(source)s and n.external_id = %(external)s",
                source=wanted.external[0],
                external=wanted.external[1],
            )
        moment: LiteralString = "n.occurred_at" if wanted.by_time else "n.created_at"
        if wanted.since is not None:
            only(moment + " >= %(since)s", since=wanted.since)
        if wanted.until is not None:
            only(moment + " < %(until)s", until=wanted.until)
        if wanted.after is not None:
            only(
                "(n.created_at, n.id) < (select c.created_at, c.id from graph.nodes c where c.tenant_id = ops.tenant() and c.id = %(after)s)",
                after=wanted.after,
            )
        order: LiteralString = moment + " desc, n.id desc"
        return await self._nodes(" and ".join(where) or "true", values, order=order, limit=wanted.limit)

    async def _seen(self, types: Sequence[str] = ()) -> tuple[LiteralString, QueryValues]:
        """What is asked beside of nodes of these types, or of any: that who looks sees them."""
        if (types and set(types).isdisjoint(self.catalogue.private)) or (sight := await self.sight()) is None:
            return "true", {}
        return seen_by(sight, self.catalogue, types)

    async def sees(self, node: Stored[Any]) -> bool:
        if self.look is None or node.type not in self.catalogue.private:
            return True
        seen, by = await self._seen()
        query: LiteralString = "select n.id from graph.nodes n where n.tenant_id = ops.tenant() and n.id = %(id)s and "
        return await self.scalar(query + seen, {"id": node.id, **by}, of=UUID) is not None

    async def _may_name(self, ref: str | UUID, node: Stored[Any]) -> bool:
        """What somebody says by name and does not see is as what there is not, of what they change too."""
        return self.told is None or ref not in self.told.names or await self.may_hear_of(node)

    async def may_hear_of(self, node: Stored[Any]) -> bool:
        """Whether what it is may be told to who says its name where something else is wanted."""
        if self.told is None or node.type not in self.catalogue.private:
            return True
        kept = self.look, self._sight
        self.look, self._sight = self.told.look, None
        try:
            return await self.sees(node)
        finally:
            self.look, self._sight = kept

    async def _only_related(self, only: Narrow, index: int, relation: EdgeFilter) -> bool:
        """Where few are joined to the other one, start from those; where many are, walk the nodes and look at each. False where
        none are."""
        near: LiteralString = "to_id" if relation.inward else "from_id"
        far: LiteralString = "from_id" if relation.inward else "to_id"
        edges: LiteralString = THEN_EDGES if self.as_of else NOW_EDGES
        joined: LiteralString = (
            " from "
            + edges
            + " where e.tenant_id = ops.tenant() and e.live and e."
            + far
            + " = %(other)s and e.type = %(edge)s and e.next_change_at is distinct from e.valid_from"
            " and (e.valid_to is null or e.valid_to > %(moment)s)"
        )
        # In the past a slot may have pointed there that now points elsewhere: history finds it.
        once: LiteralString = (
            " and e.id in (select v.item_id from graph.versions v where v.tenant_id = ops.tenant() and v.kind = 'edge'"
            " and v." + far + " = %(other)s)"
            if self.as_of
            else ""
        )
        values = {"other": relation.other, "edge": relation.edge, "moment": self.true_at}
        few = await self.scalars(
            "select e." + near + joined + once + " limit %(limit)s",
            {**values, **self.moment_values(), "limit": FEW + 1},
            of=UUID,
        )
        if len(few) <= FEW:
            only(f"n.id = any(%(few{index})s)", **{f"few{index}": few})
            return bool(few)
        # `offset 0` keeps it a question per node, in the order of the list, instead of a join over all.
        here = {name: f"{name}{index}" for name in values}
        text = "exists (select 1" + joined + " and e." + near + " = n.id offset 0)"
        for name, own in here.items():
            text = text.replace(f"%({name})s", f"%({own})s")
        only(text, **{here[name]: value for name, value in values.items()})
        return True

    async def links(
        self, node: Stored[Any], limit: int = 200, *, skip: int = 0, edge: str | None = None
    ) -> list[NodeLink]:
        """The node's edges in both directions."""
        edges: LiteralString = THEN_EDGES if self.as_of else NOW_EDGES
        nodes: LiteralString = THEN_NODES if self.as_of else NOW_NODES
        # In the past a slot may have pointed here that now points elsewhere: history finds it.
        inward: LiteralString = (
            "e.to_id = %(id)s and e.id in (select v.item_id from graph.versions v"
            " where v.tenant_id = ops.tenant() and v.kind = 'edge' and v.to_id = %(id)s)"
            if self.as_of
            else "e.to_id = %(id)s"
        )
        at = self.true_at
        values = {"id": node.id, "at": at, "limit": limit, "skip": skip, "edge": edge, **self.moment_values()}

        async def linked(seen: LiteralString, by: QueryValues) -> list[NodeLink]:
            # `offset 0`: the edges first, then each one's other end. A database that has not counted its rows yet would
            # else ask every node of the company for its edges.
            query: LiteralString = (
                "select x.id, x.type, x.outward, x.other_id, o.slug as other_slug, o.type as other_type, o.title as other_title,"
                " x.props, x.valid_from, x.valid_to, x.confidence, o.taint from ("
                "select e.id, e.type, true as outward, e.to_id as other_id, e.props, e.valid_from, e.valid_to, e.confidence"
                " from " + edges + " where e.tenant_id = ops.tenant() and e.from_id = %(id)s and e.live"
                " and e.next_change_at is distinct from e.valid_from and (e.valid_to is null or e.valid_to > %(at)s)"
                " union all "
                "select e.id, e.type, false, e.from_id, e.props, e.valid_from, e.valid_to, e.confidence"
                " from " + edges + " where e.tenant_id = ops.tenant() and " + inward + " and e.live"
                " and e.next_change_at is distinct from e.valid_from and (e.valid_to is null or e.valid_to > %(at)s)) x"
                " cross join lateral (select n.slug, n.type, n.title, n.taint from "
                + nodes
                + " where n.tenant_id = ops.tenant() and n.id = x.other_id and n.archived_at is null and "
                + seen
                + " offset 0) o"
                " where %(edge)s::text is null or x.type = %(edge)s"
                " order by outward desc, x.type, o.slug, x.id limit %(limit)s offset %(skip)s"
            )
            return await self.rows(query, {**values, **by}, into=NodeLink)

        # Whose things one sees is asked only where something is not the whole company's. A later page counts what is seen.
        rows = await linked("true", {}) if not skip else []
        if skip or any(row.other_type in self.catalogue.private for row in rows):
            rows = await linked(*await self._seen())
        self.taint.update(mark for row in rows for mark in row.taint)
        return rows

    async def targets(self, sources: Iterable[UUID], edges: Sequence[str]) -> dict[tuple[UUID, str], UUID]:
        """Where these edges lead from these nodes, for edges that have one target; all in one question."""
        if not (ids := list(sources)):
            return {}
        table: LiteralString = THEN_EDGES if self.as_of else NOW_EDGES
        rows = await self.rows(
            "select e.from_id, e.type, e.to_id from " + table + " where e.tenant_id = ops.tenant() and e.live"
            " and e.from_id = any(%(sources)s) and e.type = any(%(edges)s)"
            " and e.next_change_at is distinct from e.valid_from and (e.valid_to is null or e.valid_to > %(at)s)",
            {"sources": ids, "edges": list(edges), "at": self.true_at, **self.moment_values()},
            into=EdgeTarget,
        )
        return {(row.from_id, row.type): row.to_id for row in rows}

    async def history(self, node_id: UUID, limit: int = 100) -> list[NodeChange]:
        """Every change of a node that was known by then, newest first."""
        return await self.rows(SQL["history"], {"id": node_id, "limit": limit, **self.known_values()}, into=NodeChange)

    async def began(self, node: Stored[Any]) -> datetime:
        """When it began to be true, as far as is known."""
        return await self.the_scalar(SQL["began"], {"id": node.id}, of=datetime)

    async def made(self, kind: Callable[..., T], query: LiteralString, values: Any = None) -> list[T]:
        """Rows as things of a kind that takes their columns in order: quicker where there are many."""
        async with self.conn.cursor(row_factory=args_row(kind)) as cursor:
            await cursor.execute(query, values)
            return await cursor.fetchall()

    async def _nodes(
        self, where: LiteralString, values: Mapping[str, Any], *, order: LiteralString = "n.id", limit: int
    ) -> list[Stored[Any]]:
        nodes: LiteralString = THEN_NODES if self.as_of else NOW_NODES
        query = "select " + COLUMNS + " from " + nodes + " where n.tenant_id = ops.tenant() and " + where
        query += " order by " + order + " limit %(limit)s"
        return await self._rows_of(query, {**values, **self.moment_values(), "limit": limit})

    async def _rows_of(self, query: LiteralString, values: Any) -> list[Stored[Any]]:
        async with self.conn.cursor() as cursor:
            await cursor.execute(query, values)
            found = await cursor.fetchall()  # in a pipeline what comes back is there only now
            assert cursor.pgresult is not None
            check_columns(Stored, cursor.pgresult)
            return [self._stored(row) for row in found]

    def _stored(self, row: Sequence[Any]) -> Stored[Any]:
        values = list(row)
        values[PROPS] = self.catalogue.read(values[TYPE], values[PROPS])
        values[TAGS] = tuple(values[TAGS])
        values[TAINT] = taint = frozenset(values[TAINT])
        self.taint |= taint
        return Stored(*values)

    def moment_values(self) -> QueryValues:
        if self.as_of is None:
            return {}
        then = self.as_of
        return {"true_at": then.true_at, "known_at": then.known_at, "upto": then.upto, "also": list(then.also)}

    def known_values(self) -> QueryValues:
        """What had been recorded by then, for rows that are only ever added; without a moment, everything."""
        then = self.as_of or AsOf(None)
        return {"known_at": then.known_at, "upto": then.upto, "also": list(then.also)}

    @property
    def seen_at(self) -> datetime:
        """The one moment for what has no two times, such as a credential: when it was true and known."""
        return min(self.true_at, self.as_of.known_at) if self.as_of else self.now
