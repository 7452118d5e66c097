"""Triggers, and what they noticed: an occurrence of one, written down once (004, trigger types; the rules are in
functions.sql)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Generic
from uuid import UUID

from hq.ceo.facts import FACTS, F, FounderFacts, MissionFacts, ScheduleFacts
from hq.ceo.quiet_hours import Severity
from hq.ceo.rows import NoticedRow
from hq.database.queries import beside
from hq.door.tx import Tx
from hq.json_types import JsonObject
from hq.missions.progress import rolled_up
from hq.sessions.workers.spawn import SQL as SESSIONS

SQL = beside(__file__)


@dataclass(frozen=True)
class Occurrence(Generic[F]):
    trigger: str
    subject: str
    n: int
    severity: Severity
    facts: F
    taint: frozenset[str] = frozenset()
    """Where words in the facts came from, if from outside."""

    @property
    def key(self) -> str:
        return f"{self.trigger}:{self.subject}:{self.n}"

    def as_json(self) -> JsonObject:
        facts = self.facts.as_json()
        return {"trigger": self.trigger, "severity": self.severity, "key": self.key, "facts": facts}


async def look(tx: Tx) -> list[Occurrence[Any]]:
    """What there is, without writing anything down."""
    rows = [
        *await tx.rows(SQL["unhandled"], into=NoticedRow),
        *await tx.rows(SQL["noticed"], {"now": tx.now}, into=NoticedRow),
    ]
    return [await _known(tx, _occurrence(row)) for row in rows]


async def keep(tx: Tx) -> list[Occurrence[Any]]:
    """Write down what is new, and take everything that nobody is acting on."""
    await tx.conn.execute(SQL["one_tick"])
    await tx.conn.execute(SQL["keep_occurrences"], {"now": tx.now})
    return [
        await _known(tx, _occurrence(row))
        for row in await tx.rows(SQL["take_occurrences"], {"now": tx.now}, into=NoticedRow)
    ]


def _occurrence(row: NoticedRow) -> Occurrence[Any]:
    return Occurrence(row.trigger, row.subject, row.n, row.severity, FACTS[row.trigger].model_validate(row.facts))


async def _known(tx: Tx, seen: Occurrence[Any]) -> Occurrence[Any]:
    """With the marks of what somebody else said in it; of a mission that came back also what it cost and what its
    evidence is: the system's own word, not the agent's."""
    match seen.facts:
        case ScheduleFacts(session=str(session)):
            marks = await tx.scalars(SESSIONS["marks"], {"ids": [UUID(session)]}, of=str)
            return replace(seen, taint=frozenset(marks))
        case FounderFacts(taint=marks):
            return replace(seen, taint=frozenset(marks))
        case MissionFacts(id=id):
            return await _told_of(tx, seen, id)
        case _:
            return seen


async def _told_of(tx: Tx, seen: Occurrence[Any], id: str) -> Occurrence[Any]:
    with tx.looking():
        mission = await tx.get(id)
        if seen.trigger == "mission_left":
            return replace(seen, taint=mission.taint)
        found = await rolled_up(tx, id)
    report = {
        "tokens": found.tokens,
        "cost_usd": found.cost_usd,
        "unpriced": found.unpriced,
        "evidence": found.evidence,
        "parts": max(0, sum(found.states.values()) - 1),
    }
    return replace(seen, facts=seen.facts.model_copy(update=report), taint=mission.taint)
