"""Writing the graph in one transaction, for one tenant, by one caller."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, LiteralString, TypedDict, TypeVar
from uuid import UUID

from psycopg import AsyncConnection
from psycopg.types.json import Jsonb

from hq.database.queries import beside
from hq.errors import Defect, Refused
from hq.graph import rules
from hq.graph.catalogue import Catalogue
from hq.graph.moment import AsOf
from hq.graph.records import End, Stored
from hq.graph.slugs import slugify
from hq.graph.types import Edge, Node
from hq.graph.view import COLUMNS, NOW_EDGES, THEN_EDGES, View
from hq.ids import new_id
from hq.json_types import Props

SQL = beside(__file__)
N = TypeVar("N", bound=Node)
MANY = 500


@dataclass(frozen=True)
class NewLink:
    """A link that a new node is made with."""

    edge: str
    other: End
    inward: bool = False


@dataclass(frozen=True)
class New:
    """A node to be made among many, with its links to what is there or made before it."""

    props: Node
    id: UUID = field(default_factory=new_id)
    slug: str | None = None
    number: int | None = None
    links: Sequence[NewLink] = ()


class JoinedLink(TypedDict):
    """A link as `graph.create_node` takes it."""

    id: str
    type: str
    other: str
    inward: bool
    slot: bool
    patch: Props


class NewNode(TypedDict):
    """A node as `graph.create_node` takes it, one of many."""

    id: str
    type: str
    slug: str
    doc: Props
    number: int | None
    links: list[JoinedLink]


class Graph(View):
    """One transaction's graph. With `as_of` it is a view of the past, and cannot write."""

    def __init__(
        self,
        conn: AsyncConnection[Any],
        catalogue: Catalogue,
        now: datetime,
        producer_id: UUID | None,
        as_of: AsOf | None = None,
    ) -> None:
        super().__init__(conn, catalogue, now, as_of)
        self.producer_id = producer_id
        self._unproven: dict[UUID, tuple[str, set[str]]] = {}

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
        number: int | None = None,
        id: UUID | None = None,
        producer_id: UUID | None = None,
        links: Sequence[NewLink] = (),
    ) -> Stored[N]:
        """A new node, with its links. The slug is made of its title unless given, and kept for good.

        A numbered one gets the next number unless it asks for one that is free; its slug ends with it either way.
        """
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
        base = slug or _first_slug(props)
        made = await self._rows_of(
            "select " + COLUMNS + " from graph.create_node(%s, %s, %s, %s, %s, %s, %s, %s) n",
            [
                node_id,
                model.type,
                base,
                Jsonb(doc),
                self._producer(producer_id),
                valid_from,
                (number or 0) if model.numbered else None,
                Jsonb([self._joined(End(node_id, model.type, base), link) for link in links]),
            ],
        )
        self._to_prove(node_id, model, links)
        return made[0]

    async def create_all(self, new: Sequence[New]) -> list[Stored[Any]]:
        """Many new nodes, in their order, a few hundred per question."""
        self._may_write()
        made: list[Stored[Any]] = []
        for start in range(0, len(new), MANY):
            some = new[start : start + MANY]
            made += await self._rows_of(
                "select " + COLUMNS + " from jsonb_to_recordset(%s) r(id uuid, type text, slug text, doc jsonb,"
                " number integer, links jsonb) cross join lateral"
                " graph.create_node(r.id, r.type, r.slug, r.doc, %s, null, r.number, r.links) n",
                [Jsonb([self._row_of(each) for each in some]), self._producer(None)],
            )
            for each in some:
                self._to_prove(each.id, type(each.props), each.links)
        return made

    def _row_of(self, new: New) -> NewNode:
        model, slug = type(new.props), new.slug or _first_slug(new.props)
        doc = self._patch_of(model, new.props.model_dump(mode="json"))
        doc |= {"tags": [], "taint": sorted(self.taint), "redaction_policy": model.redaction}
        doc["occurred_at"] = doc.get("occurred_at") or self.now.isoformat()
        return {
            "id": str(new.id),
            "type": model.type,
            "slug": slug,
            "doc": doc,
            "number": (new.number or 0) if model.numbered else None,
            "links": [self._joined(End(new.id, model.type, slug), link) for link in new.links],
        }

    def _producer(self, given: UUID | None) -> UUID:
        if (producer := given or self.producer_id) is None:
            raise Defect("a node needs a producer")
        return producer

    def _to_prove(self, node_id: UUID, model: type[Node], links: Sequence[NewLink]) -> None:
        required = {edge.name for edge in self.catalogue.required_from(model.type)}
        if missing := required - {link.edge for link in links if not link.inward}:
            self._unproven[node_id] = (model.type, missing)

    def _joined(self, new: End, link: NewLink) -> JoinedLink:
        source, target = (link.other, new) if link.inward else (new, link.other)
        rule = self.catalogue.edge(link.edge)
        rules.check_ends(rule, source, target)
        return {
            "id": str(new_id()),
            "type": rule.name,
            "other": str(link.other.id),
            "inward": link.inward,
            "slot": rule.slot,
            "patch": self._link_patch(rule, target),
        }

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
        clear: Iterable[str] = (),
    ) -> Stored[N]:
        """Say something new of a node, from now or from another time on. Only what is said changes."""
        self._may_write()
        basis = await self._at(node, valid_from)
        model = type(node.props)
        props = rules.checked(model, {**basis.props.model_dump(mode="json"), **changes})
        patch = self._patch_of(model, {k: v for k, v in props.model_dump(mode="json").items() if k in changes})
        rules.check_move(model, basis, props, changes)
        if model.moves and model.state_field in changes:
            for state in {node.status, basis.status}:
                await self.check_state(node, state)
        if tags is not None:
            patch["tags"] = sorted(set(tags))
        if confidence is not None:
            patch["confidence"] = confidence
        if valid_to is not None:
            patch["valid_to"] = valid_to.isoformat()
        if owner is not None:
            patch["owner_id"] = str(owner)
        patch |= dict.fromkeys(clear)
        if not self.taint <= node.taint:
            patch["taint"] = sorted(self.taint | node.taint)
        return await self._changed(node, patch, valid_from, "update")

    async def move(self, node: Stored[N], to: str, **changes: Any) -> Stored[N]:
        """Bring a node to another of its states; a move the type does not have is refused."""
        return await self.change(node, {type(node.props).state_field: to, **changes})

    async def check_state(self, node: Stored[Any], state: str | None) -> None:
        """Whether who writes may change the state in which this is, or will be by then; refuses who may not."""

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
        source: End,
        edge: str,
        target: End,
        *,
        props: Mapping[str, Any] | None = None,
        confidence: float | None = None,
        valid_from: datetime | None = None,
        valid_to: datetime | None = None,
    ) -> UUID:
        """Join two nodes. Where one target is allowed, it takes the place of the one before."""
        self._may_write()
        rule = self.catalogue.edge(edge)
        rules.check_ends(rule, source, target)
        if valid_to is not None and rule.cardinality == "exactly_one":
            raise Refused.invalid(f"every {source.type} always has exactly one {edge}; it cannot end by itself")
        patch = self._link_patch(rule, target, props, confidence, valid_to)
        if source.id in self._unproven:
            self._unproven[source.id][1].discard(edge)
        return await self._put_edge(rule, source, target.id, patch, valid_from, "link")

    async def link_all(self, links: Sequence[tuple[End, str, End]]) -> None:
        """Many links at once, as `link` makes each."""
        self._may_write()
        rows = []
        for source, edge, target in links:
            rule = self.catalogue.edge(edge)
            rules.check_ends(rule, source, target)
            patch = self._link_patch(rule, target)
            rows.append(
                {"id": str(new_id()), "type": edge, "source": str(source.id), "target": str(target.id)}
                | {"slot": rule.slot, "patch": patch}
            )
        if rows:
            await self.conn.execute(
                "select graph.put_edge(r.id, r.type, r.source, r.target, r.slot, r.patch, %s, null, 'link')"
                " from jsonb_to_recordset(%s) r(id uuid, type text, source uuid, target uuid, slot boolean, patch jsonb)",
                [self._producer(None), Jsonb(rows)],
            )

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
        view = self._at_moment(valid_from)
        edges: LiteralString = THEN_EDGES if view.as_of else NOW_EDGES
        held = await view.scalar(
            "select 1 from "
            + edges
            + " where e.tenant_id = ops.tenant() and e.from_id = %(source)s and e.type = %(edge)s"
            " and e.to_id = %(target)s and e.live",
            {"source": source.id, "edge": edge, "target": target.id, **view.moment_values()},
            of=int,
        )
        if not held:
            raise Refused.not_found(f"{source.slug} has no {edge} link to {target.slug}")
        return await self._put_edge(rule, source, target.id, {"live": False}, valid_from, "unlink")

    async def check_required(self) -> None:
        """Before a call ends: every node it made has the links its type must have."""
        for node_id, (type_, missing) in self._unproven.items():
            if not missing:
                continue
            held = await self.scalars(SQL["required_edges"], {"id": node_id, "types": list(missing)}, of=str)
            if still := missing.difference(held):
                raise Refused.invalid(f"every {type_} needs exactly one {' and one '.join(sorted(still))}")

    async def _at(self, node: Stored[N], moment: datetime | None) -> Stored[N]:
        """The node as it stands at the moment a change is to hold from."""
        return await self._at_moment(moment).look_up(node.id) or node if moment else node

    def _at_moment(self, moment: datetime | None) -> View:
        """The graph as it stands at a moment, by all that is known now."""
        return View(self.conn, self.catalogue, self.now, AsOf(moment) if moment else None)

    async def _changed(self, node: Stored[N], patch: Props, valid_from: datetime | None, op: str) -> Stored[N]:
        changed = await self._rows_of(
            "select " + COLUMNS + " from graph.change_node(%s, %s, %s, %s, %s) n",
            [node.id, node.seq, Jsonb(patch), valid_from, op],
        )
        return changed[0]

    async def _put_edge(
        self, rule: Edge, source: End, target: UUID, patch: Props, since: datetime | None, op: str
    ) -> UUID:
        return await self.the_scalar(
            "select graph.put_edge(%s, %s, %s, %s, %s, %s, %s, %s, %s)",
            [new_id(), rule.name, source.id, target, rule.slot, Jsonb(patch), self.producer_id, since, op],
            of=UUID,
        )

    def _link_patch(
        self,
        rule: Edge,
        target: End,
        props: Mapping[str, Any] | None = None,
        confidence: float | None = None,
        valid_to: datetime | None = None,
    ) -> Props:
        """Everything is said, so that nothing of an earlier link in the same place is carried over."""
        return {
            "to_id": str(target.id),
            "live": True,
            "props": rules.edge_props(rule, props or {}),
            "confidence": confidence,
            "valid_to": valid_to.isoformat() if valid_to else None,
            "taint": sorted(self.taint),
        }

    def _patch_of(self, model: type[Node], props: Props) -> Props:
        """The properties and the columns projected from them, so that both always change together."""
        patch: Props = {"props": props}
        if model.title_field in props:
            patch["title"] = str(props[model.title_field] or "").strip()[:300] or model.type.replace("_", " ")
        if model.moves and model.state_field in props:
            patch["status"] = props[model.state_field]
        if "priority" in props:
            patch["priority"] = props["priority"]
        if model.occurred and model.occurred in props:
            patch["occurred_at"] = props[model.occurred]
        return patch

    def _may_write(self) -> None:
        if self.as_of is not None:
            raise Refused.invalid("the past cannot be changed; leave --at away to write now, or use --valid-from")


def _first_slug(props: Node) -> str:
    model = type(props)
    base = slugify(str(getattr(props, model.title_field) or "").strip()[:300] or model.type.replace("_", " "))
    return f"{slugify(str(getattr(props, model.slug_prefix)))}-{base}" if model.slug_prefix else base
