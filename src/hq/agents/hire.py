"""Hires and successions: an agent is a persona in a seat, and what belongs to the seat outlasts whoever sits there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from pydantic import Field

from hq.agents.rows import HangingOnRow
from hq.agents.scaffold import with_files, with_files_of
from hq.database.queries import beside
from hq.door.access import STAFF
from hq.door.tx import Tx
from hq.door.verb import Args, CostForecast, Ref, Result, first, verb
from hq.door.verbs.credentials import ensure_principal
from hq.errors import Refused
from hq.grammar import with_article
from hq.graph.records import End, Stored
from hq.graph.slugs import slugify
from hq.graph.store import NewLink
from hq.graph.types import Node
from hq.guard.forecast import of_an_agent
from hq.org.agent import Agent
from hq.org.authority import directed
from hq.org.chart import Chart, Seat, find_organisation, find_persona, find_seat, load, lock, organisations, roles
from hq.org.invariants import in_order
from hq.org.organisations import all_charts
from hq.org.personas import add_persona
from hq.org.positions import PositionCreateArgs, add_seat
from hq.org.seats import agents_in, agents_of, seat_of, take_seat
from hq.org.types import Role
from hq.org.yaml_verbs import found_from_template
from hq.workspace.verbs.workspace_verbs import inside

SQL = beside(__file__, "hire.sql")
FIRST = "solo-founder"
"""The organisation somebody is hired into where there is none yet."""
CARRIED = (
    "assigned_to", "commanded_by", "delegated_to", "driven_by", "led_by", "limits", "owed_by", "owed_to", "remembered_by",
)  # fmt: skip
"""What goes with the seat: open missions and tasks, what others owe and are owed, budgets, memories."""

ENDED = ("done", "failed", "cancelled", "closed", "completed", "shipped", "dropped", "met", "missed", "archived",
         "resolved", "fulfilled", "abandoned", "superseded", "rejected", "ended", "expired")  # fmt: skip
"""States that can be left again, but are an end all the same."""


class AgentHireArgs(PositionCreateArgs):
    """Whom, for which seat, and how it works."""

    name: str = first(min_length=1, max_length=60)
    """What it is called."""
    role: str | None = Field(None, max_length=200)
    """In a word or two. Left out, as the title."""
    title: str | None = Field(None, min_length=1, max_length=500)  # type: ignore[assignment]
    """Title of its seat: a vacant one that is called so, or else a new one; left out, it is called as the role."""
    position_id: int | None = Field(None, ge=1)
    """A vacant seat by its number, instead of the title."""
    persona_slug: str | None = Field(None, max_length=200)
    """A persona that is there; left out, one is made."""
    kind: Literal["ceo", "operator", "team", "project"] = "team"
    """What sort of agent it is."""
    about: str | None = Field(None, max_length=2000)
    """What it is good for."""
    model: str | None = Field(None, max_length=200)
    """Its model; left out, the company's."""
    cost_tier: Literal["low", "medium", "high"] | None = None
    """How expensive it is to use."""
    tools: list[str] = Field(default_factory=list, max_length=50)
    """Tools beyond those for missions."""
    daily_usd_hard: float | None = Field(None, ge=0)
    """Spend per day at which it freezes."""
    daily_tokens_hard: int | None = Field(None, ge=1)
    """Tokens per day at which it freezes; what holds a model without a price."""
    mission: Ref | None = None
    """Its first mission."""


class Hired(Result):
    slug: str
    id: str
    persona_slug: str
    position_id: int
    title: str
    role: str
    organisation: str
    cost: str
    """What it is expected to cost."""
    mission: str | None = None
    """The mission it is hired for, which it has got."""


@dataclass(frozen=True)
class HireHook:
    """What is done for who was hired, by a room above: the verb that gives a mission to an agent."""

    assign: str


async def _cost(tx: Tx, args: AgentHireArgs) -> CostForecast:
    """What it costs a month: by who had its seat before, if there is one."""
    seats = (
        [seat for chart in await all_charts(tx, args.org) for seat in chart.seats.values()]
        if args.title or args.role or args.position_id
        else []
    )
    title = (args.title or (args.role or "").replace("-", " ")).casefold()
    seat = next(
        (each.id for each in seats if each.position.number == args.position_id or each.title.casefold() == title), None
    )
    return await of_an_agent(
        tx, seat=seat, model=args.model, daily_usd=args.daily_usd_hard, daily_tokens=args.daily_tokens_hard
    )


@verb(
    "agent.hire",
    "write",
    shows=("role", "title", "org", "about", "tools", "mission", "daily_usd_hard", "daily_tokens_hard"),
    on_card=True,
    whole="mission",
    for_=STAFF,
    gate="staffing",
    undo="exact",
    invariant=in_order,
    forecast=_cost,
    emits="agent.hired",
    examples=[{"name": "Forge", "org": "Development", "title": "Developer", "role": "developer"}],
    text="hq.agents.hire_text:hired",
)
async def hire(tx: Tx, args: AgentHireArgs) -> Hired:
    """Hire an agent: a persona, in a seat, and how it works."""
    await lock(tx)
    cost = await _cost(tx, args)
    chart, seat = await _seat(tx, args)
    if sitting := (await agents_in(tx)).get(seat.id):
        raise Refused.conflict(
            f"{sitting[0].slug} already works in {seat.title}",
            hint=f"`hq agent succeed {sitting[0].slug} --by …` replaces it",
        )
    await _free_name(tx, args.name)
    mission = await _mission(tx, args.mission) if args.mission else None
    persona = await _persona(tx, args, seat)
    if seat.holding is None or seat.holding.persona.id != persona.id:
        await take_seat(tx, seat, persona)
    role = seat.role.props.name if seat.role else persona.props.role
    slug = slugify(args.name)
    config = Agent(
        name=args.name,
        kind=args.kind,
        role=role,
        description=args.about,
        model=args.model,
        cost_tier=args.cost_tier,
        tools=args.tools,
        daily_usd_hard=args.daily_usd_hard,
        daily_tokens_hard=args.daily_tokens_hard,
    )
    tx.target = agent = await tx.create(
        await with_files(tx, slug, config),
        slug=slug,
        links=[
            NewLink("embodies", persona),
            NewLink("in_organisation", chart.organisation),
        ],
    )
    await ensure_principal(tx, "agent", agent.slug)
    if mission:  # once its files are written: it is told by them
        wanted = {"ref": mission.slug, "to": agent.slug, "note": f"Hired for this as {seat.title}."}
        tx.follow_ups.append(inside(tx, tx.use(HireHook).assign, wanted))
    return Hired(
        slug=agent.slug,
        id=str(agent.id),
        persona_slug=persona.slug,
        position_id=seat.position.number or 0,
        title=seat.title,
        role=role,
        organisation=chart.organisation.slug,
        cost=cost.says,
        mission=mission.slug if mission else None,
    )


async def _free_name(tx: Tx, name: str) -> None:
    """An agent's slug is what it is called by and acts as, so it gets exactly that one or none."""
    if taken := await tx.look_up(slugify(name)):
        raise Refused.conflict(f"the name {taken.slug!r} is taken by a {taken.type}; give the agent another")


async def _mission(tx: Tx, ref: str) -> Stored[Any]:
    """The mission somebody is hired for: one that waits for somebody."""
    mission = await tx.get(ref)
    if mission.type != "mission":
        raise Refused.invalid(
            f"{mission.slug} is {with_article(mission.type)}, not a mission", hint="`hq mission list` shows them"
        )
    if mission.status != "backlog":
        raise Refused.conflict(
            f"{mission.slug} is {mission.status}, so nobody is needed for it",
            hint="leave --mission away to hire all the same",
        )
    return mission


async def _seat(tx: Tx, args: AgentHireArgs) -> tuple[Chart, Seat]:
    """The vacant seat that was named, or a new one."""
    if args.position_id is not None and args.title is None:
        return await find_seat(tx, args.position_id)
    title = args.title or (args.role or "").replace("-", " ").title()
    if args.position_id is not None or not title:
        raise Refused.invalid("say --title for its seat, or --position-id for a vacant one", hint=await _vacant(tx))
    if args.org is None and not await organisations(tx):
        await found_from_template(tx, FIRST, None, None, None)  # the first hire makes the office
    charts = await all_charts(tx, args.org)
    for chart in charts:
        for seat in chart.seats.values():
            if seat.holding is None and seat.role and seat.title.casefold() == title.casefold():
                return chart, seat
    args = args.model_copy(update={"title": args.title or _untaken(title, charts), "role": args.role or title})
    organisation = await find_organisation(tx, args.org)
    if args.role and args.role.casefold() not in {role.props.name.casefold() for role in await roles(tx)}:
        await tx.create(Role(name=args.role))
    fields = {name: getattr(args, name) for name in PositionCreateArgs.model_fields}
    position = await add_seat(tx, await load(tx, organisation), PositionCreateArgs.model_validate(fields))
    chart = await load(tx, organisation)
    return chart, chart.seats[position.id]


async def _vacant(tx: Tx) -> str:
    seats = [seat for chart in await all_charts(tx, None) for seat in chart.seats.values() if seat.holding is None]
    told = ", ".join(f"{seat.position.number} {seat.title}" for seat in seats[:10])
    return f"vacant, by position_id: {told}" if told else "no seat is vacant; any title makes a new one"


def _untaken(title: str, charts: Sequence[Chart]) -> str:
    taken = {seat.title.casefold() for chart in charts for seat in chart.seats.values()}
    numbered = (title, *(f"{title} {n}" for n in range(2, len(taken) + 3)))
    return next(each for each in numbered if each.casefold() not in taken)


async def _persona(tx: Tx, args: AgentHireArgs, seat: Seat) -> Any:
    if args.persona_slug:
        persona = await find_persona(tx, args.persona_slug)
        if there := (await agents_of(tx, {persona.id})).get(persona.id):
            raise Refused.conflict(
                f"{there[0].slug} is {persona.slug} already, and works wherever it sits",
                hint=f"`hq org assign --position-id {seat.position.number} --persona-slug {persona.slug}` seats it there",
            )
        return persona
    if seat.holding:
        return seat.holding.persona
    if seat.role is None:
        raise Refused.conflict(f"{seat.title} has no role; `hq org position update` gives it one")
    return await add_persona(tx, args.name, seat.role.props.name, args.about)


class AgentSucceedArgs(Args):
    """Who follows whom."""

    agent: Ref = first()
    """Slug of the agent that leaves its seat."""
    by: str = Field(min_length=1, max_length=60)
    """Slug of the agent that takes it: one without a seat, or a new name."""
    model: str | None = Field(None, max_length=200)
    """Model of a new agent; left out, the one its predecessor has."""


class Succeeded(Result):
    slug: str
    id: str
    predecessor: str
    position_id: int | None = None
    carried: dict[str, int]
    """How much of each kind went with the seat."""


async def _cost_of_successor(tx: Tx, args: AgentSucceedArgs) -> CostForecast:
    old = await tx.get(args.agent, Agent)
    return await of_an_agent(tx, seat=await seat_of(tx, old), model=args.model)


@verb(
    "agent.succeed",
    "write",
    for_=STAFF,
    touches=directed("agent", "agent_seat"),
    gate="staffing",
    undo="exact",
    invariant=in_order,
    forecast=_cost_of_successor,
    emits="agent.succeeded",
    target="agent",
    text="{slug} succeeds {predecessor}",
)
async def succeed(tx: Tx, args: AgentSucceedArgs) -> Succeeded:
    """Put another agent into a seat: memory, open missions, grants, budgets and commitments stay with the seat."""
    await lock(tx)
    old = await tx.get(args.agent, Agent)
    ends = await tx.targets([old.id], ["embodies", "in_organisation"])
    seat = await seat_of(tx, old)
    if seat is None:
        raise Refused.conflict(f"{old.slug} has no seat that somebody could take")
    new = await _successor(tx, old, args)
    for (_, edge), target in ends.items():
        await tx.link(new, edge, await tx.get(target))
    await tx.unlink(old, "embodies", await tx.get(ends[old.id, "embodies"]))
    await tx.link(new, "succeeds", old)
    carried = await _carry(tx, old, new)
    await tx.move(old, to="retired")
    tx.target = new
    position = await tx.get(seat)
    return Succeeded(
        slug=new.slug,
        id=str(new.id),
        predecessor=old.slug,
        position_id=position.number,
        carried=dict(sorted(carried.items())),
    )


async def _successor(tx: Tx, old: Stored[Agent], args: AgentSucceedArgs) -> Stored[Agent]:
    known = await tx.look_up(slugify(args.by))
    if known is None:
        changes = {"name": args.by, "status": "active", "workspace": None, "version": None}
        props = old.props.model_copy(update=changes | ({"model": args.model} if args.model else {}))
        slug = slugify(args.by)
        made = await tx.create(await with_files_of(tx, slug, props, old.slug), slug=slug)
        await ensure_principal(tx, "agent", made.slug)
        return made
    if known.type != Agent.type or known.id == old.id:
        raise Refused.invalid(
            f"{known.slug} is {'the one who leaves' if known.id == old.id else f'a {known.type}, no agent'}"
        )
    if known.over or await seat_of(tx, known):
        raise Refused.conflict(f"{known.slug} {'is retired' if known.over else 'has a seat already'}")
    return known


async def _carry(tx: Tx, old: Stored[Agent], new: Stored[Agent]) -> dict[str, int]:
    carried: dict[str, int] = {}
    rows = await tx.rows(SQL["hanging_on"], {"agent": old.id, "edges": list(CARRIED)}, into=HangingOnRow)
    for row in rows:
        if _over(tx.catalogue.node(row.type), row.status):
            continue
        source = End(row.id, row.type, row.slug)
        if not tx.catalogue.edge(row.edge).slot:
            await tx.unlink(await tx.get(row.id), row.edge, old)
        await tx.link(source, row.edge, new)
        carried[row.type] = carried.get(row.type, 0) + 1
    for grant in await tx.scalars(SQL["grants_of"], {"actor": f"agent:{old.slug}"}, of=UUID):
        await tx.change(await tx.get(grant), {"actor": f"agent:{new.slug}"})
        carried["grant"] = carried.get("grant", 0) + 1
    return carried


def _over(model: type[Node], status: str | None) -> bool:
    """Whether it has come to an end: then it stays with who ended it."""
    return status in ENDED or (bool(model.moves) and not model.moves.get(status or "", ("",)))


VERBS = (hire, succeed)
