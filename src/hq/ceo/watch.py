"""The watch: what there is to notice, and writing it down once, with what the house itself knows of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import UUID

from hq.ceo.facts import FounderFacts, LeftMissionFacts, MissionFacts, ScheduleFacts
from hq.ceo.occurrence import Occurrence
from hq.ceo.rows import NoticedRow
from hq.ceo.triggers import BY_NAME
from hq.database.queries import beside
from hq.door.tx import Tx
from hq.missions.progress import rolled_up
from hq.sessions.workers.spawn import marks_of

SQL = beside(__file__)


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
    facts = BY_NAME[row.trigger].facts.model_validate(row.facts)
    return Occurrence(row.trigger, row.subject, row.n, row.severity, facts)


async def _known(tx: Tx, seen: Occurrence[Any]) -> Occurrence[Any]:
    """With the marks of what somebody else said in it; of a mission that came back also what it cost and what its
    evidence is: the system's own word, not the agent's."""
    match seen.facts:
        case ScheduleFacts(session=str(session)):
            return replace(seen, taint=await marks_of(tx, [UUID(session)]))
        case FounderFacts(taint=marks):
            return replace(seen, taint=frozenset(marks))
        case MissionFacts(id=id):
            return await _told_of(tx, seen, id)
        case _:
            return seen


async def _told_of(tx: Tx, seen: Occurrence[Any], id: str) -> Occurrence[Any]:
    with tx.looking():
        mission = await tx.get(id)
        found = await rolled_up(tx, id)
    report = {
        "tokens": found.tokens,
        "cached": found.cached,
        "cost_usd": found.cost_usd,
        "unpriced": found.unpriced,
        "estimated": found.estimated,
        "evidence": found.evidence,
        "parts": max(0, sum(found.states.values()) - 1),
    }
    if isinstance(seen.facts, LeftMissionFacts) and report["parts"]:
        report["progress"] = found.progress
    return replace(seen, facts=seen.facts.model_copy(update=report), taint=mission.taint)
