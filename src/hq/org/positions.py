"""`hq org position`: the seats of an organisation, their place in the chart and what they may spend."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

from pydantic import Field

from hq.door.access import EVERYONE, STAFF
from hq.door.tx import Tx
from hq.door.verb import Args, Result, verb
from hq.errors import Refused
from hq.graph.records import Stored
from hq.graph.store import NewLink
from hq.ids import new_id
from hq.json_types import Props
from hq.org import results
from hq.org.authority import directed
from hq.org.chart import Chart, Seat, find_organisation, find_role, find_seat, load, lock
from hq.org.checks import ChartSeat, flaws
from hq.org.document.export import assignment
from hq.org.importer.executor import end_line
from hq.org.invariants import in_order
from hq.org.results import OrgChanged, OrgListing, org_changed
from hq.org.seats import working_in
from hq.org.types import Position

NOBODY = "founder"
OWN = ("title", "level", "is_cross_cutting", "description", "spend_per_transaction", "spend_per_session",
       "hard_stop_below", "currency")  # fmt: skip


class Described(Args):
    """What a seat can be."""

    role: str | None = Field(None, max_length=200)
    """The role it asks for, by name."""
    level: int | None = Field(None, ge=1, le=1000)
    """How far from the top it is; 1 is the top."""
    reports_to: str | None = Field(None, max_length=500)
    """Title of the seat it reports to, or founder."""
    escalates_to: str | None = Field(None, max_length=500)
    """Title of the seat it escalates to, or founder."""
    is_cross_cutting: bool | None = None
    """Whether it serves the whole organisation rather than one line of it."""
    description: str | None = None
    """What is expected of whoever sits here."""
    spend_per_transaction: float | None = Field(None, ge=0)
    """Most it may spend at once without asking."""
    spend_per_session: float | None = Field(None, ge=0)
    """Most it may spend in one session without asking."""
    hard_stop_below: float | None = None
    """Value under management below which it has to stop."""
    currency: str | None = Field(None, pattern=r"^[A-Z]{3}$")
    """Currency of these limits."""


class PositionCreateArgs(Described):
    """A seat, and where."""

    org: str | None = Field(None, max_length=200)
    """Name, slug or organisation_id, where there are several."""
    title: str = Field(min_length=1, max_length=500)
    """What the seat is called, such as Principal Architect."""


@verb(
    "position.create",
    "write",
    for_=STAFF,
    touches=directed("org", "directed_organisation"),
    undo="exact",
    invariant=in_order,
    emits="position.created",
    examples=[{"org": "Development", "title": "Principal Architect", "role": "architect"}],
)
async def create(tx: Tx, args: PositionCreateArgs) -> OrgChanged:
    """Create a seat in an organisation."""
    await lock(tx)
    chart = await load(tx, await find_organisation(tx, args.org))
    tx.target = position = await add_seat(tx, chart, args)
    return org_changed(position, title=position.props.title)


async def add_seat(tx: Tx, chart: Chart, args: PositionCreateArgs) -> Stored[Position]:
    if not args.role:
        raise Refused.invalid("say which role the seat asks for with --role")
    role = await find_role(tx, args.role)
    props = Position.model_validate(_given(args))
    ends = {edge: _above(chart, getattr(args, edge)) for edge in ("reports_to", "escalates_to")}
    id = new_id()
    check(chart, ChartSeat(id, props.title, props.level, props.is_cross_cutting, **_ids(ends)))
    links = [NewLink("in_organisation", chart.organisation), NewLink("has_role", role)]
    links += [NewLink(edge, seat.position) for edge, seat in ends.items() if seat]
    return await tx.create(props, id=id, links=links)


def _given(args: Described) -> Props:
    return {name: value for name in OWN if (value := getattr(args, name, None)) is not None}


def _above(chart: Chart, title: str | None) -> Seat | None:
    return None if title is None or title.casefold() == NOBODY else chart.named(title)


def _ids(ends: dict[str, Seat | None]) -> dict[str, UUID | None]:
    return {edge: seat.id if seat else None for edge, seat in ends.items()}


def check(chart: Chart, *changed: ChartSeat, without: UUID | None = None) -> None:
    """The chart as it would be has to be one."""
    places = {place.id: place for place in chart.places if place.id != without} | {each.id: each for each in changed}
    if found := flaws(list(places.values())):
        raise Refused.invalid("; ".join(flaw.message for flaw in found))


class PositionListArgs(Args):
    """Which organisation."""

    org: str | None = Field(None, max_length=200)
    """Name, slug or organisation_id, where there are several."""


@verb("position.list", "read", for_=EVERYONE, examples=[{"org": "Development"}], text="hq.org.yaml_text:answer")
async def list_(tx: Tx, args: PositionListArgs) -> OrgListing[results.SeatItem]:
    """List the seats of an organisation."""
    chart = await load(tx, await find_organisation(tx, args.org))
    return OrgListing[results.SeatItem](items=[results.seat(chart, seat) for seat in chart.seats.values()])


class PositionShowArgs(PositionListArgs):
    """Which seat: by its id, or by organisation and title."""

    position_id: int | None = Field(None, ge=1)
    """Its number."""
    title: str | None = Field(None, max_length=500)
    """Its title in the organisation."""


class PositionShown(Result):
    position_id: int
    slug: str
    title: str


@verb(
    "position.show",
    "read",
    for_=EVERYONE,
    examples=[{"org": "Development", "title": "Principal Architect"}],
    text="hq.org.yaml_text:answer",
)
async def show(tx: Tx, args: PositionShowArgs) -> PositionShown:
    """One seat: who sits there, whom it reports to, who reports to it."""
    if args.position_id is not None:
        chart, seat = await find_seat(tx, args.position_id)
    elif args.title:
        chart = await load(tx, await find_organisation(tx, args.org))
        seat = chart.named(args.title)
    else:
        raise Refused.invalid("say --position-id, or --org and --title")
    tx.target = seat.position
    props = seat.position.props
    limits = ("spend_per_transaction", "spend_per_session", "hard_stop_below")
    return PositionShown.model_validate(
        {
            **results.seat(chart, seat),
            "organisation": chart.organisation.slug,
            "description": props.description,
            **{name: getattr(props, name) for name in limits},
            **({"currency": props.currency} if any(getattr(props, name) is not None for name in limits) else {}),
            "assignment": assignment(seat),
            "agents": [agent.slug for agent in (await working_in(tx, chart)).get(seat.id, [])],
            "direct_reports": [each.title for each in chart.reports(seat)],
        }
    )


class PositionUpdateArgs(Described):
    """Which seat, and what to change."""

    position_id: int = Field(ge=1)
    """Its number."""
    title: str | None = Field(None, min_length=1, max_length=500)
    """Another title."""
    clear: list[str] = Field(default_factory=list, max_length=10)
    """Properties to empty, such as spend_per_session."""


@verb(
    "position.update",
    "write",
    for_=STAFF,
    touches=directed("position_id", "seat"),
    undo="exact",
    invariant=in_order,
    emits="position.updated",
    examples=[{"position_id": 1, "description": "Draws the plans"}],
)
async def update(tx: Tx, args: PositionUpdateArgs) -> OrgChanged:
    """Change a seat; what is not named stays."""
    await lock(tx)
    chart, seat = await find_seat(tx, args.position_id)
    said = _given(args) | dict.fromkeys(args.clear)
    if unknown := [
        name for name in args.clear if name not in OWN or name in ("title", "level", "is_cross_cutting", "currency")
    ]:
        raise Refused.invalid(f"a seat has no {unknown[0]!r} that could be empty")
    lines = {
        edge: _above(chart, ref) for edge in ("reports_to", "escalates_to") if (ref := getattr(args, edge)) is not None
    }
    if not said and not lines and args.role is None:
        raise Refused.invalid("nothing to change; `hq org position update --help` lists what can be")
    props = Position.model_validate({**seat.position.props.model_dump(), **said})
    check(
        chart,
        replace(
            seat.place, title=props.title, level=props.level, is_cross_cutting=props.is_cross_cutting, **_ids(lines)
        ),
    )
    position = await tx.change(seat.position, said) if said else seat.position
    if args.role is not None:
        await tx.link(position, "has_role", await find_role(tx, args.role))
    for edge, target in lines.items():
        await draw(tx, position, edge, target)
    tx.target = position
    return org_changed(position, title=position.props.title)


async def draw(tx: Tx, position: Stored[Position], edge: str, target: Seat | None) -> None:
    if target is None:
        await end_line(tx, position, edge)
    else:
        await tx.link(position, edge, target.position)


VERBS = (create, list_, show, update)
