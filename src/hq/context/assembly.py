"""The assembly of what a session is told: who it is, what it begins with, and how things stand now."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from uuid import UUID

from pydantic import Field

from hq.asks.founder_words import said_lately
from hq.context.company_now import block, now_sections
from hq.context.reconstruction import reconstruction_sections
from hq.database.queries import beside
from hq.door.access import SESSION, Touch
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, Result, first, verb
from hq.engine.sessions.lookup import opened
from hq.engine.sessions.trigger import SessionTrigger
from hq.graph.records import Stored
from hq.ids import parse_id
from hq.minds.prompt_data import one_line
from hq.org.agent import Agent
from hq.org.prompt import identity_sections, place_of

SQL = beside(__file__)
LATELY, LINES, LINE = timedelta(hours=2), 4, 400


class ContextTellArgs(Args):
    """Whose session, and what of it."""

    agent: Ref = first()
    """Slug of the agent."""
    session: str = Field(max_length=60)
    """The session that is told."""
    begins: bool = False
    """Whether it opens: then also what it begins with."""
    about: str | None = Field(None, max_length=2000)
    """What is talked about; what the company knows of it comes along."""


class ContextTold(Result):
    system: str
    """Who the agent is; it goes with its files into the part that stays."""
    opening: str | None = None
    """What the session begins with."""
    now: str
    """How things stand."""


@verb("context.tell", "read", for_=SESSION, touches=Touch("agent", "agent", agent="led"), past=False, internal=True)
async def tell(tx: Tx, args: ContextTellArgs) -> ContextTold:
    """What a session is told."""
    await tx.conn.execute(SQL["plan_once"])
    agent = await tx.get(args.agent, Agent)
    session = await opened(tx, args.session)
    place = await place_of(tx, agent)
    trigger = session.trigger
    opening = joined(await reconstruction_sections(tx, agent, place, session)) if args.begins else None
    about = args.about or trigger.about or trigger.text
    now = await now_sections(tx, agent, place, mission=mission_of(trigger), about=about)
    if agent.props.kind == "ceo" and session.kind != "thread":
        now += await _said_elsewhere(tx, agent)
    return ContextTold(system=joined(await identity_sections(tx, agent, place)), opening=opening, now=block(now))


async def _said_elsewhere(tx: Tx, agent: Stored[Agent]) -> list[tuple[str, str]]:
    """What the founder says to the CEO in the conversation answers many a question that is put to it beside that."""
    said = await said_lately(tx, agent.slug, LATELY, LINES)
    tx.taint |= {mark for each in said for mark in each.taint}
    lines = [f"- {each.at:%H:%M}: {one_line(each.body[:LINE])}" for each in said]
    return [("said", "\n".join(["The founder said to you in the conversation, lately:", *lines]))] if lines else []


def joined(sections: Iterable[tuple[str, str]]) -> str:
    return "\n\n".join(text for _, text in sections)


def mission_of(trigger: SessionTrigger) -> UUID | None:
    return parse_id(trigger.mission) if trigger.mission else None


VERBS = (tell,)
