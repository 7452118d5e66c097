"""Addresses of messages: an agent, a persona, a seat, a role, whoever is above, or a group (seed 003 §2.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeVar
from uuid import UUID

from hq.database.queries import beside
from hq.door.names import slug_of
from hq.door.tx import Tx
from hq.errors import Refused
from hq.graph.view import NodeFilter
from hq.messages.rows import AgentPlaceRow, PersonaSeatRow, RosterAgentRow, SeatRow
from hq.org.agent import Agent
from hq.org.types import Organisation
from hq.suggestion import did_you_mean

SQL = beside(__file__)
Placed = TypeVar("Placed", SeatRow, RosterAgentRow)
FOUNDER = "founder"
ANY = {"ids": None, "name": None, "role": None, "organisation": None, "under": None}
Line = Literal["reports_to", "escalates_to"]


@dataclass(frozen=True)
class AgentAddress:
    """An agent and where it is in the company."""

    agent: str
    kind: str | None = None
    seat: UUID | None = None
    organisation: UUID | None = None

    @property
    def kept_to(self) -> UUID | None:
        """The organisation it keeps to; the CEO and the operator serve them all, wherever they sit."""
        return None if self.serves_all else self.organisation

    @property
    def serves_all(self) -> bool:
        return self.kind in ("ceo", "operator")


@dataclass(frozen=True)
class To:
    """Who gets it: an agent, the founder, or whoever comes to sit in a seat."""

    agent: str | None = None
    seat: UUID | None = None
    founder: bool = False
    organisation: UUID | None = None

    @property
    def actor(self) -> str | None:
        return FOUNDER if self.founder else f"agent:{self.agent}" if self.agent else None


async def place_of(tx: Tx, agent: str) -> AgentAddress | None:
    row = await tx.one(SQL["place"], {"agent": agent}, into=AgentPlaceRow)
    return AgentAddress(row.slug, row.kind, row.seat, row.organisation) if row else None


async def own_place(tx: Tx) -> AgentAddress | None:
    """Where the one is for whom it is written, a worker's agent too; people have no place."""
    return await place_of(tx, tx.caller.agent) if tx.caller.agent else None


async def one(tx: Tx, address: str, me: AgentAddress | None) -> To:
    """The one an address names."""
    if address.startswith("@"):
        raise Refused.invalid(f"{address} is a group; `hq agent broadcast {address} …` writes to all of it")
    kind, colon, name = address.partition(":")
    match kind if colon else address:
        case "founder" if not colon:
            return To(founder=True)
        case "manager" if not colon:
            return await _manager(tx, me)
        case "escalation" if not colon:
            return await above(tx, me.seat if me else None, "escalates_to") or await _top(tx, me)
        case "agent":
            return await _agent(tx, await slug_of(tx, Agent.type, name) or name) or _unknown(await _known(tx, address))
        case "persona":
            return await _persona(tx, name) or _unknown(f"there is no persona {name!r} with an agent or a seat")
        case "position":
            return await _seat(tx, me, name=name) or _unknown(f"there is no seat {name!r}")
        case "role":
            return await _seat(tx, me, role=name) or _unknown(f"no seat asks for the role {name!r}")
        case _:
            return (
                await _agent(tx, address)
                or await _persona(tx, address)
                or await _seat(tx, me, name=address)
                or await _seat(tx, me, role=address)
                or await _agent(tx, await slug_of(tx, Agent.type, address) or "")
                or _unknown(await _known(tx, address))
            )


async def group(tx: Tx, name: str, me: AgentAddress | None) -> list[To]:
    """Everybody of a group but the one who writes."""
    agents = [
        row for row in await tx.rows(SQL["agents"], {"agent": None}, into=RosterAgentRow) if row.status == "active"
    ]
    word = name.removeprefix("@")
    match word:
        case "all":
            found = agents if me is None or me.kept_to is None else _of(agents, me.kept_to)
        case "projects":
            found = [row for row in agents if row.props.kind == "project"]
        case "reports" | "team":
            seats = await _near(tx, me, word)
            found = [row for row in agents if row.seat in seats]
        case _:
            home = await slug_of(tx, Organisation.type, word)
            found = [row for row in agents if home and row.organisation_slug == home]
            found = found or await _with_role(tx, agents, word)
    others = [row for row in found if me is None or row.slug != me.agent]
    if not others:
        raise Refused.not_found(
            f"nobody else is in {name!r}", hint="groups: @all, @team, @reports, @projects, @<organisation>, @<role>"
        )
    return [To(row.slug, row.seat, organisation=row.organisation) for row in others]


async def _near(tx: Tx, me: AgentAddress | None, word: str) -> set[UUID]:
    """The seats below one's own, or beside it."""
    if me is None or me.seat is None:
        raise Refused.invalid(f"@{word} is for whoever sits in a seat; name a group such as @all")
    under = me.seat if word == "reports" else await _manager_seat(tx, me.seat)
    return {row.id for row in await tx.rows(SQL["seats"], {**ANY, "under": under}, into=SeatRow)} if under else set()


async def above(tx: Tx, seat: UUID | None, line: Line) -> To | None:
    """The first on the line upward who may work now, past empty seats."""
    if seat is None:
        return None
    ids = await tx.scalars(SQL["line"], {"seat": seat, "line": line}, of=UUID)
    rows = {row.id: row for row in await tx.rows(SQL["seats"], {**ANY, "ids": ids}, into=SeatRow)} if ids else {}
    return next((_to(rows[id]) for id in ids if id in rows and rows[id].status == "active"), None)


async def _manager(tx: Tx, me: AgentAddress | None) -> To:
    """Whoever one reports to; an empty seat keeps the mail until somebody sits there."""
    if me is None or me.seat is None:
        return await _top(tx, me)
    seat = await _manager_seat(tx, me.seat)
    if seat is None:
        return To(founder=True)
    return _to((await tx.rows(SQL["seats"], {**ANY, "ids": [seat]}, into=SeatRow))[0])


async def _manager_seat(tx: Tx, seat: UUID) -> UUID | None:
    return await tx.scalar(SQL["line"], {"seat": seat, "line": "reports_to"}, of=UUID)


async def _top(tx: Tx, me: AgentAddress | None) -> To:
    """Nobody is above: for the CEO and for people that is the founder; others without a seat have the CEO."""
    if me is None or me.seat is not None or me.kind in ("ceo", "operator"):
        return To(founder=True)
    ceos = await tx.find(NodeFilter(types=[Agent.type], status="active", limit=200))
    chief = next((each for each in ceos if each.props.kind == "ceo" and each.slug != me.agent), None)
    return To(chief.slug) if chief else To(founder=True)


async def _agent(tx: Tx, slug: str) -> To | None:
    place = await place_of(tx, slug)
    return To(place.agent, place.seat, organisation=place.organisation) if place else None


async def _persona(tx: Tx, slug: str) -> To | None:
    row = await tx.one(SQL["personas"], {"persona": slug}, into=PersonaSeatRow)
    if row is None:
        return None
    if row.agent:
        return await _agent(tx, row.agent)
    if row.seat:
        return _to((await tx.rows(SQL["seats"], {**ANY, "ids": [row.seat]}, into=SeatRow))[0])
    return None


async def _seat(tx: Tx, me: AgentAddress | None, **by: str) -> To | None:
    """In one's own organisation; people and those who are in none may mean any."""
    rows = await tx.rows(SQL["seats"], {**ANY, **by, "organisation": me.kept_to if me else None}, into=SeatRow)
    homes = {row.organisation for row in rows}
    if len(homes) > 1:
        raise Refused.invalid(f"several organisations have {next(iter(by.values()))!r}; name the agent")
    return _to(rows[0]) if rows else None


def _to(row: SeatRow) -> To:
    return To(row.agent if row.status == "active" else None, row.id, organisation=row.organisation)


def _of(rows: list[Placed], organisation: UUID) -> list[Placed]:
    return [row for row in rows if row.organisation == organisation]


async def _with_role(tx: Tx, agents: list[RosterAgentRow], role: str) -> list[RosterAgentRow]:
    seats = {row.id for row in await tx.rows(SQL["seats"], {**ANY, "role": role}, into=SeatRow)}
    return [row for row in agents if row.seat in seats]


def _unknown(message: str) -> To:
    raise Refused.not_found(
        message,
        hint="`hq agent roster` shows who works here; a seat, a role, `manager`, `escalation` and `founder` do too",
    )


async def _known(tx: Tx, address: str) -> str:
    known = [row.slug for row in await tx.rows(SQL["agents"], {"agent": None}, into=RosterAgentRow)]
    return f"there is no agent {address.removeprefix('agent:')!r}{did_you_mean(address, known)}"
