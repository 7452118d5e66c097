"""An organisation as it stands: its seats, their roles and lines, and who sits where. Now, or at any moment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated
from uuid import UUID

from hq.door.names import NamedNodeRow, Names, meant
from hq.door.tx import Tx
from hq.door.verb import Ref
from hq.errors import Refused
from hq.graph.records import Stored
from hq.graph.view import EdgeFilter, NodeFilter, View
from hq.org.checks import ChartSeat, same_title
from hq.org.types import Organisation, Persona, Position, PositionAssignment, Role
from hq.suggestion import did_you_mean

EVERY = 1_000_000
OrganisationRef = Annotated[Ref, Names(Organisation.type, always=True)]
"""An organisation by its slug, id, number or name."""


@dataclass(frozen=True)
class Holding:
    """A persona in a seat."""

    assignment: Stored[PositionAssignment]
    persona: Stored[Persona]
    seat: UUID


@dataclass(frozen=True)
class Seat:
    position: Stored[Position]
    role: Stored[Role] | None
    reports_to: UUID | None
    escalates_to: UUID | None
    holding: Holding | None

    @property
    def id(self) -> UUID:
        return self.position.id

    @property
    def title(self) -> str:
        return self.position.props.title

    @property
    def place(self) -> ChartSeat:
        props = self.position.props
        return ChartSeat(self.id, props.title, props.level, props.is_cross_cutting, self.reports_to, self.escalates_to)


@dataclass(frozen=True)
class Chart:
    organisation: Stored[Organisation]
    seats: dict[UUID, Seat]
    """In the order of their numbers."""
    roles: list[Stored[Role]]
    """The company's whole vocabulary."""

    @property
    def places(self) -> list[ChartSeat]:
        return [seat.place for seat in self.seats.values()]

    def title(self, seat: UUID | None) -> str | None:
        found = self.seats.get(seat) if seat else None
        return found.title if found else None

    def reports(self, seat: Seat) -> list[Seat]:
        return [each for each in self.seats.values() if each.reports_to == seat.id]

    def named(self, title: str) -> Seat:
        """A seat by its title, its slug or its number."""
        wanted = same_title(title)
        for seat in self.seats.values():
            if wanted == same_title(seat.title) or title in (seat.position.slug, str(seat.position.number)):
                return seat
        titles = [seat.title for seat in self.seats.values()]
        raise Refused.not_found(
            f"{self.organisation.props.name} has no seat {title!r}{did_you_mean(title, titles)}",
            hint=f"`hq org position list --org {self.organisation.slug}` shows its seats",
        )


async def lock(tx: Tx) -> None:
    """One change of the organisation at a time: what makes a chart valid spans many nodes."""
    await tx.conn.execute("select pg_advisory_xact_lock(hashtextextended('org:' || ops.tenant()::text, 0))")


async def organisations(view: View, *, removed: bool = False) -> list[Stored[Organisation]]:
    return _numbered(await view.find(NodeFilter(types=[Organisation.type], archived=removed, limit=EVERY)))


async def find_organisation(tx: Tx, ref: str | None) -> Stored[Organisation]:
    """By slug, id, number or name; a name that several have is not enough. Unsaid it is the only one there is."""
    known = await organisations(tx)
    if ref is None:
        if len(known) == 1:
            return known[0]
        raise Refused.invalid(
            "say which organisation with --org" if known else "there is no organisation yet; `hq org create` makes one"
        )
    wanted = ref.removeprefix(f"{Organisation.type}:")
    slug = meant(Organisation.type, wanted, [NamedNodeRow(org.slug, org.number, org.props.name) for org in known])
    if found := next((org for org in known if org.slug == slug or str(org.id) == wanted), None):
        return found
    near = did_you_mean(wanted, [word for org in known for word in (org.slug, org.props.name)])
    raise Refused.not_found(f"there is no organisation {ref!r}{near}", hint="`hq org list` shows what there is")


async def load(view: View, organisation: Stored[Organisation]) -> Chart:
    found = await view.find(
        NodeFilter(types=[Position.type], related=[EdgeFilter("in_organisation", organisation.id)], limit=EVERY)
    )
    vocabulary = await roles(view)
    return Chart(organisation, await _seats(view, found, vocabulary), vocabulary)


async def every_seat(view: View) -> dict[UUID, Chart]:
    """The charts of all organisations, by their ids."""
    found = await view.find(NodeFilter(types=[Position.type], limit=EVERY))
    homes = await view.targets([each.id for each in found], ["in_organisation"])
    vocabulary = await roles(view)
    seats = await _seats(view, found, vocabulary)
    return {
        org.id: Chart(
            org, {id: seat for id, seat in seats.items() if homes.get((id, "in_organisation")) == org.id}, vocabulary
        )
        for org in await organisations(view)
    }


async def _seats(view: View, positions: list[Stored[Position]], vocabulary: list[Stored[Role]]) -> dict[UUID, Seat]:
    lines = await view.targets([each.id for each in positions], ["has_role", "reports_to", "escalates_to"])
    roles_ = {role.id: role for role in vocabulary}
    held = {each.seat: each for each in await holdings(view)}
    here = {each.id for each in positions}
    made = {}
    for position in _numbered(positions):
        role, manager, escalation = (
            lines.get((position.id, edge)) for edge in ("has_role", "reports_to", "escalates_to")
        )
        made[position.id] = Seat(
            position,
            roles_.get(role) if role else None,
            manager if manager in here else None,
            escalation if escalation in here else None,
            held.get(position.id),
        )
    return made


async def roles(view: View, *, removed: bool = False) -> list[Stored[Role]]:
    return _numbered(await view.find(NodeFilter(types=[Role.type], archived=removed, limit=EVERY)))


async def personas(view: View, *, removed: bool = False) -> list[Stored[Persona]]:
    return _numbered(await view.find(NodeFilter(types=[Persona.type], archived=removed, limit=EVERY)))


async def holdings(view: View, *, ended: bool = False) -> list[Holding]:
    """Who sits where; with `ended` also who sat."""
    found = _numbered(
        await view.find(NodeFilter(types=[PositionAssignment.type], status=None if ended else "active", limit=EVERY))
    )
    ends = await view.targets([each.id for each in found], ["fills", "held_by"])
    people = {each.id: each for each in await personas(view, removed=True)} if found else {}
    return [
        Holding(each, people[ends[each.id, "held_by"]], ends[each.id, "fills"])
        for each in found
        if (each.id, "fills") in ends and ends.get((each.id, "held_by")) in people
    ]


def _numbered(nodes: list[Stored]) -> list[Stored]:
    return sorted(nodes, key=lambda node: (node.number or 0, node.slug))


async def find_role(tx: Tx, name: str) -> Stored[Role]:
    known = await roles(tx)
    slug = meant(Role.type, name, [NamedNodeRow(role.slug, role.number, role.props.name) for role in known])
    if found := next((role for role in known if role.slug == slug), None):
        return found
    raise Refused.not_found(
        f"there is no role {name!r}{did_you_mean(name, [role.props.name for role in known])}",
        hint="`hq org role list` shows what there is, `hq org role create` makes one",
    )


async def find_persona(tx: Tx, slug: str) -> Stored[Persona]:
    found = await tx.look_up(slug, Persona)
    if found is not None and (found.archived_at is None or tx.as_of):
        return found
    known = [persona.slug for persona in await personas(tx)]
    raise Refused.not_found(
        f"there is no persona {slug!r}{did_you_mean(slug, known)}", hint="`hq org persona list` shows who there is"
    )


async def find_position(tx: Tx, number: int) -> Stored[Position]:
    found = await tx.find(NodeFilter(types=[Position.type], number=number, limit=1))
    if not found:
        raise Refused.not_found(
            f"there is no seat with position_id {number}", hint="`hq org position list --org …` shows them"
        )
    return found[0]


async def find_seat(tx: Tx, number: int) -> tuple[Chart, Seat]:
    """A seat by its number, in its chart."""
    position = await find_position(tx, number)
    home = (await tx.targets([position.id], ["in_organisation"])).get((position.id, "in_organisation"))
    if home is None:
        raise Refused.conflict(f"{position.slug} is in no organisation")
    chart = await load(tx, await tx.get(home, Organisation))
    return chart, chart.seats[position.id]
