"""`hq org assign` and its kin: who sits where, who sat there, which seats are vacant and who would fit."""

from __future__ import annotations

from typing import TypedDict

from pydantic import Field

from hq.door.access import EVERYONE, STAFF
from hq.door.json_shape import AsJson
from hq.door.tx import Tx
from hq.door.verb import Args, Result, verb
from hq.errors import Refused
from hq.graph.records import Stored
from hq.org import results
from hq.org.authority import directed
from hq.org.chart import Chart, Seat, every_seat, find_persona, find_seat, holdings, lock, personas
from hq.org.checks import above
from hq.org.content import intent_of, words_of
from hq.org.invariants import in_order
from hq.org.organisations import OrgEmptyArgs, OrgSeatItem, all_charts, told_seat
from hq.org.results import OrgChanged, OrgListing, org_changed
from hq.org.seats import leave_seat, seats_of, take_seat, working_in
from hq.org.types import Persona


class OrgAssignArgs(Args):
    """Who, and where."""

    position_id: int = Field(ge=1)
    """Number of the seat."""
    persona_slug: str = Field(min_length=1, max_length=200)
    """Who is to sit there."""
    reassign: bool = False
    """Where somebody sits already, displace them."""


@verb(
    "org.assign",
    "write",
    for_=STAFF,
    touches=directed("position_id", "seat"),
    undo="exact",
    invariant=in_order,
    emits="position.assigned",
    target="persona_slug",
    examples=[{"position_id": 1, "persona_slug": "architect-robbo-1"}],
    text="assigned {label}[; without a seat now: {agents}]",
)
async def assign(tx: Tx, args: OrgAssignArgs) -> OrgChanged:
    """Give a seat to a persona."""
    await lock(tx)
    _, seat = await find_seat(tx, args.position_id)
    assignment = await take_seat(tx, seat, await find_persona(tx, args.persona_slug), reassign=args.reassign)
    tx.target = assignment
    return org_changed(assignment, persona_assignment_id=assignment.number, label=assignment.props.label)


class OrgUnassignArgs(Args):
    """Which seat."""

    position_id: int = Field(ge=1)
    """Number of the seat."""


@verb(
    "org.unassign",
    "write",
    for_=STAFF,
    touches=directed("position_id", "seat"),
    undo="exact",
    invariant=in_order,
    emits="position.vacated",
    examples=[{"position_id": 1}],
    text="unassigned {label}[; without a seat now: {agents}]",
)
async def unassign(tx: Tx, args: OrgUnassignArgs) -> OrgChanged:
    """Let a seat be vacant; who sat there stays known, and its agents do nothing more from that seat."""
    await lock(tx)
    chart, seat = await find_seat(tx, args.position_id)
    if seat.holding is None:
        raise Refused.conflict(f"{seat.title} is vacant already")
    agents = (await working_in(tx, chart)).get(seat.id, [])
    note = tx.call.reason or seat.holding.assignment.props.note
    tx.target = ended = await leave_seat(tx, seat.holding, note)
    elsewhere = await seats_of(tx, agents)
    return org_changed(
        ended,
        persona_assignment_id=ended.number,
        label=ended.props.label,
        agents=[agent.slug for agent in agents if agent.id not in elsewhere],
    )


class OrgAssignmentsArgs(Args):
    """Whose, and how far back."""

    org: str | None = Field(None, max_length=200)
    """Only of this organisation; left out, of all."""
    persona_slug: str | None = Field(None, max_length=200)
    """Only of this persona."""
    include_history: bool = False
    """Also those that have ended."""


class AssignmentItem(TypedDict):
    """Who sits somewhere, or sat there."""

    persona_assignment_id: int | None
    organisation: str | None
    position_id: int | None
    title: str
    persona_slug: str
    status: str
    assigned_at: str
    unassigned_at: str | None
    note: str | None


@verb("org.assignments", "read", for_=EVERYONE, examples=[{}], text="hq.org.yaml_text:answer")
async def assignments(tx: Tx, args: OrgAssignmentsArgs) -> OrgListing[AssignmentItem]:
    """Who sits where, and with --include-history who sat there."""
    charts = await all_charts(tx, args.org)
    seats = {id: (chart, seat) for chart in charts for id, seat in chart.seats.items()}
    persona = await find_persona(tx, args.persona_slug) if args.persona_slug else None
    found: list[AssignmentItem] = []
    for each in await holdings(tx, ended=args.include_history):
        chart, seat = seats.get(each.seat, (None, None))
        if (args.org and seat is None) or (persona and each.persona.id != persona.id):
            continue
        props = each.assignment.props
        found.append(
            {
                "persona_assignment_id": each.assignment.number,
                "organisation": chart.organisation.slug if chart else None,
                "position_id": seat.position.number if seat else None,
                "title": seat.title if seat else props.label.rpartition(" as ")[2],
                "persona_slug": each.persona.slug,
                "status": props.status,
                "assigned_at": props.assigned_at.isoformat(),
                "unassigned_at": props.unassigned_at.isoformat() if props.unassigned_at else None,
                "note": props.note,
            }
        )
    return OrgListing[AssignmentItem](items=found)


class OrgVacanciesArgs(Args):
    """Which organisation."""

    org: str | None = Field(None, max_length=200)
    """Name, slug or organisation_id; left out, all of them."""


@verb("org.vacancies", "read", for_=EVERYONE, examples=[{}], text="hq.org.yaml_text:answer")
async def vacancies(tx: Tx, args: OrgVacanciesArgs) -> OrgListing[OrgSeatItem]:
    """Seats in which nobody sits."""
    charts = await all_charts(tx, args.org)
    return OrgListing[OrgSeatItem](
        items=[told_seat(chart, seat) for chart in charts for seat in chart.seats.values() if seat.holding is None]
    )


@verb("org.available_personas", "read", for_=EVERYONE, examples=[{}], text="hq.org.yaml_text:answer")
async def available(tx: Tx, args: OrgEmptyArgs) -> OrgListing[results.PersonaItem]:
    """Personas that hold no seat."""
    seated = {each.persona.id for each in await holdings(tx)}
    free = [each for each in await personas(tx) if each.id not in seated and each.props.status == "active"]
    return OrgListing[results.PersonaItem](items=[results.persona(each) for each in free])


class OrgAssessFitArgs(Args):
    """Who for which seat."""

    position_id: int = Field(ge=1)
    """Number of the seat."""
    persona_slug: str = Field(min_length=1, max_length=200)
    """Who might sit there."""


class AssessedSeat(OrgSeatItem):
    """A seat, and what it asks for."""

    description: str | None
    role_description: str | None


class AssessedPersona(results.PersonaItem):
    """A persona, and where it sat."""

    seats_held: list[str]


class Evidence(Result):
    position: AsJson[AssessedSeat]
    persona: AsJson[AssessedPersona]
    intent: dict[str, list[str]]
    """What the organisation optimises for, protects and never sacrifices."""
    same_role: bool
    vacant: bool
    skill: str
    experience: str


@verb(
    "org.assess_fit",
    "read",
    for_=EVERYONE,
    past=False,
    examples=[{"position_id": 1, "persona_slug": "architect-robbo-1"}],
    text="hq.org.yaml_text:answer",
)
async def assess_fit(tx: Tx, args: OrgAssessFitArgs) -> Evidence:
    """What a seat asks for beside what a persona brings, for whoever judges the fit."""
    chart, seat = await find_seat(tx, args.position_id)
    persona = await find_persona(tx, args.persona_slug)
    skill, experience = await words_of(tx, persona)
    history = [each for each in await holdings(tx, ended=True) if each.persona.id == persona.id]
    about = seat.role.props.description if seat.role else None
    return Evidence(
        position={**told_seat(chart, seat), "description": seat.position.props.description, "role_description": about},
        persona={
            **results.persona(persona),
            "seats_held": [f"{each.assignment.props.label} ({each.assignment.props.status})" for each in history],
        },
        intent=(await intent_of(tx, chart.organisation)).lists.model_dump(),
        same_role=seat.role is not None and seat.role.props.name == persona.props.role,
        vacant=seat.holding is None,
        skill=skill,
        experience=experience,
    )


class OrgWhoamiArgs(Args):
    """Who asks."""

    persona_slug: str | None = Field(None, max_length=200)
    """Whose card; an agent that leaves it out gets its own."""


class SeatCardItem(TypedDict):
    """A seat as who sits there needs it."""

    organisation: str
    position_id: int | None
    title: str
    level: int | None
    reporting_line: list[str]
    escalation_path: list[str]
    direct_reports: list[str]
    peers: list[str]
    intent: dict[str, list[str]]


class SeatCard(Result):
    persona_slug: str
    name: str
    role: str
    positions: AsJson[list[SeatCardItem]]
    """Each seat with its organisation, its lines upward, its peers and what the organisation is for."""


@verb(
    "org.whoami",
    "read",
    for_=EVERYONE,
    examples=[{"persona_slug": "architect-robbo-1"}],
    text="hq.org.yaml_text:answer",
)
async def whoami(tx: Tx, args: OrgWhoamiArgs) -> SeatCard:
    """A persona's quick-reference card: its seats, whom it reports and escalates to, its peers, the intent."""
    persona = await find_persona(tx, args.persona_slug) if args.persona_slug else await _own_persona(tx)
    tx.target = persona
    cards = [
        await _card(tx, chart, seat)
        for chart in (await every_seat(tx)).values()
        for seat in chart.seats.values()
        if seat.holding and seat.holding.persona.id == persona.id
    ]
    return SeatCard(persona_slug=persona.slug, name=persona.props.name, role=persona.props.role, positions=cards)


async def _own_persona(tx: Tx) -> Stored[Persona]:
    me = tx.caller.agent_itself
    agent = await tx.look_up(me) if me else None
    if agent and agent.archived_at is not None:
        raise Refused.invalid(f"{agent.slug} is archived, and sits nowhere")
    is_ = (await tx.targets([agent.id], ["embodies"])).get((agent.id, "embodies")) if agent else None
    if is_ is None:
        raise Refused.invalid("say whose card with --persona-slug; `hq org persona list` shows who there is")
    return await tx.get(is_, Persona)


async def _card(tx: Tx, chart: Chart, seat: Seat) -> SeatCardItem:
    by_id = {place.id: place for place in chart.places}
    return {
        "organisation": chart.organisation.slug,
        "position_id": seat.position.number,
        "title": seat.title,
        "level": seat.position.props.level,
        "reporting_line": [*(up.title for up in above(by_id, seat.place)), "founder"],
        "escalation_path": [*(up.title for up in above(by_id, seat.place, "escalates_to")), "founder"],
        "direct_reports": [each.title for each in chart.reports(seat)],
        "peers": [
            f"{each.title} ({each.holding.persona.slug if each.holding else 'vacant'})"
            for each in chart.seats.values()
            if each.reports_to == seat.reports_to and each.id != seat.id
        ],
        "intent": (await intent_of(tx, chart.organisation)).lists.model_dump(),
    }


VERBS = (assign, unassign, assignments, vacancies, available, assess_fit, whoami)
