"""Reading and writing the graph in one transaction, for one tenant, by one caller."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, LiteralString, TypeVar, overload
from uuid import UUID

from psycopg import AsyncConnection
from psycopg.rows import dict_row, namedtuple_row
from psycopg.types.json import Jsonb
from pydantic import ValidationError

from hq.database.queries import beside
from hq.errors import Defect, Refused
from hq.graph.catalogue import Catalogue
from hq.graph.moment import FAR, AsOf
from hq.graph.slugs import slugify
from hq.graph.stored import Link, Stored
from hq.graph.types import Edge, Node
from hq.ids import is_id, new_id, parse_id

SQL = beside(__file__)
N = TypeVar("N", bound=Node)

COLUMNS: LiteralString = """n.id, n.type, n.slug, n.number, n.title, n.status, n.priority, n.occurred_at, n.archived_at,
 n.props, n.tags, n.producer_id, n.owner_id, n.external_source, n.external_id, n.valid_from, n.valid_to, n.created_at,
 n.updated_at, n.redaction_policy, n.confidence, n.taint, n.seq, n.action_id"""
NOW_NODES: LiteralString = "graph.nodes n"
NOW_EDGES: LiteralString = "graph.edges e"
THEN_NODES: LiteralString = "graph.nodes_at(%(true_at)s, %(known_at)s, %(upto)s, %(also)s) n"
THEN_EDGES: LiteralString = "graph.edges_at(%(true_at)s, %(known_at)s, %(upto)s, %(also)s) e"


@dataclass(frozen=True)
class Related:
    """A filter: only nodes joined to `other` by this edge."""

    edge: str
    other: UUID
    inward: bool = False


@dataclass
class Wanted:
    """What a list asks for. Every condition narrows."""

    ids: Sequence[UUID] | None = None
    types: Sequence[str] = ()
    status: str | None = None
    priority: str | None = None
    tag: str | None = None
    props: Mapping[str, Any] = field(default_factory=dict)
    related: Sequence[Related] = ()
    producer: UUID | None = None
    external: tuple[str, str] | None = None
    since: datetime | None = None
    until: datetime | None = None
    by_time: bool = False
    archived: bool = False
    after: UUID | None = None
    limit: int = 50


class Graph:
    """One transaction's view of the graph. With `as_of` it is a view of the past, and cannot write."""

    def __init__(
        self,
        conn: AsyncConnection[Any],
        catalogue: Catalogue,
        now: datetime,
        producer_id: UUID | None,
        as_of: AsOf | None = None,
    ) -> None:
        self.conn = conn
        self.catalogue = catalogue
        self.now = now
        self.producer_id = producer_id
        self.as_of = as_of
        self.taint: set[str] = set()
        """Marks of the outside content this call has read or been given; they stick to what it writes."""
        self._unproven: dict[UUID, tuple[str, set[str]]] = {}

    @property
    def true_at(self) -> datetime:
        """The moment this is a view of."""
        return self.as_of.true_at if self.as_of and self.as_of.true_at else self.now

    # ---- reading

    @overload
    async def get(self, ref: str | UUID, kind: type[N]) -> Stored[N]: ...
    @overload
    async def get(self, ref: str | UUID, kind: None = None) -> Stored[Node]: ...

    async def get(self, ref: str | UUID, kind: type[Node] | None = None) -> Stored[Any]:
        """The node by slug, `type:slug` or id. Archived ones too: what was said of them still stands."""
        found = await self.look_up(ref, kind)
        if found is None:
            what = f"{kind.type} " if kind else ""
            raise Refused.not_found(
                f"there is no {what}{str(ref)!r}", hint=f"`hq {kind.type} list` shows what there is" if kind else ""
            )
        return found

    async def look_up(self, ref: str | UUID, kind: type[Node] | None = None) -> Stored[Any] | None:
        text = str(ref)
        type_ = kind.type if kind else None
        if not isinstance(ref, UUID) and ":" in text and text.partition(":")[0] in self.catalogue.nodes:
            named, _, text = text.partition(":")
            if type_ and named != type_:
                raise Refused.invalid(f"a {type_} is wanted here, {str(ref)!r} names a {named}")
        by_id = isinstance(ref, UUID) or is_id(text)
        rows = await self._nodes(
            "n.id = %(ref)s" if by_id else "n.slug = %(ref)s", {"ref": parse_id(text) if by_id else text}, limit=1
        )
        if not rows and by_id:  # a slug may look like an id
            rows = await self._nodes("n.slug = %(ref)s", {"ref": text}, limit=1)
        found = rows[0] if rows else None
        if found and type_ and found.type != type_:
            raise Refused.invalid(f"a {type_} is wanted here, {text!r} is a {found.type}")
        return found

    async def named(self, texts: Iterable[str]) -> list[Stored[Any]]:
        """Every node that one of these texts names: by slug, `type:slug` or id in any spelling."""
        plain = {text.partition(":")[2] if text.partition(":")[0] in self.catalogue.nodes else text for text in texts}
        ids = [parse_id(text) for text in plain if is_id(text)]
        if not plain:
            return []
        return await self._nodes(
            "(n.slug = any(%(slugs)s) or n.id = any(%(ids)s))", {"slugs": list(plain), "ids": ids}, limit=500
        )

    async def find(self, wanted: Wanted) -> list[Stored[Any]]:
        """Nodes, newest first."""
        where: list[LiteralString] = []
        values: dict[str, Any] = {}

        def only(condition: LiteralString, **named: Any) -> None:
            where.append(condition)
            values.update(named)

        if wanted.ids is not None:
            only("n.id = any(%(ids)s)", ids=list(wanted.ids))
        if len(wanted.types) == 1:
            only("n.type = %(type)s", type=wanted.types[0])
        elif wanted.types:
            only("n.type = any(%(types)s)", types=list(wanted.types))
        if not wanted.archived:
            only("n.archived_at is null")
            # What has not begun is not there yet; by its mark, not by our clock, which may be behind another's.
            only(
                "n.next_change_at is distinct from n.valid_from and (n.valid_to is null or n.valid_to > %(at)s)",
                at=self.true_at,
            )
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
        for index, relation in enumerate(wanted.related):
            self._only_related(only, index, relation)
        if wanted.after is not None:
            only(
                "(n.created_at, n.id) < (select c.created_at, c.id from graph.nodes c where c.tenant_id = ops.tenant() and c.id = %(after)s)",
                after=wanted.after,
            )
        order: LiteralString = moment + " desc, n.id desc"
        return await self._nodes(" and ".join(where) or "true", values, order=order, limit=wanted.limit)

    def _only_related(self, only: Any, index: int, relation: Related) -> None:
        near: LiteralString = "to_id" if relation.inward else "from_id"
        far: LiteralString = "from_id" if relation.inward else "to_id"
        edges: LiteralString = THEN_EDGES if self.as_of else NOW_EDGES
        name = f"r{index}"
        only(
            "exists (select 1 from "
            + edges
            + " where e.tenant_id = ops.tenant() and e.live and e."
            + near  # type: ignore[arg-type]
            + " = n.id and e."
            + far
            + f" = %({name})s and e.type = %({name}_type)s and e.next_change_at is distinct from e.valid_from"
            " and (e.valid_to is null or e.valid_to > %(moment)s))",
            **{name: relation.other, f"{name}_type": relation.edge, "moment": self.true_at},
        )

    async def links(self, node: Stored[Any], limit: int = 200) -> list[Link]:
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
        query: LiteralString = (
            "select * from ("
            "select e.id, e.type, true as outward, e.to_id as other, e.props, e.valid_from, e.valid_to, e.confidence"
            " from " + edges + " where e.tenant_id = ops.tenant() and e.from_id = %(id)s and e.live"
            " and e.next_change_at is distinct from e.valid_from and (e.valid_to is null or e.valid_to > %(at)s)"
            " union all "
            "select e.id, e.type, false, e.from_id, e.props, e.valid_from, e.valid_to, e.confidence"
            " from " + edges + " where e.tenant_id = ops.tenant() and " + inward + " and e.live"
            " and e.next_change_at is distinct from e.valid_from and (e.valid_to is null or e.valid_to > %(at)s)) x"
            " cross join lateral (select n.slug, n.type as other_type, n.title, n.taint from "
            + nodes
            + " where n.tenant_id = ops.tenant() and n.id = x.other and n.archived_at is null) o"
            " order by outward desc, x.type, o.slug limit %(limit)s"
        )
        at = self.true_at
        rows = await self.rows(query, {"id": node.id, "at": at, "limit": limit, **self.moment_values()})
        self.taint.update(mark for row in rows for mark in row.taint)
        return [
            Link(
                r.id,
                r.type,
                r.outward,
                r.other,
                r.slug,
                r.other_type,
                r.title,
                r.props,
                r.valid_from,
                r.valid_to,
                r.confidence,
            )
            for r in rows
        ]

    async def history(self, node_id: UUID, limit: int = 100) -> list[Any]:
        """Every change of a node that was known by then, newest first."""
        then = self.moment_values() or {"known_at": FAR, "upto": None, "also": []}
        return await self.rows(SQL["history"], {"id": node_id, "limit": limit, **then})

    # ---- writing

    async def create(
        self,
        props: N,
        *,
        tags: Iterable[str] = (),
        owner: UUID | None = None,
        confidence: float | None = None,
        valid_from: datetime | None = None,
        valid_to: datetime | None = None,
        external: tuple[str, str] | None = None,
        slug: str | None = None,
        id: UUID | None = None,
        producer_id: UUID | None = None,
    ) -> Stored[N]:
        """A new node. The slug is made of its title unless given, and kept for good."""
        self._may_write()
        model = type(props)
        node_id = id or new_id()
        doc = self._patch_of(model, props.model_dump(mode="json")) | {
            "tags": sorted(set(tags)),
            "taint": sorted(self.taint),
            "redaction_policy": model.redaction,
        }
        # When it happened is when it was noted, unless somebody knows better.
        doc["occurred_at"] = doc.get("occurred_at") or (valid_from or self.now).isoformat()
        optional = {
            "owner_id": str(owner) if owner else None,
            "confidence": confidence,
            "valid_to": valid_to.isoformat() if valid_to else None,
            "external_source": external[0] if external else None,
            "external_id": external[1] if external else None,
        }
        doc |= {key: value for key, value in optional.items() if value is not None}
        base = slug or slugify(str(doc["title"]))
        if slug is None and model.slug_prefix:
            base = f"{slugify(str(getattr(props, model.slug_prefix)))}-{base}"
        producer = producer_id or self.producer_id
        if producer is None:
            raise Defect("a node needs a producer")
        made = await self._rows_of(
            "select " + COLUMNS + " from graph.create_node(%s, %s, %s, %s, %s, %s, %s) n",
            [node_id, model.type, base, Jsonb(doc), producer, valid_from, model.numbered],
        )
        required = {edge.name for edge in self.catalogue.required_from(model.type)}
        if required:
            self._unproven[node_id] = (model.type, required)
        return made[0]

    async def change(
        self,
        node: Stored[N],
        changes: Mapping[str, Any],
        *,
        tags: Iterable[str] | None = None,
        confidence: float | None = None,
        valid_from: datetime | None = None,
        valid_to: datetime | None = None,
        owner: UUID | None = None,
    ) -> Stored[N]:
        """Say something new of a node, from now or from another time on. Only what is said changes."""
        self._may_write()
        basis = await self._at(node, valid_from)
        model = type(node.props)
        props = self._checked(model, {**basis.props.model_dump(mode="json"), **changes})
        patch = self._patch_of(model, {k: v for k, v in props.model_dump(mode="json").items() if k in changes})
        self._check_move(model, basis, props, changes)
        if tags is not None:
            patch["tags"] = sorted(set(tags))
        if confidence is not None:
            patch["confidence"] = confidence
        if valid_to is not None:
            patch["valid_to"] = valid_to.isoformat()
        if owner is not None:
            patch["owner_id"] = str(owner)
        if not self.taint <= node.taint:
            patch["taint"] = sorted(self.taint | node.taint)
        return await self._changed(node, patch, valid_from, "update")

    async def move(self, node: Stored[N], to: str, **changes: Any) -> Stored[N]:
        """Bring a node to another of its states; a move the type does not have is refused."""
        return await self.change(node, {type(node.props).state_field: to, **changes})

    async def archive(self, node: Stored[N]) -> Stored[N]:
        """Out of sight, never gone."""
        self._may_write()
        if node.archived_at is not None:
            raise Refused.conflict(f"{node.slug} is already archived")
        return await self._changed(node, {"archived_at": self.now.isoformat()}, None, "archive")

    async def restore(self, node: Stored[N]) -> Stored[N]:
        self._may_write()
        if node.archived_at is None:
            raise Refused.conflict(f"{node.slug} is not archived")
        return await self._changed(node, {"archived_at": None}, None, "restore")

    async def link(
        self,
        source: Stored[Any],
        edge: str,
        target: Stored[Any],
        *,
        props: Mapping[str, Any] | None = None,
        confidence: float | None = None,
        valid_from: datetime | None = None,
        valid_to: datetime | None = None,
    ) -> UUID:
        """Join two nodes. Where one target is allowed, it takes the place of the one before."""
        self._may_write()
        rule = self.catalogue.edge(edge)
        self._check_ends(rule, source, target)
        if valid_to is not None and rule.cardinality == "exactly_one":
            raise Refused.invalid(f"every {source.type} always has exactly one {edge}; it cannot end by itself")
        # Everything is said, so that nothing of an earlier link in the same place is carried over.
        patch: dict[str, Any] = {
            "to_id": str(target.id),
            "live": True,
            "props": self._edge_props(rule, props or {}),
            "confidence": confidence,
            "valid_to": valid_to.isoformat() if valid_to else None,
            "taint": sorted(self.taint),
        }
        if source.id in self._unproven:
            self._unproven[source.id][1].discard(edge)
        return await self._put_edge(rule, source, target.id, patch, valid_from, "link")

    async def unlink(
        self, source: Stored[Any], edge: str, target: Stored[Any], *, valid_from: datetime | None = None
    ) -> UUID:
        """End a link; that it held before stays known. A required one can only be replaced."""
        self._may_write()
        rule = self.catalogue.edge(edge)
        if rule.cardinality == "exactly_one" and source.type in rule.ends:
            raise Refused.conflict(
                f"every {source.type} has exactly one {edge}; link another in its place instead of unlinking"
            )
        view = self._view(valid_from)
        edges: LiteralString = THEN_EDGES if view.as_of else NOW_EDGES
        held = await view.one(
            "select 1 from "
            + edges
            + " where e.tenant_id = ops.tenant() and e.from_id = %(source)s and e.type = %(edge)s"
            " and e.to_id = %(target)s and e.live",
            {"source": source.id, "edge": edge, "target": target.id, **view.moment_values()},
        )
        if not held:
            raise Refused.not_found(f"{source.slug} has no {edge} link to {target.slug}")
        return await self._put_edge(rule, source, target.id, {"live": False}, valid_from, "unlink")

    async def check_required(self) -> None:
        """Before a call ends: every node it made has the links its type must have."""
        for node_id, (type_, missing) in self._unproven.items():
            if not missing:
                continue
            rows = await self.rows(SQL["required_edges"], {"id": node_id, "types": list(missing)})
            if still := missing - {row.type for row in rows}:
                raise Refused.invalid(f"every {type_} needs exactly one {' and one '.join(sorted(still))}")

    # ---- the parts

    async def rows(self, query: LiteralString, values: Any = None) -> list[Any]:
        async with self.conn.cursor(row_factory=namedtuple_row) as cursor:
            await cursor.execute(query, values)
            return await cursor.fetchall()

    async def one(self, query: LiteralString, values: Any = None) -> Any:
        found = await self.rows(query, values)
        return found[0] if found else None

    async def _nodes(
        self, where: LiteralString, values: Mapping[str, Any], *, order: LiteralString = "n.id", limit: int
    ) -> list[Stored[Any]]:
        nodes: LiteralString = THEN_NODES if self.as_of else NOW_NODES
        query: LiteralString = (
            "select "
            + COLUMNS
            + " from "
            + nodes
            + " where n.tenant_id = ops.tenant() and "
            + where
            + " order by "
            + order
            + " limit %(limit)s"
        )
        return await self._rows_of(query, {**values, **self.moment_values(), "limit": limit})

    async def _rows_of(self, query: LiteralString, values: Any) -> list[Stored[Any]]:
        async with self.conn.cursor(row_factory=dict_row) as cursor:
            await cursor.execute(query, values)
            return [self._stored(row) for row in await cursor.fetchall()]

    def _stored(self, row: dict[str, Any]) -> Stored[Any]:
        model = self.catalogue.node(row["type"])
        fields, props = model.model_fields, row["props"]
        if not props.keys() <= fields.keys():  # a property an older program knew
            props = {name: value for name, value in props.items() if name in fields}
        taint = frozenset(row["taint"])
        self.taint |= taint
        return Stored(**{**row, "props": model.model_validate(props), "tags": tuple(row["tags"]), "taint": taint})

    def moment_values(self) -> dict[str, Any]:
        if self.as_of is None:
            return {}
        then = self.as_of
        return {"true_at": then.true_at, "known_at": then.known_at, "upto": then.upto, "also": list(then.also)}

    async def _at(self, node: Stored[N], moment: datetime | None) -> Stored[N]:
        """The node as it stands at the moment a change is to hold from."""
        return await self._view(moment).look_up(node.id) or node if moment else node

    def _view(self, moment: datetime | None) -> Graph:
        """The graph as it stands at a moment, by all that is known now."""
        as_of = AsOf(moment) if moment else None
        return Graph(self.conn, self.catalogue, self.now, None, as_of)

    async def _changed(self, node: Stored[N], patch: dict[str, Any], valid_from: datetime | None, op: str) -> Stored[N]:
        changed = await self._rows_of(
            "select " + COLUMNS + " from graph.change_node(%s, %s, %s, %s, %s) n",
            [node.id, node.seq, Jsonb(patch), valid_from, op],
        )
        return changed[0]

    async def _put_edge(
        self, rule: Edge, source: Stored[Any], target: UUID, patch: dict[str, Any], since: datetime | None, op: str
    ) -> UUID:
        slot = rule.cardinality != "many"
        row = await self.one(
            "select graph.put_edge(%s, %s, %s, %s, %s, %s, %s, %s, %s) as id",
            [new_id(), rule.name, source.id, target, slot, Jsonb(patch), self.producer_id, since, op],
        )
        return row.id

    def _patch_of(self, model: type[Node], props: dict[str, Any]) -> dict[str, Any]:
        """The properties and the columns projected from them, so that both always change together."""
        patch: dict[str, Any] = {"props": props}
        if model.title_field in props:
            patch["title"] = str(props[model.title_field] or "").strip()[:300] or model.type.replace("_", " ")
        if model.moves and model.state_field in props:
            patch["status"] = props[model.state_field]
        if "priority" in props:
            patch["priority"] = props["priority"]
        if model.occurred and model.occurred in props:
            patch["occurred_at"] = props[model.occurred]
        return patch

    def _checked(self, model: type[N], values: dict[str, Any]) -> N:
        try:
            return model.model_validate(values)
        except ValidationError as error:
            raise invalid(error, model.type) from error

    def _check_move(self, model: type[Node], basis: Stored[Any], props: Node, changes: Mapping[str, Any]) -> None:
        if not model.moves or model.state_field not in changes:
            return
        to = getattr(props, model.state_field)
        if not model.may_move(basis.status, to):
            allowed = ", ".join(model.moves.get(basis.status or "", ())) or "nothing: it is final"
            raise Refused.conflict(
                f"{basis.slug} is {basis.status} and cannot become {to}",
                hint=f"from {basis.status} it may become {allowed}",
            )

    def _check_ends(self, rule: Edge, source: Stored[Any], target: Stored[Any]) -> None:
        if rule.joins(source.type, target.type):
            return
        ends = "; ".join(f"{a} → {', '.join(b)}" for a, b in sorted(rule.ends.items()))
        raise Refused.invalid(f"{rule.name} does not join a {source.type} to a {target.type}", hint=f"it joins {ends}")

    def _edge_props(self, rule: Edge, props: Mapping[str, Any]) -> dict[str, Any]:
        if rule.props is None:
            if props:
                raise Refused.invalid(f"{rule.name} takes no properties")
            return {}
        try:
            return rule.props.model_validate(dict(props)).model_dump(mode="json")
        except ValidationError as error:
            raise invalid(error, rule.name) from error

    def _may_write(self) -> None:
        if self.as_of is not None:
            raise Refused.invalid("the past cannot be changed; leave --at away to write now, or use --valid-from")


def invalid(error: ValidationError, what: str) -> Refused:
    """One sentence that names each field and what is wrong with it."""
    faults = [
        f"{'.'.join(map(str, e['loc'])) or what}: {e['msg']}"
        for e in error.errors(include_url=False, include_input=False)
    ]
    return Refused.invalid(
        f"{what}: " + "; ".join(faults[:5]), fields=[str(e["loc"][0]) for e in error.errors() if e["loc"]]
    )
