"""The noun agent: who works here, and talking to them."""

from __future__ import annotations

from hq.agents.closing import raise_once
from hq.agents.opening import open_session, working_agent
from hq.agents.types import Agent
from hq.door.nouns import nouns
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, Result, first, verb
from hq.guard.wakes import check_wake


class Send(Args):
    """To whom, and what."""

    agent: Ref = first()
    """Slug of the agent."""
    text: str = first(min_length=1, max_length=20_000)
    """What to tell it."""


class Woken(Result):
    session: str
    """The session that the message woke; `hq session show` follows it."""
    agent: str


@verb("agent.send", "write", emits="agent.woken", target="agent")
async def send(tx: Tx, args: Send) -> Woken:
    """Send an agent a message; it wakes and works on it."""
    agent = await working_agent(tx, args.agent)
    tx.target = agent
    if why := await check_wake(tx, agent.slug):
        await raise_once(tx, agent, "loop", f"wakes:{why}:{tx.now:%Y-%m-%dT%H}", f"{why}; more are refused")
    session = await open_session(tx, agent.slug, "dm", {"text": args.text, "from": tx.caller.actor})
    return Woken(session=str(session), agent=agent.slug)


VERBS = (*nouns(Agent), send)
