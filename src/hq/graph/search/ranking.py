"""Ranking: how candidates become an order. Signals that each have a meaning and a scale of their own, added up:

words: the share of the question's words, by rarity, that the passage holds, or nearly holds, or that were said around
it; meaning: how near the passage in its conversation is to the question; who: it was said by whom the question asks
about; when: it speaks of time and the question asks for one; date: it was said in the month or on the day named;
answer: what was said right before it asked for the same. The best passage of a conversation lifts the others a little.
No signal depends on what else was found, so none needs to be normalised.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from hq.graph.search.passage import Passage
from hq.graph.search.query import ParsedQuery, share_of_questions, times_in
from hq.graph.search.vocabulary import WordVectors

if TYPE_CHECKING:
    import numpy as np

    Matrix = np.ndarray[Any, Any]

WORDS, MEANING, WHO, WHEN, DATE, ANSWER, THREAD = 1.0, 1.1, 0.45, 0.4, 1.2, 0.3, 0.2
HOPEFUL = 24
"""Passages whose words are compared with the question's one by one, which takes the most time."""
BEFORE, AFTER = (0.8, 0.5), (0.4, 0.2)
"""What a word counts for that was said one or two messages before or after. An answer follows its question."""


def rank(question: ParsedQuery, passages: Sequence[Passage], vocabulary: WordVectors | None) -> list[Passage]:
    """Best first. Every passage gets its score."""
    import numpy as np

    if not passages:
        return []
    score = _apart_from_words(question, passages)
    places, weights = _weights(question)
    if places:
        before, after = _neighbours(passages)
        own = _held(places, passages)
        near = _said_around(own, before, after)
        if vocabulary is not None:
            hopeful = _hopeful(score + near @ weights, before, after)
            words = [question.word_at(place) for place in places]
            own[hopeful] = np.maximum(own[hopeful], vocabulary.likeness(words, [passages[nr] for nr in hopeful]))
            near = _said_around(own, before, after)
        score += WORDS * (near @ weights)
        score += ANSWER * np.append(own @ weights * _asked(passages, own, before), 0.0)[before]
        for nr in np.flatnonzero(near.max(1) > own.max(1)).tolist():
            passages[nr].by_context = not passages[nr].places
    score = _lifted(passages, score)
    for passage, value in zip(passages, score.tolist(), strict=True):
        passage.score = value
    ids = np.array([-passage.id for passage in passages])
    return [passages[nr] for nr in np.lexsort((ids, -score))]


def _apart_from_words(question: ParsedQuery, passages: Sequence[Passage]) -> Matrix:
    """What speaks for each passage beside the words that were said."""
    import numpy as np

    score = np.array([MEANING * (p.similar or 0.0) for p in passages])
    if question.speakers:
        share = WHO if len(question.speakers) == 1 else WHO / 2
        score += [share * (p.speaker in question.speakers) for p in passages]
    if question.asks_when:
        score += [WHEN * (1 - 0.5 ** times_in(p.body)) for p in passages]
    dates = question.dates
    if dates.months:
        score += [DATE * dates.match(p.at) for p in passages]
    return score


def _lifted(passages: Sequence[Passage], score: Matrix) -> Matrix:
    """The scores as they are compared: the best of a conversation lifts all of it."""
    import numpy as np

    numbers: dict[int, int] = {}
    talking = [nr for nr, passage in enumerate(passages) if passage.thread]
    # By what a UUID is made of: hashing it takes as long as all the rest of this.
    threads = [numbers.setdefault(thread.int, len(numbers)) for passage in passages if (thread := passage.thread)]
    best = np.zeros(len(numbers))
    np.maximum.at(best, threads, score[talking])
    lifted = score.copy()
    lifted[talking] += THREAD * best[threads]
    return lifted


def _asked(passages: Sequence[Passage], own: Matrix, before: Matrix) -> Matrix:
    """How much of each passage asks something, where that counts: somebody spoke after it, and it is about the words."""
    import numpy as np

    asked = np.zeros(len(passages))
    followed = np.unique(before)
    for nr in followed[followed < len(passages)]:
        if "?" in passages[nr].body and own[nr].any():
            asked[nr] = share_of_questions(passages[nr].body)
    return asked


def _hopeful(score: Matrix, before: Matrix, after: Matrix) -> Matrix:
    """Those that words of nearly the same meaning may still bring to the top, and who speaks right before and after."""
    import numpy as np

    top = np.argsort(-score)[:HOPEFUL]
    found = np.unique(np.concatenate([top, before[top], after[top]]))
    return found[found < len(score)]


def _weights(question: ParsedQuery) -> tuple[list[int], Matrix]:
    """Of each word in the question, its share of all rarity; in several languages that of the one it is common in."""
    import numpy as np

    rarity: dict[int, tuple[int, float]] = {}
    for term in question.terms:
        rarity[term.place] = max(rarity.get(term.place, (-1, 0.0)), (term.df, term.idf))
    values = np.array([idf for _, idf in rarity.values()])
    return list(rarity), values / (values.sum() or 1.0)


def _held(places: Sequence[int], passages: Sequence[Passage]) -> Matrix:
    """Which passage holds which word."""
    import numpy as np

    bits = np.array([passage.places for passage in passages], dtype=np.int64)
    return (bits[:, None] >> np.array(places, dtype=np.int64)[None, :] - 1 & 1).astype(float)


def _said_around(own: Matrix, before: Matrix, after: Matrix) -> Matrix:
    """Each word counted once: from the passage itself or, for less, from what was said before or after it."""
    import numpy as np

    nobody = len(own)
    padded = np.vstack([own, np.zeros((1, own.shape[1]))])
    near = own.copy()
    for step, weights in ((before, BEFORE), (after, AFTER)):
        there = np.arange(nobody)
        for weight in weights:
            there = np.append(step, nobody)[there]
            near = np.maximum(near, weight * padded[there])
    return near


def _neighbours(passages: Sequence[Passage]) -> tuple[Matrix, Matrix]:
    """Of each passage, which one was said right before it and right after it; their number where that is not known."""
    import numpy as np

    number = {p.id: nr for nr, p in enumerate(passages)}
    nobody = len(passages)
    before, after = np.full(nobody, nobody), np.full(nobody, nobody)
    for passage in passages:
        if passage.before is None or passage.after is None:
            continue
        line = [number[id_] for id_ in (*reversed(passage.before), passage.id, *passage.after) if id_ in number]
        for one, other in pairwise(line):
            after[one], before[other] = other, one
    return before, after
