"""Confidence in what the company remembers: it fades with time unless somebody confirms it (000 §A, tier 1)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, NotRequired, TypedDict, TypeVar
from uuid import UUID

from hq.business.types import Decision
from hq.door.tx import Tx
from hq.graph.records import Stored
from hq.graph.search.finder import search
from hq.graph.search.query import SearchQuery
from hq.graph.search.service import Embedders
from hq.graph.view import EdgeFilter, NodeFilter
from hq.memory.types import OrgMemory
from hq.minds.prompt_data import one_line
from hq.minds.tokens import estimate
from hq.terminal.width import shortened

HALF_LIFE: dict[str, float | None] = {
    "decision": None,
    "preference": 365,
    "lesson_learned": 365,
    "fact": 180,
    "context": 60,
}
"""Days after which something that nobody confirmed is only half as sure; a decision holds until another is taken."""
FAINT = 0.1
"""Below this it is no longer told to a mind; it can still be searched for."""
KNOWN = (OrgMemory, Decision)
"""What the company goes by: what it remembers, and what it decided."""
DECIDED = {"active": "accepted", "pending": "proposed"}
"""How a decision says what a memory says of itself."""
CONTEXT = 500
"""Characters of why something was decided that go with it."""
MOST, TOKENS = 20, 3_000
LEAST, MUCH, LONG = 0.2, 0.4, 60
"""How well a memory must fit to be told unasked: so much with a word or two, so much with a text of that many words and more."""
LATELY = 5
"""Of what was decided, how much is told to who asks for a decision in words that find little."""
ASKS_DECISION = re.compile(
    r"\b(?:did|have|had) (?:we|i|you|they)(?: \w+){0,2} (?:decid|agree|settle|choose|chose|pick|go (?:with|for))"
    r"|\b(?:what|which|who|why|when|how)\b[^.!]{0,80}\b(?:decided|agreed|settled|chosen)\b|\bdecisions? (?:did|was|were|about|on)\b"
    r"|\b(?:que|qual|quem|quando|porque|por que|como|onde)\b[^.!]{0,80}\b(?:decidi\w*|combin[aá]mos|combinado|acord[aá]mos|acordado|escolhemos)\b",
    re.IGNORECASE,
)
BEHIND = 0.4
"""What fits less than this share of what fits best is left out."""


K = TypeVar("K", OrgMemory, Decision, OrgMemory | Decision)


class MemoryItem(TypedDict):
    """A memory or a decision, with how sure it is now."""

    slug: str
    content: str
    category: str
    source: str | None
    status: str
    confidence: float
    tags: list[str]
    created_at: str
    decided_at: NotRequired[str]
    """Of a decision: when it was decided, which may be long before it was written down."""
    context: NotRequired[str]
    """Of a decision: why."""


@dataclass(frozen=True)
class Recalled(Generic[K]):
    memory: Stored[K]
    confidence: float
    score: float

    def as_dict(self) -> MemoryItem:
        props = self.memory.props
        if isinstance(props, OrgMemory):
            content, category, source = props.content, props.category, props.source
        else:
            content, category, source = "\n".join(filter(None, (props.title, props.decision_md))), "decision", None
        item: MemoryItem = {
            "slug": self.memory.slug,
            "content": content,
            "category": category,
            "source": source,
            "status": props.status,
            "confidence": round(self.confidence, 2),
            "tags": list(self.memory.tags),
            "created_at": self.memory.created_at.isoformat(),
        }
        if isinstance(props, Decision):  # when and why, for that is what somebody asks of one
            if props.decided_at:
                item["decided_at"] = props.decided_at.isoformat()
            if props.context_md:
                item["context"] = shortened(props.context_md, CONTEXT)
        return item


def confidence(memory: Stored[K], now: datetime) -> float:
    """How sure it is now: halved with every half-life since it was last confirmed, nothing once it is over. A decision holds until
    another is taken."""
    props = memory.props
    if isinstance(props, Decision):
        return 1.0 if memory.confidence is None else memory.confidence
    if props.expires_at is not None and props.expires_at <= now:
        return 0.0
    sure = 1.0 if memory.confidence is None else memory.confidence
    days = HALF_LIFE[props.category]
    if days is None or props.slot_id is not None:  # what the system keeps up to date does not fade
        return sure
    age = now - (props.last_validated_at or memory.created_at)
    return sure * 0.5 ** (max(age.total_seconds(), 0.0) / 86_400 / days)


async def recall(
    tx: Tx, text: str, kinds: Sequence[type[K]], limit: int = 10, status: str = "active"
) -> list[Recalled[K]]:
    """What fits best, by words and by meaning; what is surer comes first among equals."""
    types, states = [each.type for each in kinds], [status, DECIDED.get(status, status)]
    query = SearchQuery(text=text, types=types, status=states, limit=limit, asker=tx.caller.founder_id)
    found = await search(tx, query, tx.use(Embedders))
    hits = [Recalled[K](hit.node, confidence(hit.node, tx.true_at), hit.score) for hit in found.hits]
    return sorted(hits, key=lambda hit: -hit.score * (0.5 + hit.confidence / 2))


def asks_what_was_decided(text: str) -> bool:
    """Whether somebody wants to hear a decision again: then each that comes near is worth telling."""
    return ASKS_DECISION.search(text) is not None


def bears_on(text: str, memory: Stored[OrgMemory], score: float, best: float) -> bool:
    """Whether a memory is worth telling beside a text that did not ask for it. The more words there are, the more fit by chance, so
    the more is asked; and what is far behind the best is left out. What the house knows of its own settings and staff it is told
    of elsewhere: it bears on a text only that names just that."""
    if memory.props.slot_id is not None and not _names(text, memory):
        return False
    floor = LEAST + (MUCH - LEAST) * min(1.0, len(text.split()) / LONG)
    return score >= max(floor, best * BEHIND)


def _names(text: str, memory: Stored[OrgMemory]) -> bool:
    names, said = {*memory.tags} - {"setting", "skill"}, text.casefold()
    return "hire" not in names and bool(names) and all(name.replace("_", " ").casefold() in said for name in names)


async def curated_memory(tx: Tx, whom: Sequence[UUID]) -> str:
    """What was chosen for somebody of what the company knows, the newest first, as much as there is room for."""
    found: dict[UUID, Stored[OrgMemory]] = {}
    for each in whom:
        wanted = NodeFilter(
            types=[OrgMemory.type], status="active", related=[EdgeFilter("curated_for", each)], limit=MOST
        )
        with tx.looking():
            found |= {memory.id: memory for memory in await tx.find(wanted)}
    hits = [Recalled(memory, confidence(memory, tx.true_at), 0) for memory in found.values()]
    return _lines(tx, sorted(hits, key=lambda hit: hit.memory.created_at, reverse=True)[:MOST])


async def company_memory(tx: Tx, about: str | None) -> str:
    """What a mind is told of what the company knows: what fits, as much as there is room for."""
    if not about or not about.strip():
        return ""
    with tx.looking():
        found = await recall(tx, about[:2000], [OrgMemory], MOST)
        decided = await _decided(tx, about[:2000]) if asks_what_was_decided(about) else []
    best = max((hit.score for hit in found), default=0.0)
    told = [hit for hit in found if bears_on(about, hit.memory, hit.score, best)]
    known = {hit.memory.id for hit in told}
    return _lines(tx, [*told, *(hit for hit in decided if hit.memory.id not in known)])


async def _decided(tx: Tx, about: str) -> list[Recalled[Any]]:
    """Decisions for who asks for one: what comes nearest, and what was decided last."""
    near = [hit for hit in await recall(tx, about, KNOWN, MOST) if hit.as_dict()["category"] == "decision"][:LATELY]
    last: list[Stored[Any]] = [
        *await tx.find(
            NodeFilter(types=[OrgMemory.type], status="active", props={"category": "decision"}, limit=LATELY)
        ),
        *await tx.find(NodeFilter(types=[Decision.type], status=DECIDED["active"], limit=LATELY)),
    ]
    last.sort(key=lambda each: each.created_at, reverse=True)
    known = {hit.memory.id for hit in near}
    more = [Recalled[Any](each, confidence(each, tx.true_at), 0) for each in last if each.id not in known]
    return [*near, *more][:LATELY]


def _lines(tx: Tx, found: Sequence[Recalled[Any]]) -> str:
    lines, room = [], TOKENS
    for hit in found:
        says = hit.as_dict()
        line = f"- [{says['category']}] {one_line(says['content'])} ({hit.memory.slug}, {hit.confidence:.0%} sure)"
        room -= estimate(line)
        if hit.confidence >= FAINT and room > 0:
            lines.append(line)
            tx.taint |= hit.memory.taint
    return "\n".join(lines)
