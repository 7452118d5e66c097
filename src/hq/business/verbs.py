"""The nouns of the business: entity, contact, engagement, project, feature, task, event, document, decision, memo."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from hq.business.owners import CHANGES, DOES, MAKES, MOVES, WORD
from hq.business.rows import LinkPointRow
from hq.business.types import Contact, Decision, Document, Engagement, Entity, Event, Feature, Memo, Project, Task
from hq.database.queries import beside
from hq.door.access import ANYONE, EVERYONE, PERSON, at_home, within_organisation
from hq.door.noun_args import RefArgs
from hq.door.nouns import nouns
from hq.door.results import Detail, Listing, Row, row
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, first, verb
from hq.errors import Refused
from hq.graph.records import Stored
from hq.graph.types import Moment
from hq.graph.view import NodeFilter
from hq.json_types import CallArgs, NodeItem

SQL = beside(__file__)


class EntityFindArgs(Args):
    """By what."""

    email: str | None = Field(None, max_length=320)
    """Exact address."""
    phone: str | None = Field(None, max_length=40)
    """Exact number as it was entered."""


@verb("entity.find", "read", for_=EVERYONE, examples=[{"email": "ana@example.com"}])
async def find(tx: Tx, args: EntityFindArgs) -> Listing[NodeItem]:
    """Find people and organisations by e-mail or phone."""
    props = {name: value for name in ("email", "phone") if (value := getattr(args, name))}
    if not props:
        raise Refused.invalid("say --email or --phone")
    found = await tx.find(NodeFilter(types=[Entity.type, Contact.type], props=props))
    return Listing[NodeItem](items=[node.brief() | {"type": node.type} for node in found])


@verb("entity.profile", "read", for_=EVERYONE, target="ref")
async def profile(tx: Tx, args: RefArgs) -> Detail:
    """One entity with its people, deals, projects and what happened lately."""
    node = await tx.get(args.ref, Entity)
    tx.target = node
    links = await tx.links(node, 1000)
    groups = {
        "contacts": [x.brief() for x in links if x.type == "works_for"],
        "engagements": [x.brief() for x in links if x.type == "covers"],
        "projects": [x.brief() for x in links if x.type == "owned_by" and x.other_type == "project"],
        "about": [x.brief() for x in links if x.type == "about"],
    }
    return Detail.model_validate(node.full() | groups)


class EntityMergeArgs(Args):
    """Two entities that are one."""

    loser: Ref = first()
    """The one that goes."""
    into: Ref
    """The one that stays."""


@verb("entity.merge", "write", for_=EVERYONE, undo="exact", emits="entity.merged", target="loser", gate="destructive")
async def merge(tx: Tx, args: EntityMergeArgs) -> Row:
    """Make two entities one: every link moves to the winner, the loser is archived."""
    loser, winner = await tx.get(args.loser, Entity), await tx.get(args.into, Entity)
    if loser.id == winner.id:
        raise Refused.invalid("an entity cannot be merged into itself")
    if loser.archived_at or winner.archived_at:
        raise Refused.conflict("archived entities cannot be merged; restore them first")
    await _move_links(tx, loser, winner)
    missing = {
        name: value
        for name, value in loser.props.model_dump().items()
        if value is not None and getattr(winner.props, name) is None
    }
    winner = await tx.change(winner, missing, tags={*winner.tags, *loser.tags})
    await tx.link(loser, "duplicate_of", winner)
    await tx.archive(loser)
    tx.target = winner
    return row(winner)


async def _move_links(tx: Tx, loser: Stored[Entity], winner: Stored[Entity]) -> None:
    """Every link, from the moment it holds and with all that is said of it; planned ones and planned ends too."""
    points = await tx.rows(SQL["link_points"], {"id": loser.id, "now": tx.now}, into=LinkPointRow)
    kept = {
        (row.type, row.outward, row.other)
        for row in await tx.rows(SQL["link_points"], {"id": winner.id, "now": tx.now}, into=LinkPointRow)
    }
    for point in points:
        if point.other == winner.id or (point.type, point.outward, point.other) in kept:
            continue  # what the winner says of it stands
        other = await tx.get(point.other)
        old, new = (loser, other), (winner, other)
        (source, target), (source_, target_) = (old, new) if point.outward else (old[::-1], new[::-1])
        planned = point.valid_from if point.valid_from > tx.now else None
        if not point.live:
            await tx.unlink(source_, point.type, target_, valid_from=planned)
            continue
        if point.outward or tx.catalogue.edge(point.type).cardinality == "many":
            await tx.unlink(source, point.type, target, valid_from=planned)
        await tx.link(
            source_,
            point.type,
            target_,
            props=point.props,
            confidence=point.confidence,
            valid_from=point.valid_from,
            valid_to=point.valid_to,
        )


class EngagementStageArgs(Args):
    """Where the deal goes."""

    ref: Ref = first()
    """Slug or id of the engagement."""
    to: Literal["discovery", "proposal", "contract", "delivery", "partner", "declined"]
    """The stage it reaches."""


@verb(
    "engagement.stage",
    "write",
    for_=EVERYONE,
    undo="exact",
    emits="engagement.stage_changed",
    target="ref",
    text="moved engagement {slug} to {status}",
)
async def stage(tx: Tx, args: EngagementStageArgs) -> Row:
    """Move a deal to another stage."""
    engagement = await tx.move(await tx.get(args.ref, Engagement), to=args.to)
    tx.target = engagement
    return row(engagement)


@verb(
    "task.complete", "write", for_=ANYONE, touches=(CHANGES, DOES), undo="exact", emits="task.completed", target="ref"
)
async def complete(tx: Tx, args: RefArgs) -> Row:
    """Mark a task as done."""
    task = await tx.get(args.ref, Task)
    if task.status == "done":
        raise Refused.conflict(f"{task.slug} is already done")
    task = await tx.move(task, to="done", completed_at=tx.now)
    tx.target = task
    return row(task)


class TaskAssignArgs(Args):
    """Who does what."""

    ref: Ref = first()
    """Slug or id of the task."""
    to: Ref
    """Slug of the contact or agent who does it."""


@verb(
    "task.assign",
    "write",
    for_=ANYONE,
    touches=(CHANGES, DOES, within_organisation("to")),
    undo="exact",
    emits="task.assigned",
    target="ref",
)
async def assign(tx: Tx, args: TaskAssignArgs) -> Row:
    """Give a task to somebody; whoever had it before no longer drives it."""
    task = await tx.get(args.ref, Task)
    if task.over:
        raise Refused.conflict(f"{task.slug} is already {task.status}")
    await tx.link(task, "driven_by", await tx.get(args.to))
    tx.target = task
    tx.emit(f"task.assigned_to.{args.to}", slug=task.slug, id=str(task.id))
    return row(task)


class DecisionSupersedeArgs(Args):
    """A new decision in place of an old one."""

    ref: Ref = first()
    """Slug or id of the decision that no longer holds."""
    by: Ref
    """Slug or id of the one that does."""
    since: Moment | None = None
    """From when."""


@verb(
    "decision.supersede",
    "write",
    for_=EVERYONE,
    touches=WORD,
    undo="exact",
    emits="decision.superseded",
    target="ref",
)
async def supersede(tx: Tx, args: DecisionSupersedeArgs) -> Row:
    """Put a newer decision in the place of an older one; both stay known."""
    old, new = await tx.get(args.ref, Decision), await tx.get(args.by, Decision)
    if old.id == new.id:
        raise Refused.invalid("a decision cannot supersede itself")
    await tx.link(new, "supersedes", old, valid_from=args.since)
    old = await tx.move(old, to="superseded")
    tx.target = old
    return row(old)


EXAMPLES: dict[str, dict[str, list[CallArgs]]] = {
    "entity": {"create": [{"name": "Acme", "kind": "org", "email": "hello@acme.example"}]},
    "contact": {"create": [{"name": "Ana Pereira", "email": "ana@example.com"}]},
    "engagement": {"create": [{"name": "Acme website", "stage": "discovery", "price": 4000}]},
    "project": {"create": [{"name": "Website", "priority": "now"}]},
    "feature": {"create": [{"title": "Contact form", "complexity": "S"}]},
    "task": {"create": [{"title": "Call Ana", "priority": "now"}], "list": [{"status": "todo"}]},
    "event": {"create": [{"kind": "milestone", "summary": "First customer"}]},
    "document": {"create": [{"title": "Offer for Acme", "kind": "proposal"}]},
    "decision": {"create": [{"title": "Postgres for everything", "decision_md": "One engine is enough."}]},
    "memo": {"create": [{"title": "Week 46", "content_md": "All quiet."}]},
}

VERBS = (
    find,
    profile,
    merge,
    stage,
    complete,
    assign,
    supersede,
    *nouns(
        Task,
        founder_is=("owner", "accountable"),
        examples=EXAMPLES["task"],
        for_=ANYONE,
        touches=(CHANGES, DOES, MOVES, within_organisation("owner")),
        makes=(MAKES, within_organisation("owner")),
    ),
    *nouns(Feature, examples=EXAMPLES["feature"], for_=ANYONE, touches=(CHANGES, MOVES), makes=MAKES),
    *(
        verb_
        for model in (Event, Document, Memo)
        for verb_ in nouns(model, examples=EXAMPLES[model.type], made_by=ANYONE, touches=WORD)
    ),
    *nouns(Decision, examples=EXAMPLES["decision"], touches=WORD),
    *(verb_ for model in (Entity, Engagement) for verb_ in nouns(model, examples=EXAMPLES[model.type])),
    *nouns(
        Project,
        examples=EXAMPLES["project"],
        said=("entity", "engagement", "organisation", "objective"),
        touches=(at_home(), within_organisation("organisation")),
        makes=within_organisation("organisation"),
        looks=at_home(),
    ),
    *nouns(Contact, examples=EXAMPLES["contact"], touches=PERSON),
)
