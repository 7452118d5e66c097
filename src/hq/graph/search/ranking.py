"""How candidates become an order: words weighted by rarity, what was said around them, and likeness in meaning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hq.graph.search.passage import Passage, Term

K1, B = 0.9, 0.4
NEAR = 0.5
"""What a word counts for that stands in the message before or after; two away the square of it."""
MEANING, AROUND = 0.3, 0.5
"""What likeness counts for, of the text alone and with what was said around it, against all words found."""


@dataclass(frozen=True)
class Asked:
    """The query, as the ranking sees it."""

    terms: Sequence[Term]
    average: float
    """Length of an average passage."""


def rank(asked: Asked, passages: Sequence[Passage]) -> list[Passage]:
    """Best first. Every passage gets its score."""
    rarity: dict[int, float] = {}
    for term in asked.terms:
        rarity[term.place] = max(rarity.get(term.place, 0.0), term.idf)
    total = sum(rarity.values()) or 1.0
    steps = _steps(passages)
    found = {p.id: {place: _saturated(p, tf, asked.average) for place, tf in p.held.items()} for p in passages}
    similar = {p.id: p.similar or 0.0 for p in passages}
    for passage in passages:
        around = steps.get(passage.id, {})
        words = 0.0
        for place, idf in rarity.items():
            best = found[passage.id].get(place, 0.0)
            for other, distance in around.items():
                best = max(best, NEAR**distance * found[other].get(place, 0.0))
            words += idf * best
        context = _weighted(similar, passage.id, around)
        passage.score = words / total + MEANING * similar[passage.id] + AROUND * context
    return sorted(passages, key=lambda p: (-p.score, -p.id))


def _steps(passages: Sequence[Passage]) -> dict[int, dict[int, int]]:
    """How far each passage stands from those around it, as far as that is known."""
    here = {p.id for p in passages}
    steps: dict[int, dict[int, int]] = {p.id: {} for p in passages}
    for passage in passages:
        if passage.before is None or passage.after is None:
            continue
        line = [*reversed(passage.before), passage.id, *passage.after]
        for i, one in enumerate(line):
            for distance in (1, 2):
                if i + distance < len(line) and one in here and (other := line[i + distance]) in here:
                    steps[one][other] = steps[other][one] = min(distance, steps[one].get(other, distance))
    return steps


def _saturated(passage: Passage, tf: int, average: float) -> float:
    return tf / (tf + K1 * (1 - B + B * passage.length / average))


def _weighted(similar: dict[int, float], own: int, around: dict[int, int]) -> float:
    weights = {own: 1.0, **{other: NEAR**distance for other, distance in around.items()}}
    return sum(weight * similar[which] for which, weight in weights.items()) / sum(weights.values())
