"""Upkeep of an agent's memory (002 §13.5): decayed entries are put away, the pool is kept small, MEMORY.md is written
anew.

No model is asked. It can be run again at any time: a second time there is nothing left to do.
"""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta

from hq.agents.files.folder import CAPS, MEMORY, AgentFiles
from hq.agents.files.markdown import bullets
from hq.agents.rows import AgentCompanyRow
from hq.agents.session_start import known_agent
from hq.agents.types import Agent, ReasoningTrace
from hq.database.queries import beside
from hq.door.access import STAFF, Touch
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, Result, first, verb
from hq.graph.records import Stored
from hq.graph.view import EdgeFilter, NodeFilter
from hq.memory.types import MemoryEntry
from hq.minds.tokens import estimate

SQL = beside(__file__)
POOL = 200
MANY = 2_000


class MemoryTendArgs(Args):
    """Whose memory."""

    agent: Ref = first()
    """Slug of the agent."""


class Tended(Result):
    agent: str
    archived: int
    """Entries that were put away."""
    promoted: int
    """Lines of MEMORY.md that became entries."""
    active: int
    """Entries that are left."""


@verb(
    "memory.tend",
    "write",
    for_=STAFF,
    touches=Touch("agent", "agent", agent="led"),
    emits="memory.tended",
    target="agent",
    examples=[{"agent": "chief"}],
)
async def tend(tx: Tx, args: MemoryTendArgs) -> Tended:
    """Put an agent's decayed memories away, keep the 200 that matter most, and write its MEMORY.md from the best."""
    tx.target = agent = await known_agent(tx, args.agent)
    await tx.conn.execute("select pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"tend {agent.id}"])
    company, files = (await tx.the_one(SQL["company"], into=AgentCompanyRow)).slug, tx.use(AgentFiles)
    entries = await _entries(tx, agent)
    promoted = await _promote(tx, agent, entries, await asyncio.to_thread(files.memory, company, agent.slug))
    alive = [entry for entry in entries if entry.archived_at is None and entry.status == "active"] + promoted
    kept = sorted((entry for entry in alive if not decayed(entry, tx.now)), key=_worth)[:POOL]
    for entry in alive:
        if entry not in kept:
            await tx.archive(entry)
    await asyncio.to_thread(files.write_memory, company, agent.slug, written(agent.slug, kept))
    return Tended(agent=agent.slug, archived=len(alive) - len(kept), promoted=len(promoted), active=len(kept))


async def _entries(tx: Tx, agent: Stored[Agent]) -> list[Stored[MemoryEntry]]:
    """All of them, also those put away: a line that says what one of those said is not news."""
    mine = [EdgeFilter("remembered_by", agent.id)]
    return await tx.find(NodeFilter(types=[MemoryEntry.type], related=mine, archived=True, limit=MANY))


async def _promote(
    tx: Tx, agent: Stored[Agent], entries: list[Stored[MemoryEntry]], text: str
) -> list[Stored[MemoryEntry]]:
    """What somebody wrote into MEMORY.md by hand is remembered properly before the file is written anew."""
    known = {" ".join(entry.props.body_md.split()) for entry in entries}
    lines = [" ".join(said.split()) for said in bullets(text)]
    news = [line for line in dict.fromkeys(map(plain, lines)) if line and len(line) <= 500 and line not in known]
    if not news:
        return []
    trace = await tx.create(ReasoningTrace(purpose=f"read from {MEMORY}", called_at=tx.now))
    made = []
    for line in news:
        entry = await tx.create(MemoryEntry(kind="fact", body_md=line, last_validated_at=tx.now))
        await tx.link(entry, "remembered_by", agent)
        await tx.link(entry, "validated_by", trace)
        made.append(entry)
    return made


def decayed(entry: Stored[MemoryEntry], now: datetime) -> bool:
    days = entry.props.decay_after_days
    seen = entry.props.last_validated_at or entry.created_at
    return days is not None and seen < now - timedelta(days=days)


def _worth(entry: Stored[MemoryEntry]) -> tuple[float, float, str]:
    seen = entry.props.last_validated_at or entry.created_at
    return (-entry.props.salience, -seen.timestamp(), str(entry.id))


def written(agent: str, kept: list[Stored[MemoryEntry]]) -> str:
    """The file: the best that fit into what it may have."""
    text = f"# Memory\n\nWritten from what {agent} remembers; a copy, not the source.\n"
    for entry in kept:
        line = f"- [{entry.props.kind}] {' '.join(entry.props.body_md.split())}\n"
        if estimate(text + line) > CAPS[MEMORY]:
            break
        text += ("\n" if text.endswith("source.\n") else "") + line
    return text if kept else text + "Nothing yet.\n"


def plain(line: str) -> str:
    """A line as it was remembered, without the kind in front."""
    return line.partition("] ")[2] if line.startswith("[") and "] " in line else line


VERBS = (tend,)
