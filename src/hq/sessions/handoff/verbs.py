"""`hq agent handoff`: asked for by hand, by an agent or by a phrase; the document, the successor, and how it can fail."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from datetime import timedelta
from typing import Any
from uuid import UUID

from pydantic import Field

from hq.database.queries import beside
from hq.door.access import FOUNDER, HOUSE, SESSION, STAFF, Touch, within_organisation
from hq.door.nouns import nouns
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, Result, first, verb
from hq.engine.sessions.life import OVER
from hq.engine.sessions.lookup import ask_to_stop, summary
from hq.engine.sessions.trigger import SessionTrigger
from hq.errors import Refused
from hq.graph.records import Stored
from hq.graph.store import NewLink
from hq.ids import new_id, parse_id
from hq.org.agent import Agent
from hq.org.content import company
from hq.org.files import OrgFiles
from hq.org.types import Handoff
from hq.sessions.handoff import document
from hq.sessions.handoff.document import HandoffDocument
from hq.sessions.handoff.rows import FullnessRow, HandingRow, HandoffStateRow, OpenHandoffRow
from hq.sessions.session_start import known_agent, open_session

SQL = beside(__file__)
ELIGIBLE = 0.8
LIMIT = timedelta(minutes=5)
"""For the document, and again for the successor to begin."""


class AgentHandoffArgs(Args):
    """Who hands off, and why."""

    agent: Ref = first()
    """Slug of the agent."""
    reason: str = Field("by hand", min_length=1, max_length=200)
    """Why, for the record."""
    context: str | None = Field(None, max_length=4000)
    """What the document has to say in any case."""
    to: Ref | None = None
    """Another agent as successor; left out, a fresh session of its own."""
    session: str | None = Field(None, max_length=60)
    """Which of its sessions; left out, the one it works on."""
    force: bool = False
    """Also while its context is less than 80 % full; for people."""


class HandedOff(Result):
    handoff: str
    """`hq handoff show` follows it."""
    agent: str
    session: str
    """The session that hands off. It stays alive."""
    context_used: float


@verb(
    "agent.handoff",
    "write",
    for_=STAFF,
    touches=(Touch("agent", "agent", agent="led"), within_organisation("to")),
    args_for={"force": FOUNDER},
    speaks=True,
    emits="handoff.requested",
    target="agent",
    examples=[{"agent": "chief", "reason": "context"}],
    text="{agent} hands off; `hq handoff show {handoff}` follows it",
)
async def hand_off(tx: Tx, args: AgentHandoffArgs) -> HandedOff:
    """Have an agent hand its work on: it writes a document, a successor begins with it, and it lives on itself."""
    agent = await known_agent(tx, args.agent)
    rows = await tx.rows(
        SQL["handing"], {"agent": agent.slug, "id": parse_id(args.session) if args.session else None}, into=HandingRow
    )
    if not rows:
        raise Refused.conflict(f"{agent.slug} is not at work on anything it could hand off")
    return await request(tx, agent, rows[0], args)


async def request(tx: Tx, agent: Stored[Agent], session: Any, args: AgentHandoffArgs) -> HandedOff:
    await tx.conn.execute(SQL["one_at_a_time"], {"session": str(session.id)})
    if known := await open_handoff(tx, session.id):
        raise Refused.conflict(f"it hands off already: {known.slug}", hint=f"`hq handoff show {known.slug}` follows it")
    full = (await fullness(tx, [session.id])).get(session.id, 0.0)
    if full < ELIGIBLE and not args.force:
        raise Refused.conflict(
            f"the context of {agent.slug} is {full:.0%} full; a handoff is for {ELIGIBLE:.0%} and more",
            hint="--force hands off all the same",
        )
    successor = await known_agent(tx, args.to) if args.to else agent
    handoff = await tx.create(
        Handoff(
            reason=args.reason,
            context=args.context,
            context_used=min(full, 1.0),
            requested_at=tx.now,
            due_at=tx.now + LIMIT,
            from_session=str(session.id),
        ),
        links=[NewLink("handed_over_by", agent), NewLink("handed_over_to", successor)],
    )
    await tx.conn.execute(
        SQL["tell"],
        {
            "id": new_id(),
            "sender": tx.caller.actor,
            "sender_session": tx.call.session_id,
            "handoff": handoff.slug,
            "agent": agent.slug,
            "session": session.id,
            "body": document.asked(args.context),
            "taint": sorted(tx.taint),
            "now": tx.now,
        },
    )
    tx.target = handoff
    return HandedOff(handoff=handoff.slug, agent=agent.slug, session=str(session.id), context_used=round(full, 3))


async def open_handoff(tx: Tx, session: UUID) -> OpenHandoffRow | None:
    """The one in which a session hands off."""
    return await tx.one(SQL["open_of"], {"session": str(session)}, into=OpenHandoffRow)


async def by_phrase(tx: Tx, agent: Stored[Agent]) -> HandedOff | None:
    """A person says it in words. Where there is nothing to hand off, it is something to talk about instead."""
    rows = await tx.rows(SQL["handing"], {"agent": agent.slug, "id": None}, into=HandingRow)
    if not rows or await open_handoff(tx, rows[0].id):
        return None
    return await request(
        tx, agent, rows[0], AgentHandoffArgs.model_validate({"agent": agent.slug, "reason": "voice", "force": True})
    )


async def fullness(tx: Tx, sessions: list[UUID]) -> dict[UUID, float]:
    """How full each session's context has been: one that was summed up since has lost what it knew, not regained it."""
    rows = await tx.rows(SQL["fullness"], {"ids": sessions}, into=FullnessRow) if sessions else []
    return {row.session_id: float(row.share or 0) for row in rows}


class HandoffWriteArgs(Args):
    """The document."""

    handoff: Ref = first()
    """Which handoff."""
    current_work: str = Field(min_length=1, max_length=document.LONGEST)
    """What is being worked on."""
    progress: str = Field("", max_length=document.LONGEST)
    """How far it has come."""
    key_decisions: str = Field("", max_length=document.LONGEST)
    """What was decided and why."""
    blockers: str = Field("", max_length=document.LONGEST)
    """What stands in the way."""
    files_modified: list[str] = Field(default_factory=list, max_length=200)
    """Files that were changed."""
    next_steps: str = Field("", max_length=document.LONGEST)
    """What is to be done next."""


class Progress(Result):
    handoff: str
    status: str
    successor: str | None = None
    """The session that takes over."""


@verb(
    "handoff.write",
    "write",
    for_=("session",),
    touches=Touch("handoff", "handoff", ceo="own", operator="own"),
    internal=True,
    emits="handoff.written",
    while_frozen=SESSION,
)
async def write(tx: Tx, args: HandoffWriteArgs) -> Progress:
    """The predecessor's document: kept, written to a file, and given to the successor."""
    handoff = await tx.get(args.handoff, Handoff)
    if handoff.status != "requested" or handoff.props.current_work:
        return _progress(handoff)
    written = HandoffDocument(**args.model_dump(exclude={"handoff"}))
    return _progress(await _keep(tx, handoff, written, "file"))


async def _keep(tx: Tx, handoff: Stored[Handoff], written: HandoffDocument, via: str) -> Stored[Handoff]:
    """Both ways to completion come here: the document is there, and the successor begins with it."""
    ends = await tx.targets([handoff.id], ["handed_over_by", "handed_over_to"])
    agent = await tx.get(ends[handoff.id, "handed_over_by"], Agent)
    persona = (await tx.targets([agent.id], ["embodies"])).get((agent.id, "embodies"))
    where = document.path((await tx.get(persona)).slug if persona else None, agent.slug, tx.now)
    text, home, files = written.as_markdown(agent.slug, handoff.props.reason), await company(tx), tx.use(OrgFiles)
    tx.on_committed.append(lambda: asyncio.to_thread(files.write, home, where, text))
    handoff = await tx.change(handoff, {**asdict(written), "document_path": where, "completed_via": via})
    return await _begin(tx, handoff)


async def _begin(tx: Tx, handoff: Stored[Handoff]) -> Stored[Handoff]:
    """The successor's session, as soon as it may work."""
    ends = await tx.targets([handoff.id], ["handed_over_by", "handed_over_to"])
    successor = await tx.get(ends[handoff.id, "handed_over_to"], Agent)
    if successor.props.status != "active":
        return handoff
    before = await tx.get(ends[handoff.id, "handed_over_by"], Agent)
    props = handoff.props
    told = HandoffDocument(
        props.current_work or "",
        props.progress or "",
        props.key_decisions or "",
        props.blockers or "",
        props.files_modified,
        props.next_steps or "",
    )
    text = (
        f"You continue the work of {before.slug} (session {props.from_session}), which is still there to be asked. "
        f"Its handoff document, also in {props.document_path}:\n\n{told.as_markdown(before.slug, props.reason)}"
    )
    trigger = SessionTrigger(
        text=text,
        sender=f"agent:{before.slug}",
        kind="handoff",
        handoff=handoff.slug,
        summary=f"handoff: {props.current_work}"[:200],
    )
    session = await open_session(tx, successor.slug, "dm", trigger)
    return await tx.change(handoff, {"to_session": str(session), "due_at": (tx.now + LIMIT).isoformat()})


class HandoffTendArgs(Args):
    """Which handoff."""

    handoff: Ref
    """Its slug."""


@verb("handoff.tend", "write", for_=HOUSE, internal=True, while_frozen=HOUSE)
async def tend(tx: Tx, args: HandoffTendArgs) -> Progress:
    """Look how a handoff stands: complete it, make up for a predecessor that is gone, or give it up in time."""
    handoff = await tx.get(args.handoff, Handoff)
    if handoff.status != "requested":
        return _progress(handoff)
    props = handoff.props
    await tx.conn.execute(SQL["one_at_a_time"], {"session": props.from_session})
    to = parse_id(props.to_session) if props.to_session else None
    now = await tx.the_one(
        SQL["standing"], {"from": parse_id(props.from_session or ""), "to": to}, into=HandoffStateRow
    )
    late = props.due_at is not None and props.due_at <= tx.now
    if now.begun:
        done = await tx.move(handoff, to="completed", completed_at=tx.now)
        tx.emit("handoff.completed", handoff=handoff.slug, session=props.to_session, via=props.completed_via)
        return _progress(done)
    if to and (late or now.to_state in OVER):
        await ask_to_stop(tx, to, "it did not begin in time")
        return await _give_up(tx, handoff, "the successor did not start")
    if not props.current_work and now.from_state in OVER:
        said = now.memo or now.said or now.closed_as or ""
        left = document.left(now.trigger.text or summary(now.trigger_kind, now.trigger), said)
        return _progress(await _keep(tx, handoff, left, "stop_hook"))
    if late:
        why = "the successor may not work" if props.current_work else "the document was not written in time"
        return await _give_up(tx, handoff, why)
    if props.current_work and not to:
        return _progress(await _begin(tx, handoff))
    return _progress(handoff)


async def _give_up(tx: Tx, handoff: Stored[Handoff], why: str) -> Progress:
    failed = await tx.move(handoff, to="failed", error=why)
    tx.emit("handoff.failed", handoff=handoff.slug, error=why)
    return _progress(failed)


def _progress(handoff: Stored[Handoff]) -> Progress:
    return Progress(handoff=handoff.slug, status=handoff.props.status, successor=handoff.props.to_session)


VERBS = (hand_off, write, tend, *nouns(Handoff, for_=STAFF, without=("create", "update", "archive", "restore")))
