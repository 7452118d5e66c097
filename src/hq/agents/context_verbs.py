"""`hq context show`: the whole prompt of an agent as its mind gets it, part by part, with what each costs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Literal

from pydantic import Field

from hq.agents.configuration import configured
from hq.agents.files.folder import AgentFiles
from hq.agents.rows import EmployedRow
from hq.context.assembly import mission_of
from hq.context.company_now import block, now_sections
from hq.context.reconstruction import reconstruction_sections
from hq.database.queries import beside
from hq.door.access import STAFF, Touch
from hq.door.actor import FOUNDER
from hq.door.caller import shares
from hq.door.toolset import Tool, tool_of
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, Result, first, verb
from hq.engine.sessions.journal import JournalStep, steps_of
from hq.engine.sessions.leases import Claimed
from hq.engine.sessions.lookup import SessionRow, found
from hq.engine.sessions.trigger import SessionTrigger
from hq.errors import Refused
from hq.graph.records import Stored
from hq.ids import new_id
from hq.minds.tokens import estimate
from hq.org.agent import Agent
from hq.org.prompt import PlaceRow, identity_sections, place_of
from hq.sessions.config import AgentConfig

SQL = beside(__file__)
Part = Literal["system", "tools", "history", "now"]


class ContextShowArgs(Args):
    """Whose prompt."""

    agent: Ref = first()
    """Slug of the agent."""
    session: str | None = Field(None, max_length=60)
    """A session of it; left out, its conversation with the founder, or else a session that would begin now."""
    about: str | None = Field(None, max_length=2000)
    """What is talked about; what the company knows of it comes along."""


class ContextSection(Result):
    part: Part
    """Where it stands: tools and system are kept by the provider, the history grows, and what is so now comes last."""
    name: str
    tokens: int
    """About how many."""
    text: str


class ContextShown(Result):
    agent: str
    tokens: int
    """About how many in all, tools included."""
    parts: dict[str, int]
    """The same, part by part."""
    sections: list[ContextSection]
    reaches: list[str]
    """Every tool it may call, shown or not."""
    text: str
    """The whole, as the mind gets it; of tools the names, descriptions and sizes."""
    model: str | None = None
    """Its own model; nothing means the company's."""
    problem: str | None = None
    """What is wrong with its files: these are the last ones that could be read."""


@verb(
    "context.show",
    "read",
    for_=STAFF,
    touches=Touch("agent", "agent", agent="led"),
    past=False,
    examples=[{"agent": "chief"}],
    text="hq.agents.context_text:shown",
)
async def show(tx: Tx, args: ContextShowArgs) -> ContextShown:
    """The whole prompt of an agent as its mind gets it: system, tools, history and summaries, company now; each with its tokens."""
    # A model's library is a second of CPU that only whoever really asks should pay.
    from hq.sessions.mind_call import SENTINEL
    from hq.sessions.tool_offer import tool_offer

    agent = await tx.get(args.agent, Agent)
    row = await _session(tx, agent, args.session)
    trigger = row.trigger if row else SessionTrigger()
    known = await tx.the_one(SQL["employed"], {"agent": agent.slug}, into=EmployedRow)
    own = await configured(tx.use(AgentFiles), tx.door.registry, agent.slug, known)
    config = own.config
    place = await place_of(tx, agent)
    told = [*own.told, ("end", SENTINEL), *await identity_sections(tx, agent, place)]
    sections = [_section("system", name, text) for name, text in told]
    offer = tool_offer(tx.door, _held(tx, agent, config, row, trigger), config, await shares(tx))
    sections += [_tool(tool) for tool in offer.shown]
    sections += await _history(tx, agent, place, row)
    now = await now_sections(tx, agent, place, mission=mission_of(trigger), about=args.about or trigger.text)
    sections += [_section("now", name, text) for name, text in now]
    text = "\n\n".join([*(each.text for each in sections if each.part != "now"), block(now)])
    reaches = sorted(tool_of(tx.door.registry.get(name)) for name in offer.reach)
    shown = _summed(agent.slug, sections, text, reaches)
    return shown.model_copy(update={"model": config.model, "problem": own.problem})


def shown_whole(agent: str, told: Sequence[tuple[Part, str, str]]) -> ContextShown:
    """A prompt without tools, from its parts in their order: each with where it stands, its name and its text."""
    sections = [_section(part, name, text) for part, name, text in told]
    return _summed(agent, sections, "\n\n".join(each.text for each in sections), [])


def _summed(agent: str, sections: list[ContextSection], text: str, reaches: list[str]) -> ContextShown:
    parts: dict[str, int] = {}
    for each in sections:
        parts[each.part] = parts.get(each.part, 0) + each.tokens
    return ContextShown(
        agent=agent, tokens=sum(parts.values()), parts=parts, sections=sections, reaches=reaches, text=text
    )


def _section(part: Part, name: str, text: str) -> ContextSection:
    return ContextSection(part=part, name=name, tokens=estimate(text), text=text)


def _tool(tool: Tool) -> ContextSection:
    told = json.dumps({"name": tool.name, "description": tool.description, "input_schema": tool.schema})
    return ContextSection(part="tools", name=tool.name, tokens=estimate(told), text=f"{tool.name}: {tool.description}")


async def _session(tx: Tx, agent: Stored[Agent], ref: str | None) -> Any:
    if ref is None:
        ref = await tx.scalar(SQL["founders_thread"], {"name": f"thread:{FOUNDER}:{agent.slug}"}, of=str)
    row = await found(tx, ref) if ref else None
    if row is not None and row.agent != agent.slug:
        raise Refused.not_found(
            f"{ref} is no session of {agent.slug}", hint=f"`hq session list --agent {agent.slug}` shows them"
        )
    return row


def _held(tx: Tx, agent: Stored[Agent], config: AgentConfig, row: Any, trigger: SessionTrigger) -> Claimed:
    """The session as whoever works on it holds it; nobody does here."""
    return Claimed(
        tenant_id=tx.caller.tenant_id,
        id=row.id if row else new_id(),
        kind=row.kind if row else "agent",
        agent=agent.slug,
        actor=f"agent:{agent.slug}",
        principal_id=row.principal_id if row else tx.caller.principal_id,
        parent_id=None,
        task_id=row.task_id if row else new_id(),
        trigger_kind=row.trigger_kind if row else "dm",
        trigger=trigger,
        tries=0,
        stop=None,
        taint=frozenset(),
        scopes=frozenset(config.scopes),
        forked_from=None,
        forked_at=None,
        created_at=tx.now,
        urgency=2,
        place=0,
        step=0,
        holder="",
        token="",
    )


async def _history(tx: Tx, agent: Stored[Agent], place: PlaceRow, row: SessionRow | None) -> list[ContextSection]:
    steps = await _steps(tx, row)
    if not steps:
        told = await reconstruction_sections(tx, agent, place, row and row.as_opened)
        return [_section("history", name, text) for name, text in told]
    return [_section("history", name, text) for name, text in _messages(steps)]


async def _steps(tx: Tx, row: SessionRow | None) -> list[JournalStep]:
    steps = await steps_of(tx, row.id) if row else []
    tx.taint |= {mark for each in steps for mark in each.payload.taint}
    return steps


def _messages(steps: Sequence[JournalStep]) -> Iterator[tuple[str, str]]:
    """Message by message, word for word as they are sent; what was summed up stands there as its summary."""
    from hq.sessions.message_words import sent_texts
    from hq.sessions.transcript import Transcript

    for number, message in enumerate(Transcript.of(steps).next_messages(), 1):
        yield f"{number} {'asked' if message.kind == 'request' else 'answered'}", "\n".join(sent_texts(message))


VERBS = (show,)
