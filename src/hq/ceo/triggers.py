"""Triggers, and what they noticed: an occurrence of one, written down once (004, trigger types; the rules are in
functions.sql)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from hq.agents.workers.spawn import SQL as SESSIONS
from hq.ceo.quiet_hours import Severity
from hq.ceo.rows import NoticedRow
from hq.database.queries import beside
from hq.door.tx import Tx
from hq.missions.progress import rolled_up

SQL = beside(__file__)


@dataclass(frozen=True)
class Occurrence:
    trigger: str
    subject: str
    n: int
    severity: Severity
    facts: dict[str, Any]
    taint: frozenset[str] = frozenset()
    """Where words in the facts came from, if from outside."""

    @property
    def key(self) -> str:
        return f"{self.trigger}:{self.subject}:{self.n}"

    def as_dict(self) -> dict[str, Any]:
        return {"trigger": self.trigger, "severity": self.severity, "key": self.key, "facts": self.facts}


async def look(tx: Tx) -> list[Occurrence]:
    """What there is, without writing anything down."""
    rows = [
        *await tx.rows(SQL["unhandled"], into=NoticedRow),
        *await tx.rows(SQL["noticed"], {"now": tx.now}, into=NoticedRow),
    ]
    return [await _known(tx, _occurrence(row)) for row in rows]


async def keep(tx: Tx) -> list[Occurrence]:
    """Write down what is new, and take everything that nobody is acting on."""
    await tx.conn.execute(SQL["one_tick"])
    await tx.conn.execute(SQL["keep_occurrences"], {"now": tx.now})
    return [
        await _known(tx, _occurrence(row))
        for row in await tx.rows(SQL["take_occurrences"], {"now": tx.now}, into=NoticedRow)
    ]


def _occurrence(row: NoticedRow) -> Occurrence:
    return Occurrence(row.trigger, row.subject, row.n, row.severity, row.facts)


async def _known(tx: Tx, seen: Occurrence) -> Occurrence:
    """With the marks of what somebody else said in it; of a mission that came back also what it cost and what its
    evidence is: the system's own word, not the agent's."""
    if seen.trigger == "schedule_done" and "session" in seen.facts:
        marks = await tx.scalars(SESSIONS["marks"], {"ids": [UUID(seen.facts["session"])]}, of=str)
        return replace(seen, taint=frozenset(marks))
    if seen.trigger in ("founder_asked", "founder_written"):
        return replace(seen, taint=frozenset(seen.facts["taint"]))
    if seen.trigger not in ("task_done", "mission_left"):
        return seen
    with tx.looking():
        mission = await tx.get(seen.facts["id"])
        if seen.trigger == "mission_left":
            return replace(seen, taint=mission.taint)
        found = await rolled_up(tx, seen.facts["id"])
    report = {
        "tokens": found.tokens,
        "cost_usd": found.cost_usd,
        "unpriced": found.unpriced,
        "evidence": found.evidence,
        "parts": max(0, sum(found.states.values()) - 1),
    }
    return replace(seen, facts=seen.facts | report, taint=mission.taint)
