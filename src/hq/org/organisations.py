"""`hq org`: organisations themselves: found them, list them, change them, put them to rest, see how they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from pydantic import Field

from hq.door.access import EVERYONE, STAFF, Touch
from hq.door.tx import Tx
from hq.door.verb import Args, Result, verb
from hq.errors import Refused
from hq.org import results
from hq.org.authority import directed
from hq.org.chart import Chart, Seat, every_seat, find_organisation, load, lock, organisations
from hq.org.content import begin_files, intent_of
from hq.org.intent import first_text, parse
from hq.org.invariants import in_order
from hq.org.results import OrgChanged, OrgListing, org_changed
from hq.org.seats import working_in
from hq.org.types import Organisation
from hq.org.yaml_verbs import found_from_template

OrgRef = str
WHICH = "Name, slug or organisation_id; left out, the only one there is."


class OrganisationRefArgs(Args):
    """Which organisation."""

    org: OrgRef | None = Field(None, max_length=200, description=WHICH)


class OrgCreateArgs(Args):
    """What it is called and what it is for."""

    name: str | None = Field(None, min_length=1, max_length=500)
    """What the organisation is called; a template brings a name along."""
    purpose: str | None = Field(None, min_length=1, max_length=64)
    """Its domain, such as software-development, marketing or economy; the slug begins with it."""
    description: str | None = None
    """What it does."""
    template: Literal["solo-founder", "software-team", "economy"] | None = None
    """Begin with the seats, roles and intent of one of these."""


@verb(
    "org.create",
    "write",
    for_=STAFF,
    gate="cross_scope",  # whether there is an organisation at all is the founder's to say, also where somebody directs one
    undo="exact",
    invariant=in_order,
    emits="organisation.created",
    examples=[
        {"name": "Development", "purpose": "software-development"},
        {"name": "Kent Ventures", "template": "economy"},
    ],
)
async def create(tx: Tx, args: OrgCreateArgs) -> OrgChanged:
    """Found an organisation, with a directory and an intent.md of its own."""
    await lock(tx)
    if args.template:
        org = await found_from_template(tx, args.template, args.name, args.purpose, args.description)
    else:
        if not (args.name and args.name.strip()) or not (args.purpose and args.purpose.strip()):
            raise Refused.invalid("say --name and --purpose, or --template")
        text = first_text(args.name)
        org = await tx.create(
            Organisation(
                name=args.name,
                purpose=args.purpose.strip(),
                description=args.description,
                intent_md=text,
                intent=parse(text),
            )
        )
        await begin_files(tx, [org])
    tx.target = org
    return org_changed(org, name=org.props.name)


class OrgEmptyArgs(Args):
    """Nothing to choose."""


@verb("org.list", "read", for_=EVERYONE, examples=[{}], text="hq.org.yaml_text:answer")
async def list_(tx: Tx, args: OrgEmptyArgs) -> OrgListing[results.OrganisationItem]:
    """List all organisations."""
    return OrgListing[results.OrganisationItem](items=[results.organisation(org) for org in await organisations(tx)])


class OrgUpdateArgs(OrganisationRefArgs):
    """What to change; what is not named stays."""

    name: str | None = Field(None, min_length=1, max_length=500)
    """Another name; the slug and the directory stay."""
    description: str | None = None
    """What it does."""
    status: Literal["active", "dormant", "archived"] | None = None
    """Whether it works."""
    philosophy: str | None = None
    """How it is managed."""
    risk_tolerance: Literal["cautious", "balanced", "aggressive"] | None = None
    """How much its agents may do without asking."""


@verb(
    "org.update",
    "write",
    for_=STAFF,
    touches=directed("org", "directed_organisation"),
    undo="exact",
    invariant=in_order,
    emits="organisation.updated",
    target="org",
    examples=[{"org": "Development", "description": "Builds hq"}],
)
async def update(tx: Tx, args: OrgUpdateArgs) -> OrgChanged:
    """Change what an organisation is called, what it does, or whether it works."""
    await lock(tx)
    org = await find_organisation(tx, args.org)
    said = {
        name: value
        for name in OrgUpdateArgs.model_fields
        if name != "org" and (value := getattr(args, name)) is not None
    }
    if not said:
        raise Refused.invalid("nothing to change; `hq org update --help` lists what can be")
    tx.target = org = await tx.change(org, said)
    return org_changed(org, status=org.props.status)


@verb(
    "org.archive",
    "write",
    for_=STAFF,
    gate="cross_scope",  # whether there is an organisation at all is the founder's to say, also where somebody directs one
    undo="exact",
    invariant=in_order,
    emits="organisation.archived",
    target="org",
    examples=[{"org": "Development"}],
)
async def archive(tx: Tx, args: OrganisationRefArgs) -> OrgChanged:
    """Put an organisation to rest; `hq org update --status active` brings it back."""
    await lock(tx)
    org = await find_organisation(tx, args.org)
    if org.props.status == "archived":
        raise Refused.conflict(f"{org.slug} is already archived")
    tx.target = org = await tx.move(org, to="archived")
    return org_changed(org, status=org.props.status)


class OrganisationHealth(Result):
    slug: str
    organisation_id: int
    name: str
    status: str
    positions: int
    filled: int
    vacant: int
    agents: int
    """Agents that sit in one of its seats and may work."""
    intent: str
    """Whether intent.md says what was recorded: recorded, or edited."""


@verb("org.status", "read", for_=EVERYONE, examples=[{"org": "Development"}], text="hq.org.yaml_text:answer")
async def status(tx: Tx, args: OrganisationRefArgs) -> OrganisationHealth:
    """How an organisation is: seats, filled and vacant, and the agents that work there."""
    org = await find_organisation(tx, args.org)
    chart = await load(tx, org)
    filled = sum(seat.holding is not None for seat in chart.seats.values())
    intent = await intent_of(tx, org)
    return OrganisationHealth.model_validate(
        {
            **{
                key: value for key, value in results.organisation(org).items() if key in OrganisationHealth.model_fields
            },
            "positions": len(chart.seats),
            "filled": filled,
            "vacant": len(chart.seats) - filled,
            "agents": sum(len(agents) for agents in (await working_in(tx, chart)).values()),
            "intent": "edited; `hq org intent sync` records it" if intent.edited else "recorded",
        }
    )


class OrganisationTree(Result):
    slug: str
    tree: str
    """Lines as they are drawn."""


@verb("org.tree", "read", for_=EVERYONE, examples=[{"org": "Development"}], text=".tree")
async def tree(tx: Tx, args: OrganisationRefArgs) -> OrganisationTree:
    """Draw an organisation: who reports to whom, who sits where, which seats are vacant."""
    org = await find_organisation(tx, args.org)
    return OrganisationTree(slug=org.slug, tree="\n".join(_drawn(await load(tx, org))))


def _drawn(chart: Chart) -> Iterator[str]:
    yield f"{chart.organisation.props.name} ({chart.organisation.props.purpose})"
    yield from _below(chart, [seat for seat in chart.seats.values() if seat.reports_to is None], "")


def _below(chart: Chart, seats: list[Seat], indent: str) -> Iterator[str]:
    for seat in seats:
        last = seat is seats[-1]
        holder = seat.holding.persona.props.name if seat.holding else "vacant"
        role = seat.role.props.name if seat.role else "no role"
        crossing = ", cross-cutting" if seat.position.props.is_cross_cutting else ""
        yield f"{indent}{'└── ' if last else '├── '}{seat.title} [{role}{crossing}]: {holder}"
        yield from _below(chart, chart.reports(seat), indent + ("    " if last else "│   "))


class OrgMeasureArgs(OrganisationRefArgs):
    """What is managed is worth how much."""

    value: float
    """In the currency of its seats' limits."""


@verb(
    "org.measure",
    "write",
    for_=STAFF,
    touches=Touch("org", "measured", agent="org", within="value"),
    undo="exact",
    invariant=in_order,
    emits="organisation.measured",
    target="org",
    examples=[{"org": "Development", "value": 12500}],
)
async def measure(tx: Tx, args: OrgMeasureArgs) -> OrgChanged:
    """Say what an organisation manages is worth; a seat whose hard stop lies above has to stop."""
    org = await find_organisation(tx, args.org)
    tx.target = org = await tx.change(org, {"value_under_management": args.value, "value_measured_at": tx.now})
    stopped = [
        seat.title
        for seat in (await load(tx, org)).seats.values()
        if (floor := seat.position.props.hard_stop_below) is not None and args.value < floor
    ]
    for title in stopped:
        tx.emit("position.stopped", organisation=org.slug, position=title, value=args.value)
    return org_changed(org, value=args.value, stopped=stopped)


async def all_charts(tx: Tx, org: str | None) -> list[Chart]:
    """One organisation's chart, or everybody's."""
    if org is not None:
        return [await load(tx, await find_organisation(tx, org))]
    return list((await every_seat(tx)).values())


class OrgSeatItem(results.SeatItem):
    """A seat, and whose it is."""

    organisation: str


def told_seat(chart: Chart, seat: Seat) -> OrgSeatItem:
    return {"organisation": chart.organisation.slug, **results.seat(chart, seat)}


VERBS = (create, list_, update, archive, status, tree, measure)
