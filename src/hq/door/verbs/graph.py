"""Verbs for any node: describe, timeline, link, unlink, why."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict
from uuid import UUID

from pydantic import Field

from hq.database.queries import beside
from hq.door.access import EVERYONE, STAFF, Owner, Touch
from hq.door.json_shape import AsJson
from hq.door.results import Detail
from hq.door.tx import Tx
from hq.door.verb import Args, MomentText, Ref, Result, first, verb
from hq.door.verbs.history import plain_names
from hq.door.verbs.links import shown_links
from hq.door.verbs.rows import ActionRow
from hq.errors import Refused
from hq.graph.moment import check_period, parse_moment
from hq.graph.records import Stored
from hq.graph.types import ANY, Moment
from hq.graph.view import EdgeFilter, NodeFilter
from hq.ids import event_name, is_id, parse_id, trace_name
from hq.json_types import Props

SQL = beside(__file__)


class GraphDescribeArgs(Args):
    """Which node."""

    ref: Ref = first()
    """Slug, type:slug or id."""


@verb("graph.describe", "read", for_=EVERYONE, target="ref", alias="describe")
async def describe(tx: Tx, args: GraphDescribeArgs) -> Detail:
    """Show any node in full, with its links in both directions."""
    node = await tx.get(args.ref)
    tx.target = node
    producer = await tx.look_up(node.producer_id)
    return Detail.model_validate(
        node.full() | {"producer": producer.slug if producer else None, **await shown_links(tx, node)}
    )


class GraphTimelineArgs(Args):
    """What to look at."""

    about: Ref | None = Field(None, alias="entity")
    """Only what is about this entity, project or engagement."""
    since: MomentText | None = None
    """From then on: a date, a time, or 7d."""
    limit: int = Field(50, ge=1, le=200)
    """How many at most."""


class TimelineItem(TypedDict):
    """Something that happened."""

    at: str
    type: str
    slug: str
    title: str
    id: str


class TimelineOf(Result):
    items: AsJson[list[TimelineItem]]


@verb("graph.timeline", "read", for_=EVERYONE, alias="timeline", examples=[{"limit": 10}])
async def timeline(tx: Tx, args: GraphTimelineArgs) -> TimelineOf:
    """What happened, newest first: events, interactions, documents, decisions."""
    related = [EdgeFilter("about", (await tx.get(args.about)).id)] if args.about else []
    since = parse_moment(args.since, tx.true_at) if args.since else None
    found: list[Stored[Any]] = []
    timed = [type_ for type_, model in tx.catalogue.nodes.items() if model.timed]
    for type_ in timed:  # each from its own index, so that a long history costs no more than a short one
        found += await tx.find(NodeFilter(types=[type_], related=related, since=since, by_time=True, limit=args.limit))
    found.sort(key=lambda n: (n.occurred_at or n.created_at, n.id), reverse=True)
    return TimelineOf(
        items=[
            {
                "at": (n.occurred_at or n.created_at).isoformat(),
                "type": n.type,
                "slug": n.slug,
                "title": n.title,
                "id": str(n.id),
            }
            for n in found[: args.limit]
        ]
    )


class GraphUnlinkArgs(Args):
    """A link between two nodes."""

    source: Ref = first()
    """The node the link leaves."""
    edge: str = first(max_length=60)
    """The kind of link; `hq schema list` shows them."""
    target: Ref = first()
    """The node it reaches."""
    valid_from: Moment | None = None
    """Since when, if not from now."""


LINKED = Touch("edge", "link", within="source", ceo="own", operator="own", house="own")


class GraphLinkArgs(GraphUnlinkArgs):
    props: Props = Field(default_factory=dict)
    """Properties of the link, where its kind has any."""
    confidence: float | None = Field(None, ge=0, le=1)
    """How sure we are, from 0 to 1."""
    valid_to: Moment | None = None
    """Until when."""


class Linked(Result):
    id: str
    edge: str
    source: str
    target: str


def _check_by_hand(source: Stored[Any], edge: str) -> None:
    if edge in type(source.props).drawn:
        raise Refused.invalid(
            f"{edge} of a {source.type} is not linked by hand: it follows from what happens to it",
            hint=f"`hq {source.type} --help` lists what can",
        )


@verb(
    "graph.link",
    "write",
    shows=(),
    for_=STAFF,
    touches=LINKED,
    undo="exact",
    emits="graph.linked",
    target="source",
    alias="link",
    text="linked {source} {edge} {target}",
)
async def link(tx: Tx, args: GraphLinkArgs) -> Linked:
    """Join two nodes; a link that allows one target moves to the new one."""
    source, target = await tx.get(args.source), await tx.get(args.target)
    _check_by_hand(source, args.edge)
    tx.target = source
    check_period(args.valid_from or tx.now, args.valid_to)
    made = await tx.link(
        source,
        args.edge,
        target,
        props=args.props,
        confidence=args.confidence,
        valid_from=args.valid_from,
        valid_to=args.valid_to,
    )
    return Linked(id=str(made), edge=args.edge, source=source.slug, target=target.slug)


@verb(
    "graph.unlink",
    "write",
    for_=STAFF,
    touches=LINKED,
    undo="exact",
    emits="graph.unlinked",
    target="source",
    alias="unlink",
    text="unlinked {source} {edge} {target}",
)
async def unlink(tx: Tx, args: GraphUnlinkArgs) -> Linked:
    """End a link; that it held until now stays known."""
    source, target = await tx.get(args.source), await tx.get(args.target)
    _check_by_hand(source, args.edge)
    tx.target = source
    ended = await tx.unlink(source, args.edge, target, valid_from=args.valid_from)
    return Linked(id=str(ended), edge=args.edge, source=source.slug, target=target.slug)


class GraphWhyArgs(Args):
    """What to explain."""

    ref: Ref = first()
    """Slug or id of a node, or the id of an action."""
    depth: int = Field(2, ge=1, le=5)
    """How many steps of evidence to walk."""


class CallSaid(TypedDict, total=False):
    """The call that said something; what is empty is left out."""

    said: list[str]
    actor: str
    verb: str
    at: str
    reason: str
    action: str
    trace: str
    session: str
    task: str
    because_of: str
    tainted_by: list[str]


class EvidenceItem(TypedDict):
    """What something rests on, with its own grounds."""

    edge: str
    slug: str
    type: str
    title: str
    since: str
    tainted_by: NotRequired[list[str]]
    evidence: NotRequired[list[EvidenceItem]]


class Why(Result):
    about: str
    because: AsJson[list[CallSaid]]
    """Who said what: for each thing said, the call that last said it."""
    producer: str | None = None
    evidence: AsJson[list[EvidenceItem]] = Field(default_factory=list)
    """What it rests on, each with its own grounds."""


@verb("graph.why", "read", for_=EVERYONE, target="ref", alias="why", text="hq.door.history_text:why")
async def why(tx: Tx, args: GraphWhyArgs) -> Why:
    """Who said so, in which session, for what reason, from what evidence."""
    return await explained(tx, args)


async def explained(tx: Tx, args: GraphWhyArgs) -> Why:
    if is_id(args.ref) and (row := await _call_made(tx, parse_id(args.ref), await tx.seen_principals())):
        return Why(about=f"{row.action_type} {event_name(row.id)}", because=await _lineage(tx, row))
    node = await tx.get(args.ref)
    tx.target = node
    producer = await tx.look_up(node.producer_id)
    return Why(
        about=node.slug,
        because=await _sayings(tx, node),
        producer=producer.slug if producer else None,
        evidence=await _evidence(tx, node, args.depth, {node.id}),
    )


async def _sayings(tx: Tx, node: Stored[Any]) -> list[CallSaid]:
    """For each thing said and not left empty, the call that last said it."""
    said: list[CallSaid] = []
    seen: set[str] = {"taint"}
    for row in await tx.history(node.id, 500):
        whole = {**(row.patch.get("props") or {}), **row.patch}
        fresh = [n for n in plain_names(row.touched) if n not in seen and whole.get(n) not in (None, "", [], {})]
        seen.update(plain_names(row.touched))
        if fresh:
            action = await _call_made(tx, row.action_id)  # who sees a thing sees who said so
            told = _call(action) if action else CallSaid(actor=row.actor, at=row.recorded_at.isoformat())
            said.append({"said": fresh, **told})
    return said


async def _evidence(tx: Tx, node: Stored[Any], depth: int, seen: set[UUID]) -> list[EvidenceItem]:
    grounds = [
        link
        for link in await tx.links(node)
        if link.outward and (rule := tx.catalogue.edges.get(link.type)) and rule.evidence and link.other_id not in seen
    ]
    found: list[EvidenceItem] = []
    for link in grounds:
        seen.add(link.other_id)
        other = await tx.get(link.other_id)
        deeper = await _evidence(tx, other, depth - 1, seen) if depth > 1 else []
        item: EvidenceItem = {
            "edge": link.type,
            "slug": other.slug,
            "type": other.type,
            "title": other.title,
            "since": link.valid_from.isoformat(),
        }
        if other.taint:
            item["tainted_by"] = sorted(other.taint)
        if deeper:
            item["evidence"] = deeper
        found.append(item)
    return found


async def _lineage(tx: Tx, row: ActionRow) -> list[CallSaid]:
    """The call and the calls it came from, up to the first, or to the first that is not seen."""
    chain = [_call(row)]
    while row.parent_id and len(chain) < 20:
        cause = await _call_made(tx, row.parent_id, await tx.seen_principals())
        if cause is None:
            break
        row = cause
        chain.append(_call(row))
    return chain


async def _call_made(tx: Tx, id: UUID, by: list[UUID] | None = None) -> ActionRow | None:
    return await tx.one(SQL["action"], {"id": id, "by": by, **tx.known_values()}, into=ActionRow)


def _call(row: ActionRow) -> CallSaid:
    told = {
        "actor": row.actor,
        "verb": row.action_type,
        "at": row.created_at.isoformat(),
        "reason": row.reason,
        "action": event_name(row.id),
        "trace": trace_name(row.trace_id),
        "session": str(row.session_id) if row.session_id else None,
        "task": str(row.task_id) if row.task_id else None,
        "because_of": event_name(row.parent_id) if row.parent_id else None,
        "tainted_by": list(row.taint),
    }
    return CallSaid(**{key: value for key, value in told.items() if value})


async def owner_of_link(tx: Tx, edge: str, source: str) -> Owner | None:
    """Nobody but people, where the kind of link does not say that others draw it from such a node, too; nor where it would show
    what it comes from to somebody."""
    node, rule = await tx.look_up(source), tx.catalogue.edges.get(edge)
    if node is None or rule is None or not {node.type, ANY} & {*rule.ends}:
        return None
    if tx.catalogue.by_hand(edge, node.type) and edge not in (type(node.props).seen_by or ()):
        return None
    why = f"{edge} of {node.type} {node.slug} is not linked by an agent; `hq {node.type} --help` lists what changes it"
    return Owner("the founder", why=why, ask="founder")


VERBS = (describe, timeline, link, unlink, why)
