"""The founder's one thread with an agent: never begun anew, continued by every message, whatever restarts (001 §6.1)."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from hq.agents.ceo import ceo
from hq.agents.handoff.handing import by_phrase
from hq.agents.handoff.phrases import asks_for_handoff
from hq.agents.hearing import tell_session
from hq.agents.opening import open_session, working_agent
from hq.database.queries import beside
from hq.door.access import STAFF
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, Result, verb
from hq.errors import Refused
from hq.ids import new_id

SQL = beside(__file__)


class WithWhom(Args):
    """With whom."""

    agent: Ref | None = None
    """The agent at the other end; the CEO unless said otherwise."""


class Say(WithWhom):
    """What to say, and to whom."""

    text: str = Field(min_length=1, max_length=20_000)
    """The message."""


class Thread(Result):
    id: str
    """The message itself."""
    session: str
    """The session that the thread is; `hq session tail` follows it."""
    agent: str
    state: str
    """What it was doing: queued, running, waiting, or new."""
    handoff: str | None = None
    """The handoff that was asked for in words; `hq handoff show` follows it."""


@verb("thread.say", "write", for_=STAFF, hidden=True, emits="thread.said")
async def say(tx: Tx, args: Say) -> Thread:
    """Say something in the thread with an agent. It goes on where it was; only where there is none one is begun."""
    return await speak(tx, args.agent or await ceo(tx), args.text)


async def speak(tx: Tx, to: str, text: str, run: dict[str, Any] | None = None) -> Thread:
    """`run` says that somebody waits for what comes of it: its number, and how long it may take."""
    agent = await working_agent(tx, to)
    if tx.caller.human and not run and asks_for_handoff(text) and (handed := await by_phrase(tx, agent)):
        return Thread(
            id=handed.session, session=handed.session, agent=agent.slug, state="handing off", handoff=handed.handoff
        )
    name = thread_name(tx, agent.slug)
    if known := await tx.one(SQL["thread"], {"name": name}):
        id = new_id()
        was = await tell_session(tx, known.id, text, id=id, run=run)
        if was is not None:
            tx.emit("session.queued", session=str(known.id), agent=agent.slug, trigger="dm")
            return Thread(id=str(id), session=str(known.id), agent=agent.slug, state=was)
    trigger = {"text": text, "from": tx.caller.actor} | ({"runs": [run]} if run else {})
    session = await open_session(tx, agent.slug, "dm", trigger, kind="thread")
    await tx.one(SQL["name_thread"], {"id": session, "name": name})
    return Thread(id=str(session), session=str(session), agent=agent.slug, state="new")


@verb("thread.show", "read", for_=STAFF, hidden=True, past=False)
async def show(tx: Tx, args: WithWhom) -> Thread:
    """The thread with an agent: which session it is and what it is doing."""
    agent = args.agent or await ceo(tx)
    known = await tx.one(SQL["thread"], {"name": thread_name(tx, agent)})
    if known is None:
        raise Refused.not_found(f"there is no thread with {agent} yet; say something first")
    return Thread(id=str(known.id), session=str(known.id), agent=known.agent, state=known.state)


def thread_name(tx: Tx, agent: str) -> str:
    """The founder is the same person on every device, and what an agent calls its own thread is the one with the founder."""
    founders = tx.caller.human or tx.caller.actor == f"agent:{agent}"
    return f"thread:{'founder' if founders else tx.caller.actor}:{agent}"


VERBS = (say, show)
