"""Words that mean nearly the same: how near each word of a question is to the nearest word of a passage."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from hq.graph.search.language import STOP_WORDS
from hq.graph.search.passage import Passage
from hq.graph.search.query import WORD

if TYPE_CHECKING:
    import numpy as np

    Matrix = np.ndarray[Any, Any]

FAR = 0.3
"""Words less alike than this have nothing to do with each other."""
KEPT_WORDS = 25_000
HEARD_WORDS = 22_000
"""So many are learned from what is written, the rest from what is asked about."""
KEPT_PASSAGES = 20_000


class WordVectors:
    """Word vectors of a local model, and which words a passage holds, kept for the next question."""

    def __init__(self, vectors: Callable[[Sequence[str]], Any]) -> None:
        self._vectors = vectors
        self._number: dict[str, int] = {}
        self._matrix: Any = None
        self._passages: OrderedDict[int, Matrix] = OrderedDict()

    def hear(self, texts: Sequence[str]) -> None:
        """Learn the words of texts on their way into the index, so that the first to ask for them does not wait for that."""
        room = HEARD_WORDS - len(self._number)
        if room > 0:
            said = dict.fromkeys(word for text in texts for word in _content(text))
            self._learn(set(islice(said, room)))

    def likeness(self, words: Sequence[str], passages: Sequence[Passage]) -> Matrix:
        """Of each passage (row) and word (column): 1 for the word itself, 0 for nothing like it."""
        import numpy as np

        held = self._held(passages)
        self._learn(set(words))
        asked = self._matrix[[self._number[word] for word in words]]
        every, counts = np.concatenate(held), np.array([len(numbers) for numbers in held])
        distinct, back = np.unique(every, return_inverse=True)
        alike = np.clip((self._matrix[distinct] @ asked.T - FAR) / (1 - FAR), 0, 1)
        found = np.zeros((len(passages), len(words)))
        full = np.flatnonzero(counts)
        starts = (np.cumsum(counts) - counts)[full]
        if len(full):
            found[full] = np.maximum.reduceat(alike[back], starts, axis=0)
        return found

    def _held(self, passages: Sequence[Passage]) -> list[Matrix]:
        import numpy as np

        if len(self._number) > KEPT_WORDS:
            self._number, self._matrix = {}, None
            self._passages.clear()
        held: list[Any] = [self._passages.get(p.id) for p in passages]
        missing = [nr for nr, numbers in enumerate(held) if numbers is None]
        texts = {nr: _content(passages[nr].body) for nr in missing}
        self._learn({word for words in texts.values() for word in words})
        for nr, words in texts.items():
            held[nr] = self._passages[passages[nr].id] = np.array([self._number[word] for word in words], dtype=int)
        while len(self._passages) > KEPT_PASSAGES:
            self._passages.popitem(last=False)
        return held

    def _learn(self, words: set[str]) -> None:
        """Room is made in steps, not word by word: a copy of all vectors costs more than finding new ones."""
        import numpy as np

        fresh = [word for word in words if word not in self._number]
        if not fresh:
            return
        vectors = self._vectors(fresh)
        known = len(self._number)
        if self._matrix is None or known + len(fresh) > len(self._matrix):
            needed = known + len(fresh)
            room = np.zeros((max(needed, min(2 * needed, KEPT_WORDS + 2_000)), vectors.shape[1]), dtype=np.float32)
            if self._matrix is not None:
                room[:known] = self._matrix[:known]
            self._matrix = room
        self._matrix[known : known + len(fresh)] = vectors
        self._number |= {word: known + nr for nr, word in enumerate(fresh)}


def _content(text: str) -> list[str]:
    return [word for word in dict.fromkeys(WORD.findall(text.lower())) if word not in STOP_WORDS]
