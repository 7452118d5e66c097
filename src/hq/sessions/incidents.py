"""Incidents, where something went wrong with an agent or a session: raised once, as a node somebody can answer."""

from __future__ import annotations

from typing import Literal
from uuid import UUID

from pydantic import Field

from hq.database.queries import beside
from hq.door.access import HOUSE, SESSION, STAFF, Touch
from hq.door.nouns import nouns
from hq.door.results import Row, row
from hq.door.tx import Tx
from hq.door.verb import Args, verb
from hq.engine.sessions.lookup import found
from hq.graph.records import Stored
from hq.org.agent import Agent
from hq.sessions.types import AgentIncident

SQL = beside(__file__)
Kind = Literal[
    "loop", "budget", "stop_integrity", "error_rate", "crash", "activity_timeout", "heartbeat", "memory_pool"
]


class IncidentRaiseArgs(Args):
    """What went wrong."""

    session: str | None = Field(None, max_length=60)
    """In which session."""
    agent: str | None = Field(None, max_length=200)
    """To which agent, where it is not about one session."""
    kind: Kind
    """What was found."""
    summary: str = Field(min_length=1, max_length=300)
    """What happened, in one line."""
    once: str | None = Field(None, max_length=200)
    """A name for this occurrence: raised again under it, nothing is added."""


class IncidentRaised(Row):
    """What went wrong, and with whom: whoever is woken by it is told so."""

    agent: str | None = None
    kind: Kind
    summary: str


@verb(
    "incident.raise",
    "write",
    progress=False,
    for_=SESSION,
    touches=Touch("session", "session", ceo="own", operator="own", optional=True),
    args_for={"agent": HOUSE},
    internal=True,
    emits="agent_incident.created",
    while_frozen=SESSION,
)
async def raise_(tx: Tx, args: IncidentRaiseArgs) -> IncidentRaised:
    """Raise what went wrong with a session, once."""
    session = await found(tx, args.session) if args.session else None
    agent = await tx.look_up(session.agent if session else args.agent or "", Agent)
    if args.once:
        incident = await raise_once(tx, agent, args.kind, args.once, args.summary)
    else:
        incident = await _incident(tx, agent, args.kind, args.summary, f"session {args.session}", "stopped")
    tx.target = incident
    about = {"agent": agent.slug if agent else None, "kind": args.kind, "summary": args.summary}
    return IncidentRaised.model_validate({**row(incident).model_dump(), **about})


async def raise_once(tx: Tx, agent: Stored[Agent] | None, kind: Kind, once: str, summary: str) -> Stored[AgentIncident]:
    """One incident per occurrence, however often it is seen."""
    known = await tx.scalar(SQL["raised"], {"once": once}, of=UUID)
    if known is not None:
        return await tx.get(known, AgentIncident)
    return await _incident(tx, agent, kind, summary, once, None, external=("watchdog", once))


async def _incident(
    tx: Tx,
    agent: Stored[Agent] | None,
    kind: Kind,
    summary: str,
    detail: str,
    taken: Literal["stopped"] | None,
    external: tuple[str, str] | None = None,
) -> Stored[AgentIncident]:
    incident = await tx.create(
        AgentIncident(
            kind=kind,
            severity="medium" if taken else "soft",
            summary=summary[:300],
            action_taken=taken,
            detail_md=detail,
            detected_at=tx.now,
        ),
        external=external,
    )
    if agent is not None:
        await tx.link(incident, "about", agent)
    return incident


VERBS = (raise_, *nouns(AgentIncident, for_=STAFF, without=("create", "archive", "restore")))
