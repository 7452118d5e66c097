"""The post of a message: to whom it goes, whether it may, and how it gets there.

It goes to the session in which the agent is at work, at its next turn, or to the one that waits, which is woken where it can be
spoken to; only where there is none one is opened, at the mission that the agent has in hand. A command beside no mission is work
of its own and always opens one. News (`fyi`) wake nobody and go along with whatever comes next.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Literal
from uuid import UUID

from hq.agents.loader import first_load
from hq.agents.wakeup import WakeChain, carried, chain_behind, too_many
from hq.database.queries import beside
from hq.door.tx import Tx
from hq.engine.sessions.trigger import SessionTrigger
from hq.errors import Refused
from hq.guard.loops import LoopLimits
from hq.ids import new_id
from hq.memory.discretion import founder_decides
from hq.messages import addresses
from hq.messages.addresses import FOUNDER, AgentAddress, To
from hq.messages.questions import NO_CHOICE, Choice, ask_founder, ask_in
from hq.messages.rows import JoinedSessionRow
from hq.org.agent import Agent
from hq.sessions.incidents import raise_once
from hq.sessions.session_host import INTERRUPT
from hq.sessions.session_start import working_agent

SQL = beside(__file__)
Kind = Literal["command", "report", "question", "answer", "interrupt", "escalation", "fyi"]
State = Literal["queued", "delivered", "read", "answered", "expired"]
Among = Literal["all", "missions", "this"]
"""Of an agent's sessions: all, those on missions, those on this one."""


@dataclass(frozen=True)
class Draft:
    kind: Kind
    text: str
    address: str
    hard: bool = False
    patience: timedelta | None = None
    """How long it may wait: then it goes further up, or is given up."""
    thread: UUID | None = None
    reply_to: UUID | None = None
    choice: Choice = NO_CHOICE
    """Of a question: the answers to choose from."""


@dataclass(frozen=True)
class Posted:
    id: UUID
    to: To
    state: State
    session: UUID | None = None
    held: str | None = None
    """Why it was not delivered at all."""


@dataclass(frozen=True)
class WorkHook:
    """What an agent has in hand, by a room above: which of it something said to the agent is about, and the session that is opened
    for that."""

    meant: Callable[[Tx, str, str], Awaitable[UUID | None]]
    open: Callable[[Tx, str, SessionTrigger], Awaitable[UUID]]


async def post(tx: Tx, draft: Draft) -> Posted:
    """To the one whom its address names."""
    me = await addresses.own_place(tx)
    if me is None and tx.caller.in_person and await addresses.place_of(tx, draft.address) is None:
        await first_load(tx)
    to = await addresses.one(tx, draft.address, me)
    if me and to.agent and draft.choice.options and founder_decides(tx, draft.choice.risk, tx.taint):
        to = To(founder=True)  # by the risk table nobody else decides it
    return await send_to(tx, draft, to, me)


async def send_to(tx: Tx, draft: Draft, to: To, me: AgentAddress | None) -> Posted:
    await _may(tx, to)
    chain = await chain_behind(tx)
    if to.agent and me and tx.use(LoopLimits).in_circles(chain.hops):
        agent, why = await tx.get(to.agent, Agent), too_many(me.agent, to.agent, chain.hops)
        await raise_once(tx, agent, "loop", f"ping-pong:{chain.root}", why)
        return Posted(new_id(), to, "expired", held=f"not delivered: {why}. The founder was told; end here")
    if to.founder:  # who is given all the time there is
        draft = replace(draft, patience=None)
    id = new_id()
    joins = await _joins(tx, draft, to)
    session = None if joins else await _wake(tx, draft, id, to, chain)
    state: State = "delivered" if session or to.founder else "queued"
    await write(tx, draft, id, to, state, session, chain)
    if to.founder and draft.kind == "question":
        await ask_founder(tx, id, draft.text, sender(tx), draft.choice)
    elif draft.choice.options and to.agent:
        await ask_in(tx, id, draft.text, sender(tx), draft.choice, await tx.get(to.agent, Agent))
    tx.emit("message.sent", message=str(id), kind=draft.kind, to=to.actor or draft.address, state=state)
    return Posted(id, to, state, session or joins)


async def write(
    tx: Tx,
    draft: Draft,
    id: UUID,
    to: To,
    state: State,
    session: UUID | None,
    chain: WakeChain,
    *,
    step: int | None = None,
    by: str | None = None,
) -> None:
    """`by` is who said it, where the house writes it down for them."""
    await tx.conn.execute(
        SQL["post"],
        {
            "id": id,
            "thread": draft.thread or id,
            "reply_to": draft.reply_to,
            "kind": draft.kind,
            "sender": by or sender(tx),
            "sender_session": tx.call.session_id,
            "address": draft.address,
            "recipient": to.actor,
            "seat": to.seat,
            "session": session,
            "step": step,
            "body": draft.text,
            "hard": draft.hard,
            "state": state,
            "deadline": tx.now + draft.patience if draft.patience else None,
            "patience": draft.patience,
            "hops": chain.hops,
            "root": chain.root,
            "taint": sorted(tx.taint),
            "now": tx.now,
        },
    )


def sender(tx: Tx) -> str:
    return tx.caller.speaks_as


async def _may(tx: Tx, to: To) -> None:
    """Whom one may write to at all, the verbs declare (`owners.py`)."""
    if to.founder and sender(tx) == FOUNDER:
        raise Refused.invalid("that would be a message to yourself")
    if to.agent is None:
        return
    if to.agent == tx.caller.agent_itself:
        raise Refused.invalid("an agent does not wake itself; make a task, or go on now")
    await _may_wake(tx, to)


async def _may_wake(tx: Tx, to: To) -> None:
    agent = await working_agent(tx, to.agent or "")
    if not agent.props.takes_messages:
        raise Refused.conflict(f"{agent.slug} takes no messages", hint="its agent.md says so: Founder inbox, off")
    tx.target = agent


async def _joins(tx: Tx, draft: Draft, to: To) -> UUID | None:
    """The session that reads it. Beside work on a mission a command joins nothing, and opens a session of its own."""
    if to.agent is None or draft.kind == "fyi":
        return None
    if draft.kind == "interrupt" and draft.hard:
        why = f"{INTERRUPT}{sender(tx)}: {draft.text}"[:500]
        for each in await tx.scalars(SQL["begun"], {"agent": to.agent}, of=UUID):
            await tx.conn.execute(SQL["halt"], {"id": each, "why": why, "now": tx.now})
    mission = await tx.use(WorkHook).meant(tx, to.agent, draft.text)
    return await join(tx, to.agent, mission, "missions" if draft.kind == "command" else "all")


async def join(tx: Tx, agent: str, mission: UUID | None, among: Among = "all") -> UUID | None:
    """The session of an agent that takes what is said to it, about a mission or not, if there is one."""
    about = {"agent": agent, "mission": str(mission) if mission else None, "among": among, "now": tx.now}
    found = await tx.one(SQL["join"], about, into=JoinedSessionRow)
    if found and found.woken:
        tx.emit("session.queued", session=str(found.id), agent=agent, trigger="dm")
        tx.queues_work = True
    return found.id if found else None


async def _wake(tx: Tx, draft: Draft, id: UUID, to: To, chain: WakeChain) -> UUID | None:
    """The session that is opened for a message, if one is."""
    if to.agent is None or draft.kind == "fyi":
        return None
    return await tx.use(WorkHook).open(tx, to.agent, trigger(draft.kind, draft.text, sender(tx), id, chain))


def trigger(kind: str, text: str, by: str, id: UUID, chain: WakeChain) -> SessionTrigger:
    return SessionTrigger(text=text, sender=by, kind=kind, message=str(id), **carried(chain))
