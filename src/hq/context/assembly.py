"""The context of a session, told to the agent when it opens: who it is, what it remembers, what is open, what woke it
(002 §13.4)."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any
from uuid import UUID

from pydantic import Field

from hq.asks.faces import draw
from hq.asks.kinds import NO, YES
from hq.asks.open_asks import waiting
from hq.context.letter import HOW_TO_ANSWER
from hq.context.rows import LastClosedRow, SaidBeforeRow
from hq.database.queries import beside
from hq.door.access import STAFF, Touch
from hq.door.actor import FOUNDER, HOUSE_ACTOR, principal_of
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, Result, first, verb
from hq.engine.sessions.lookup import found, summary
from hq.engine.sessions.trigger import SessionTrigger
from hq.graph.records import Stored
from hq.graph.view import EdgeFilter, NodeFilter
from hq.json_types import JsonObject
from hq.memory.confidence import company_memory
from hq.minds.prompt_data import enclosed, indented, one_line, quoted
from hq.minds.tokens import estimate
from hq.org.agent import Agent
from hq.org.prompt import organisation_section

SQL = beside(__file__)
MEMORIES, SALIENT, RECENT = 40, 0.3, timedelta(days=30)
ANEW = ("organisation", "company", "memories", "tasks", "proposals", "asks")
LINES, LINE = 100, 2_000
"""How much of a conversation before its present session is told at most: lines, and characters of each."""
LONGEST = 20_000  # characters of one thing that came in with the trigger


class ContextShowArgs(Args):
    """Whose context."""

    agent: Ref = first()
    """Slug of the agent."""
    session: str | None = Field(None, max_length=60)
    """The session it opens with; left out, what a new one would be told now."""
    about: str | None = Field(None, max_length=2000)
    """What is talked about; what the company knows of it comes along."""


class ContextSection(Result):
    name: str
    tokens: int
    """About how many."""
    text: str


class ContextShown(Result):
    agent: str
    tokens: int
    sections: list[ContextSection]
    text: str
    """The whole, as the mind gets it."""
    refreshed: str
    """What a conversation is told anew with every message: how things stand, without what it has heard already."""


@verb(
    "context.show",
    "read",
    for_=STAFF,
    touches=Touch("agent", "agent", agent="led"),
    past=False,
    examples=[{"agent": "chief"}],
)
async def show(tx: Tx, args: ContextShowArgs) -> ContextShown:
    """What an agent would be told if a session opened now, section by section with its tokens."""
    agent = await tx.get(args.agent, Agent)
    sections = [
        ContextSection(name=name, tokens=estimate(text), text=text) for name, text in await assemble(tx, agent, args)
    ]
    text = "\n\n".join(section.text for section in sections)
    anew = "\n\n".join(section.text for section in sections if section.name in ANEW)
    return ContextShown(agent=agent.slug, tokens=estimate(text), sections=sections, text=text, refreshed=anew)


async def assemble(tx: Tx, agent: Stored[Agent], args: ContextShowArgs) -> list[tuple[str, str]]:
    session = await found(tx, args.session) if args.session else None
    last = await tx.one(
        SQL["last_closed"], {"agent": agent.slug, "except": session.id if session else UUID(int=0)}, into=LastClosedRow
    )
    place = await organisation_section(tx, agent)
    known = await company_memory(tx, args.about or (session.trigger.get("text") if session else None))
    return [
        ("header", _header(agent, last)),
        *([("organisation", place)] if place else []),
        *([("company", f"## What the company knows\n{known}")] if known else []),
        ("memories", "## Recent memory entries\n" + await _memories(tx, agent)),
        ("handover", "## Last handover memo\n" + await _memo(tx, agent)),
        ("tasks", "## Currently open tasks where you are the driver\n" + await _tasks(tx, agent)),
        ("proposals", "## Open proposals you emitted still pending\n" + await _proposals(tx, agent)),
        *([("asks", asked)] if (asked := await _asks(tx, agent)) else []),
        *([("conversation", said)] if session and (said := await _said_before(tx, session)) else []),
        ("trigger", "---\n" + _trigger(session)),
    ]


async def _said_before(tx: Tx, session: Any) -> str:
    """What was said in a conversation whose last session is over: it is still the same one."""
    lines: list[str] = []
    for row in await tx.rows(SQL["said_before"], {"id": session.id, "limit": LINES}, into=SaidBeforeRow):
        text = (row.text or "").strip()
        if text:
            lines.append(f"{_speaker(row)}: {indented(text[:LINE])}")
        if row.who == "summary" or sum(map(len, lines)) > LONGEST:
            break
    return "## What was said before in this conversation\n" + "\n".join(reversed(lines)) if lines else ""


def _speaker(row: SaidBeforeRow) -> str:
    """People are one; anybody else is called by name."""
    if row.who != "them":
        return row.who
    names = (FOUNDER if principal_of(each)[0] == "founder" else each for each in row.senders or [None])
    return ", ".join(dict.fromkeys(str(each) for each in names if each != HOUSE_ACTOR))


def _header(agent: Stored[Agent], last: Any) -> str:
    before = (
        f"starting a fresh session after the previous one closed with reason: {quoted(last.closed_as or 'none given')}."
        if last
        else "starting your first session."
    )
    return f"# Session context reconstruction\nYou are agent:{agent.slug} {before}"


async def _memories(tx: Tx, agent: Stored[Agent]) -> str:
    wanted = NodeFilter(
        types=["memory_entry"],
        status="active",
        related=[EdgeFilter("remembered_by", agent.id)],
        since=tx.now - RECENT,
        limit=200,
    )
    with tx.looking():
        rows = await tx.find(wanted)
    salient = sorted((r for r in rows if r.props.salience >= SALIENT), key=lambda r: -r.props.salience)[:MEMORIES]
    tx.taint |= {mark for r in salient for mark in r.taint}
    return _lines(f"[{r.props.kind}] {r.props.body_md}" for r in salient)


async def _memo(tx: Tx, agent: Stored[Agent]) -> str:
    rows = await tx.find(
        NodeFilter(types=["agent_handover_memo"], related=[EdgeFilter("authored_by", agent.id)], limit=1)
    )
    return enclosed("memo", rows[0].props.body_md) if rows else "(none)"


async def _tasks(tx: Tx, agent: Stored[Agent]) -> str:
    rows = await tx.find(
        NodeFilter(types=["task"], status="in_progress", related=[EdgeFilter("driven_by", agent.id)], limit=30)
    )
    return _lines(f"{r.slug}: {quoted(r.title)}" for r in rows)


async def _proposals(tx: Tx, agent: Stored[Agent]) -> str:
    rows = await tx.find(NodeFilter(types=["proposal"], status="pending", producer=tx.caller.producer_id, limit=30))
    return _lines(f"{r.slug}: {quoted(r.title)}" for r in rows)


async def _asks(tx: Tx, agent: Stored[Agent]) -> str:
    """For who talks with the founder: what waits for their word."""
    asks = [draw(tx, each) for each in await waiting(tx, "founder")] if agent.props.kind == "ceo" else []
    if not asks:
        return ""
    tx.taint |= {mark for each in asks for mark in each["taint"]}
    return (
        "## What waits for the founder's word\nWhat the founder says in the conversation may be the answer to a question of "
        "these: then give it with hq_ask, action answer, message last. A permission only the founder gives, by a plain yes, a "
        "button or `hq ask answer`; never say that one was given. What you asked yourself and no longer need you take back with "
        "hq_ask, action withdraw.\n"
        + _lines(
            [
                *(_ask_line(each) for each in asks[:20]),
                *([f"and {len(asks) - 20} more: hq_ask, action list"] if asks[20:] else []),
            ]
        )
    )


def _ask_line(ask: JsonObject) -> str:
    """What is asked, who may answer it, and the ways to."""
    ways = [f"{each['key']} = {quoted(each['label'])}" for each in ask["options"]]
    if ask["takes_text"]:
        ways.append("or in words")
    if not ask["permission"]:
        sort = "a question"
    elif {each["key"] for each in ask["options"]} <= {YES, NO}:
        sort = "a permission"
    else:
        sort = "a choice that acts, so only the founder makes it"
    by = f", asked by {ask['from']}" if ask.get("from") else ""
    return f"{ask['slug']}: {quoted(ask['title'])} ({sort}{by}; {'; '.join(ways)})"


def _trigger(session: Any) -> str:
    if session is None:
        return "Current trigger: (none yet)\nProceed."
    trigger = SessionTrigger.model_validate(session.trigger)
    dm = session.trigger_kind == "dm"
    told = _letter(trigger) if dm else one_line(summary(session.trigger_kind, session.trigger))
    lines = [f"Current trigger: {told}"]
    if trigger.text:
        lines.append(enclosed("message", trigger.text[:LONGEST]))
    lines += [f"- {one_line(_event_line(event))}"[:LONGEST] for event in trigger.events]
    lines.append("Proceed. For older context, search your memory and the graph.")
    return "\n".join(lines)


def _event_line(event: JsonObject) -> str:
    """What happened, in words: who is in trouble by name, of everything else what the event says."""
    topic, payload = event.get("topic"), event.get("payload") or {}
    if topic == "agent_incident.created" and payload.get("summary"):
        who = payload.get("agent") or "the house"
        return f"{who} is in trouble ({payload.get('kind')}): {quoted(payload['summary'])}. It is incident {payload.get('slug')}."
    return f"{topic}: " + ", ".join(f"{name} {_value(value)}" for name, value in payload.items())


def _value(value: Any) -> str:
    """A word or a number as it is; what could be taken for more of the event, in quotes."""
    text = str(value)
    return text if re.fullmatch(r"[\w.:@/+-]*", text) else quoted(text)


def _letter(trigger: SessionTrigger) -> str:
    kind = trigger.kind or "message"
    how = HOW_TO_ANSWER.get(kind)
    named = f" (message {trigger.message})" if trigger.message else ""
    return f"a {kind} from {trigger.sender or 'somebody'}{named}{f'. {how}' if how else ''}"


def _lines(items: Any) -> str:
    return "\n".join(f"- {one_line(item)}" for item in items) or "(none)"


VERBS = (show,)
