"""`hq mission create|update`: a mission is made with what proves it done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal
from uuid import UUID

from pydantic import Field

from hq.business.types import Deliverable
from hq.door.access import STAFF, Touch, within_organisation
from hq.door.nouns import nouns
from hq.door.results import Row, row
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, first, verb
from hq.errors import Refused
from hq.graph.records import End, Stored
from hq.graph.store import NewLink
from hq.graph.types import Moment, Name
from hq.graph.view import NodeFilter
from hq.json_types import Props
from hq.missions import new_wish
from hq.missions.budget import allot
from hq.missions.checks import read_checks
from hq.missions.life import AT_WORK
from hq.missions.parties import caller_node, parties
from hq.missions.types import Brief, Delegation, Mission, MissionMemory
from hq.org.chart import OrganisationRef
from hq.org.types import Objective

WISH = ("title", "description", "acceptance_criteria")
"""What of a mission says what is wanted."""
Priority = Literal["low", "medium", "high", "critical"]
Lines = list[str]
CATEGORY = r"^[a-z0-9][a-z0-9-]{0,39}(/[a-z0-9][a-z0-9-]{0,39}){0,4}$"


class About(Args):
    """What is said of a mission whenever it is made or changed."""

    description: str | None = Field(None, max_length=20_000)
    """What is to be done, at length."""
    priority: Priority | None = None
    """How much it matters."""
    category: str | None = Field(None, pattern=CATEGORY)
    """What sort of work it is, such as coding/webapp; its workspace lies under that."""
    context_notes: str | None = Field(None, max_length=20_000)
    """What whoever does it should know, beside what is to be done."""
    acceptance_criteria: Lines | None = Field(None, max_length=50)
    """What must be true for it to be accepted."""
    skills: Lines | None = Field(None, max_length=20)
    """Skills it needs, by slug; whoever works on it has them for that long, and where one is off it is asked for once."""
    tags: list[str] | None = Field(None, max_length=50)
    """Free words to find it by."""
    depends_on: list[Ref] = Field(default_factory=list, max_length=50)
    """What has to be finished first: missions, tasks, projects, decisions."""
    objective: Ref | None = None
    """The objective it serves; left out, its parent's, or the only one there is."""
    about: Ref | None = None
    """What it concerns."""


class MissionCreateArgs(About):
    """What is to be done, and within what."""

    title: Name
    """What is to be done, in one line."""
    deliverables: Lines = Field(default_factory=list, max_length=50)
    """What it has to bring: file:PATH, changed:PATTERN, command:COMMAND that exits 0, url:ADDRESS, or words that a person accepts."""
    parent: Ref | None = None
    """The mission it is a part of."""
    organisation: OrganisationRef | None = None
    """The organisation it is done in; left out, its parent's."""
    token_budget: int | None = Field(None, ge=0)
    """Tokens it may use, its parts included."""
    cost_limit: float | None = Field(None, ge=0)
    """Money it may cost, its parts included, in US dollars."""
    deadline: Moment | None = None
    """When it has to be done."""
    spec_ref: str | None = Field(None, max_length=500)
    """Specification it comes from."""
    slug: str | None = Field(None, pattern=r"^[a-z0-9][a-z0-9-]{0,79}$")
    """The name it keeps for good; made from its title if left out."""


@verb(
    "mission.create",
    "write",
    shows=("description", "deliverables", "acceptance_criteria", "category", "priority", "deadline", "parent"),
    for_=STAFF,
    touches=(Touch("parent", "party", agent="led", operator="own", optional=True), within_organisation("organisation")),
    undo="exact",
    emits="mission.created",
    examples=[{"title": "Flight tracker", "category": "coding/webapp", "deliverables": ["file:README.md"]}],
)
async def create(tx: Tx, args: MissionCreateArgs) -> Row:
    """Create a mission: what is to be done, what proves it done, and what it may cost."""
    made = await make(tx, args)
    if args.slug and made.slug != args.slug:
        raise Refused.conflict(f"the slug {args.slug!r} is taken; leave --slug away to get a free one")
    tx.target = made
    return row(made)


async def make(
    tx: Tx,
    args: MissionCreateArgs,
    *,
    commander: End | None = None,
    external: tuple[str, str] | None = None,
    **more: Any,
) -> Stored[Mission]:
    """A new mission with its lines. Whoever makes it commands it, unless somebody else is said to."""
    checks = read_checks(args.deliverables)
    parent = await tx.get(args.parent, Mission) if args.parent else None
    if parent is not None:
        if parent.over:
            raise Refused.conflict(f"{parent.slug} is already {parent.status}; nothing can be added to it")
        await allot(tx, parent, args.token_budget, args.cost_limit)
    above = await parties(tx, parent.id) if parent else None
    props: Props = {
        name: value
        for name in Mission.model_fields
        if name in type(args).model_fields and (value := getattr(args, name)) is not None
    }
    links = [NewLink("parent_mission", parent)] if parent else []
    if giver := commander or await caller_node(tx):
        links.append(NewLink("commanded_by", giver))
    if objective := await _objective(tx, args.objective, above.objective if above else None):
        links.append(NewLink("serves", objective))
    home = await tx.get(args.organisation) if args.organisation else None
    if home is None and above and above.organisation:
        home = await tx.get(above.organisation)
    if home is not None:
        links.append(NewLink("in_organisation", home))
    for other in await tx.get_all([*args.depends_on]):
        links.append(NewLink("depends_on", other))
    if args.about:
        links.append(NewLink("about", await tx.get(args.about)))
    return await tx.create(
        Mission.model_validate(props | {"deliverables": [check.text for check in checks]} | more),
        tags=args.tags or (),
        slug=args.slug,
        links=links,
        external=external,
    )


async def _objective(tx: Tx, said: str | None, inherited: UUID | None) -> Stored[Objective] | None:
    """Every mission should serve one: the one that was said, its parent's, or the only one that is pursued."""
    if said or inherited:
        return await tx.get(said or str(inherited), Objective)
    pursued = await tx.find(NodeFilter(types=[Objective.type], status="active", limit=2))
    return pursued[0] if len(pursued) == 1 else None


class MissionUpdateArgs(About):
    """What to change; what is not named stays."""

    ref: Ref = first()
    """Slug of the mission."""
    title: Name | None = None
    """What is to be done, in one line."""
    independent_of: list[Ref] = Field(default_factory=list, max_length=50)
    """What no longer has to be finished first."""


@verb(
    "mission.update",
    "write",
    shows=("title", "description", "priority", "acceptance_criteria"),
    for_=STAFF,
    touches=Touch("ref", "mission", operator="own", bars=True),
    undo="exact",
    emits="mission.updated",
    target="ref",
    examples=[{"ref": "flight-tracker", "priority": "high"}],
)
async def update(tx: Tx, args: MissionUpdateArgs) -> Row:
    """Change what a mission says; its terms are changed by `mission revise`, its state by what happens to it."""
    who = await parties(tx, args.ref)
    mission = who.mission
    changes = {
        name: value
        for name in (*About.model_fields, "title")
        if name in Mission.model_fields and (value := getattr(args, name)) is not None
    }
    others = [*args.depends_on, *args.independent_of, *filter(None, (args.objective, args.about))]
    if not changes and args.tags is None and not others:
        raise Refused.invalid("nothing to change; `hq mission update --help` lists what can be")
    if changes or args.tags is not None:
        mission = await tx.change(mission, changes, tags=args.tags)
        if wish := {
            name: value for name, value in changes.items() if name in WISH and value != getattr(who.mission.props, name)
        }:
            said = "\n".join(
                f"{name.replace('_', ' ')}: {value if isinstance(value, str) else '; '.join(value)}"
                for name, value in wish.items()
            )
            await new_wish.told(tx, who, f"{mission.slug} was changed. It says now:\n{said}")
    for other in await tx.get_all(args.depends_on):
        await _check_order(tx, mission, other)
        await tx.link(mission, "depends_on", other)
    for other in await tx.get_all(args.independent_of):
        await tx.unlink(mission, "depends_on", other)
    if args.objective:
        await _serve(tx, mission, await tx.get(args.objective, Objective))
    if args.about:
        await tx.link(mission, "about", await tx.get(args.about))
    tx.target = mission
    return row(mission)


async def _serve(tx: Tx, mission: Stored[Mission], objective: Stored[Objective]) -> None:
    for link in await tx.links(mission, edge="serves"):
        if link.other_id != objective.id:
            await tx.unlink(mission, "serves", await tx.get(link.other_id))
    await tx.link(mission, "serves", objective)


async def _check_order(tx: Tx, mission: Stored[Mission], other: Stored[Any]) -> None:
    """Nothing waits for itself, by whatever way round."""
    seen: set[UUID] = set()
    look: list[Stored[Any]] = [other]
    while look:
        at = look.pop()
        if at.id == mission.id:
            raise Refused.conflict(f"{other.slug} already waits for {mission.slug}; they would wait for each other")
        if at.id in seen:
            continue
        seen.add(at.id)
        ahead = [link.other_id for link in await tx.links(at, edge="depends_on") if link.outward]
        look += await tx.find(NodeFilter(ids=ahead, limit=200)) if ahead else []


READ_ONLY: Sequence[str] = ("create", "update", "archive", "restore")
"""These nodes are written by what happens, so they can only be looked at."""


async def _check_over(tx: Tx, args: Any) -> None:
    # Work is not got rid of by hiding it while somebody is at it.
    mission = await tx.look_up(args.ref, Mission)
    if mission is not None and mission.status in AT_WORK:
        raise Refused.conflict(
            f"{mission.slug} is {mission.status}",
            hint=f"`hq mission fail {mission.slug}` gives it up, with its sessions; then it can be put away",
        )


VERBS = (
    create,
    update,
    *nouns(
        Mission,
        for_=STAFF,
        touches=Touch("ref", "mission", operator="own", bars=True),
        before={"archive": _check_over},
        without=("create", "update", "show"),
    ),
    *nouns(MissionMemory, without=READ_ONLY),
    *nouns(Brief, without=READ_ONLY),
    *nouns(Delegation, without=READ_ONLY),
    *nouns(Deliverable, without=READ_ONLY),
)
__all__ = ["VERBS", "Lines", "MissionCreateArgs", "make"]
