"""The reconstruction of a session, told when it opens: what the agent remembers, what was left to it, what woke it (002 §13.4).

It is the first message of the conversation and stays there; what woke it, until that is summed up. What is so only now is told
elsewhere, and what is empty is not told at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import timedelta
from typing import Any
from uuid import UUID

from hq.context.inbound_format import HOW_TO_ANSWER
from hq.context.rows import SaidBeforeRow, SessionBeforeRow
from hq.database.queries import beside
from hq.door.actor import FOUNDER, HOUSE_ACTOR, principal_of
from hq.door.tx import Tx
from hq.engine.sessions.lookup import OpenedSession, summary
from hq.engine.sessions.trigger import SessionTrigger, TriggerEvent
from hq.graph.records import Stored
from hq.graph.view import EdgeFilter, NodeFilter
from hq.minds.prompt_data import enclosed, indented, one_line, quoted
from hq.minds.tokens import estimate
from hq.org.agent import Agent
from hq.org.decisions import CHANGED
from hq.org.prompt import PlaceRow, experience_section

SQL = beside(__file__)
MEMORIES, SALIENT, RECENT = 40, 0.3, timedelta(days=30)
LASTING = 0.8
"""What matters this much is told however old it is."""
REMEMBERED, AUTHORED, DRIVEN = "remembered_by", "authored_by", "driven_by"
"""What leads to an agent from its memories, its memos and its tasks."""
NOTES = 1_200
"""Tokens of them at most."""
LINES, LINE = 100, 2_000
"""How much of a conversation before its present session is told at most: lines, and characters of each."""
HEADING, WOKEN_BY = "# Session context reconstruction", "---\nCurrent trigger: "
LONGEST = 20_000  # characters of one thing that came in with the trigger
Sections = list[tuple[str, str]]


async def reconstruction_sections(
    tx: Tx, agent: Stored[Agent], place: PlaceRow, session: OpenedSession | None = None
) -> Sections:
    """Each part with its name; of a session that is not begun yet, as it would be now."""
    links = (REMEMBERED, AUTHORED, DRIVEN)
    values = {
        "agent": agent.slug,
        "id": agent.id,
        "except": session.id if session else UUID(int=0),
        "links": list(links),
    }
    before = await tx.the_one(SQL["before"], values, into=SessionBeforeRow)
    found = [
        ("header", _header(agent, before)),
        ("experience", await experience_section(tx, place)),
        (
            "memories",
            _titled("Recent memory entries", await _memories(tx, agent) if REMEMBERED in before.links else ""),
        ),
        ("handover", _titled("Last handover memo", await _memo(tx, agent) if AUTHORED in before.links else "")),
        (
            "tasks",
            _titled(
                "Currently open tasks where you are the driver",
                await _tasks(tx, agent) if DRIVEN in before.links else "",
            ),
        ),
        ("conversation", await _said_before(tx, session) if session and session.kind == "thread" else ""),
        ("trigger", _trigger(session)),
    ]
    return [(name, text) for name, text in found if text]


def parted(opening: str) -> tuple[str, str]:
    """What a session began with, as what was known then and what woke it."""
    known, mark, woken_by = opening.partition(f"\n\n{WOKEN_BY}")
    return (known, f"{WOKEN_BY}{woken_by}" if mark else "") if opening.startswith(HEADING) else ("", opening)


def _titled(title: str, text: str) -> str:
    return f"## {title}\n{text}" if text else ""


async def _said_before(tx: Tx, session: OpenedSession) -> str:
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


def _header(agent: Stored[Agent], before: SessionBeforeRow) -> str:
    if before.over is None:
        begins = "starting your first session."
    elif before.over:
        closed = quoted(before.closed_as or "none given")
        begins = f"starting a fresh session after the previous one closed with reason: {closed}."
    else:
        begins = "starting a session beside one that is under way."
    return f"{HEADING}\nYou are agent:{agent.slug} {begins}"


async def _memories(tx: Tx, agent: Stored[Agent]) -> str:
    wanted = NodeFilter(
        types=["memory_entry"],
        status="active",
        related=[EdgeFilter(REMEMBERED, agent.id)],
        limit=200,
    )
    with tx.looking():
        rows = await tx.find(wanted)
    recent = tx.now - RECENT
    told = [r for r in rows if r.props.salience >= (SALIENT if r.created_at >= recent else LASTING)]
    room, lines = NOTES, list[str]()
    for each in sorted(told, key=lambda r: -r.props.salience)[:MEMORIES]:
        line = f"[{each.props.kind}] {each.props.body_md}"
        if (room := room - estimate(line)) < 0:
            break
        lines.append(line)
        tx.taint |= each.taint
    return _lines(lines)


async def _memo(tx: Tx, agent: Stored[Agent]) -> str:
    rows = await tx.find(NodeFilter(types=["agent_handover_memo"], related=[EdgeFilter(AUTHORED, agent.id)], limit=1))
    return enclosed("memo", rows[0].props.body_md) if rows else ""


async def _tasks(tx: Tx, agent: Stored[Agent]) -> str:
    rows = await tx.find(
        NodeFilter(types=["task"], status="in_progress", related=[EdgeFilter(DRIVEN, agent.id)], limit=30)
    )
    return _lines(f"{r.slug}: {quoted(r.title)}" for r in rows)


def _trigger(session: OpenedSession | None) -> str:
    if session is None:
        return ""
    trigger = session.trigger
    dm = session.trigger_kind == "dm"
    if dm and not (trigger.text or trigger.sender or trigger.events):
        return ""  # a conversation that a card began: nobody has said anything
    told = _letter(trigger) if dm else one_line(summary(session.trigger_kind, trigger))
    lines = [f"{WOKEN_BY}{told}"]
    if trigger.text:
        lines.append(enclosed("message", trigger.text[:LONGEST]))
    lines += [f"- {one_line(_event_line(event))}"[:LONGEST] for event in trigger.events]
    lines.append("Proceed.")
    return "\n".join(lines)


def _event_line(event: TriggerEvent) -> str:
    """What happened, in words: who is in trouble by name, of everything else what the event says."""
    topic, payload = event["topic"], event["payload"]
    if topic == "agent_incident.created" and payload.get("summary"):
        who = payload.get("agent") or "the house"
        return f"{who} is in trouble ({payload.get('kind')}): {quoted(payload['summary'])}. It is incident {payload.get('slug')}."
    if topic == "approval.requested" and str(payload.get("verb")).partition(".")[0] in CHANGED:
        return (
            f"{payload.get('actor')} would change the organisation: {payload.get('slug')} ({payload.get('verb')}). Whether it is made "
            "is your decision: see `org_proposals`, then `org_decide` yes or no, with a note where it helps."
        )
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


def _lines(items: Iterable[str]) -> str:
    return "\n".join(f"- {one_line(item)}" for item in items)
