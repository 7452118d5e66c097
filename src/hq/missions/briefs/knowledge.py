"""Knowledge, steps 3, 4 and 5 of a brief: what the company knows, what the founder prefers, what was done before; each
with why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hq.door.tx import Tx
from hq.graph.records import Stored
from hq.graph.search.finder import search
from hq.graph.search.query import SearchQuery
from hq.graph.search.service import Embedders
from hq.graph.view import NodeFilter
from hq.memory.confidence import bears_on
from hq.memory.types import OrgMemory
from hq.missions.types import Mission

MEMORIES, PREFERENCES, PRIOR = 8, 5, 3
LIKE = 0.6
"""How well a finished mission must fit to be told: what has a few words in common with it scores up to 0.46, what is like it from
0.8 on. None is better than one that has nothing to do with it."""
STANDING = 3
"""Preferences that go along even where no word of them fits: they are about how, not about what."""


@dataclass(frozen=True)
class Chosen:
    """Something that goes into a brief, and why it was chosen."""

    slug: str
    text: str
    why: str
    score: float | None = None

    def told(self) -> dict[str, object]:
        told: dict[str, object] = {"slug": self.slug, "text": self.text, "why": self.why}
        return told if self.score is None else told | {"score": round(self.score, 3)}


Hits = Sequence[tuple[Stored, str, float]]


async def remembered(tx: Tx, mission: Stored[Mission]) -> Hits:
    """What the company remembers that has to do with the mission; steps 3 and 4 choose from it."""
    hits = await _found(tx, mission, OrgMemory.type, "active", MEMORIES + 2 * PREFERENCES)
    best, text = max((score for _, _, score in hits), default=0.0), _asked(mission)
    return [hit for hit in hits if bears_on(text, hit[0], hit[2], best)]


def memories(hits: Hits) -> list[Chosen]:
    """What the company knows."""
    known = [each for each in hits if each[0].props.category != "preference"]
    return [Chosen(node.slug, node.props.content, why, score) for node, why, score in known[:MEMORIES]]


async def preferences(tx: Tx, hits: Hits) -> list[Chosen]:
    """What the founder likes: what fits the mission first, then what was said last."""
    fitting = [each for each in hits if each[0].props.category == "preference"][:PREFERENCES]
    chosen = [Chosen(node.slug, node.props.content, why, score) for node, why, score in fitting]
    wanted = NodeFilter(types=[OrgMemory.type], status="active", props={"category": "preference"}, limit=STANDING)
    taken = {each.slug for each in chosen}
    standing = [each for each in await tx.find(wanted) if each.slug not in taken]
    return (chosen + [Chosen(each.slug, each.props.content, "holds for everything") for each in standing])[:PREFERENCES]


async def prior_work(tx: Tx, mission: Stored[Mission]) -> list[Chosen]:
    """Missions like this one that were finished: what came out, and what was learned."""
    hits = await _found(tx, mission, Mission.type, "done", PRIOR + 1)
    like = [hit for hit in hits if hit[0].id != mission.id and hit[2] >= LIKE]
    return [Chosen(node.slug, _in_short(node), why, score) for node, why, score in like[:PRIOR]]


def _in_short(mission: Stored[Mission]) -> str:
    props = mission.props
    lessons = f" Learned: {props.lessons_learned}" if props.lessons_learned else ""
    return f"{props.title}: {(props.outcome_summary or 'done').removesuffix('.')}.{lessons}"


def _asked(mission: Stored[Mission]) -> str:
    return f"{mission.props.title}. {mission.props.description or ''} {' '.join(mission.tags)}"


async def _found(tx: Tx, mission: Stored[Mission], type_: str, status: str, limit: int) -> Hits:
    query = SearchQuery(text=_asked(mission), types=[type_], status=[status], limit=limit)
    found = await search(tx, query, tx.use(Embedders))
    return [(hit.node, ", ".join(hit.why), hit.score) for hit in found.hits]
