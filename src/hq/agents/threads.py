"""The founder's one thread with an agent: never begun anew, continued by every message, whatever restarts (001 §6.1)."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from hq.agents.opening import open_session, working_agent
from hq.database.queries import beside
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, Result, verb
from hq.errors import Refused
from hq.ids import new_id

SQL = beside(__file__)
SUPERVISOR = "chief"


class WithWhom(Args):
    """With whom."""

    agent: Ref = SUPERVISOR
    """The agent at the other end."""


class Say(WithWhom):
    """What to say, and to whom."""

    text: str = Field(min_length=1, max_length=20_000)
    """The message."""


class Thread(Result):
    session: str
    """The session that the thread is; `hq session tail` follows it."""
    agent: str
    state: str
    """What it was doing: queued, running, waiting, or new."""


@verb("thread.say", "write", hidden=True, emits="thread.said")
async def say(tx: Tx, args: Say) -> Thread:
    """Say something in the thread with an agent. It goes on where it was; only where there is none one is begun."""
    agent = await working_agent(tx, args.agent)
    name = _name(tx, agent.slug)
    if known := await tx.one(SQL["thread"], {"name": name}):
        was = await _told(tx, known, args.text)
        if was is not None:
            tx.emit("session.queued", session=str(known.id), agent=agent.slug, trigger="dm")
            return Thread(session=str(known.id), agent=agent.slug, state=was)
    session = await open_session(tx, agent.slug, "dm", {"text": args.text, "from": tx.caller.actor}, kind="thread")
    await tx.one(SQL["name_thread"], {"id": session, "name": name})
    return Thread(session=str(session), agent=agent.slug, state="new")


async def _told(tx: Tx, thread: Any, text: str) -> str | None:
    row = await tx.one(
        SQL["say_to_thread"],
        {
            "session": thread.id,
            "id": new_id(),
            "actor": tx.caller.actor,
            "body": text,
            "taint": sorted(tx.taint),
            "now": tx.now,
        },
    )
    return row.was


@verb("thread.show", "read", hidden=True, past=False)
async def show(tx: Tx, args: WithWhom) -> Thread:
    """The thread with an agent: which session it is and what it is doing."""
    known = await tx.one(SQL["thread"], {"name": _name(tx, args.agent)})
    if known is None:
        raise Refused.not_found(f"there is no thread with {args.agent} yet; say something first")
    return Thread(session=str(known.id), agent=known.agent, state=known.state)


def _name(tx: Tx, agent: str) -> str:
    """The founder is the same person on every device."""
    return f"thread:{'founder' if tx.caller.human else tx.caller.actor}:{agent}"


VERBS = (say, show)
