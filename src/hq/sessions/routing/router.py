"""The router: a ridge regression over labelled examples, fitted when it is first needed. Small enough to be read and measured.

`make bench ARGS="route"` measures it on utterances that it was never fitted to.
"""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from hq.graph.search.embedders import Local, Unavailable
from hq.graph.search.service import Embedders
from hq.sessions.routing.features import READ, features, hints, says_too_little, words_of

EXAMPLES = Path(__file__).with_name("examples.tsv")
Intent = Literal["answer", "look", "investigate", "mission", "instruct"]
Mode = Literal["quick", "supervisor"]
INTENTS: tuple[Intent, ...] = get_args(Intent)
QUICK = frozenset[Intent]({"answer", "look"})
MEANS: dict[Intent, str] = {
    "answer": "can be answered at once",
    "look": "asks what the company knows",
    "investigate": "has to be found out",
    "mission": "is a piece of work",
    "instruct": "tells what to do or to remember",
}
MEANING, HINTS, WORDS = 0.2, 0.4, 0.4
"""How much each part counts: the meaning of the whole, cues, and words."""
RIDGE = 0.1
SURE = 0.1
"""By how much what is quick must be ahead of what is not, or the supervisor takes it; by leave-one-out over the examples."""


@dataclass(frozen=True)
class Route:
    """What a message seems to want, and why."""

    intent: Intent
    mode: Mode
    sure: bool
    why: str


class MessageRouter:
    """`await router.route("Check my server health")`. Handed to the door at composition."""

    def __init__(self, embedders: Embedders | None = None) -> None:
        ours = embedders.set if embedders else Local()
        # Only the one on this machine: nobody is asked, and nothing is paid, to find out what to do.
        self._embedder = ours if isinstance(ours, Local) else None
        self._fitted: Fitted | None = None
        self._fitting = asyncio.Lock()

    async def route(self, text: str) -> Route:
        fitted = await self.fitted()
        return fitted.route(text, await self._vector(text) if fitted.meanings is not None else None)

    async def fitted(self) -> Fitted:
        async with self._fitting:
            self._fitted = self._fitted or await self._fit()
        return self._fitted

    async def _fit(self) -> Fitted:
        examples = read_examples(EXAMPLES)
        meanings = None
        if self._embedder:
            try:
                meanings = await self._embedder.embed([text for _, text in examples])
            except Unavailable:
                self._embedder = None
        return await asyncio.to_thread(Fitted, examples, meanings)

    async def _vector(self, text: str) -> Any:
        assert self._embedder is not None
        (vector,) = await self._embedder.embed([text[:READ].strip() or "."], query=True)
        return vector


def read_examples(file: Path) -> list[tuple[Intent, str]]:
    found: list[tuple[Intent, str]] = []
    for line in file.read_text("utf-8").splitlines():
        intent, _, text = line.partition("\t")
        assert intent in INTENTS and text, line
        found.append((intent, text))
    return found


class Fitted:
    """What was learnt: a weight for every word, cue and direction of meaning, for each intent."""

    def __init__(self, examples: list[tuple[Intent, str]], meanings: Any) -> None:
        import numpy

        self._numpy = numpy
        self.texts = [text for _, text in examples]
        self.meanings = numpy.array(meanings) if meanings is not None else None
        words = [words_of(text) for text in self.texts]
        self._known = frozenset(word for each in words for word in each)
        counted = [features(each) for each in words]
        seen = Counter(name for each in counted for name in each)
        self._place = {name: place for place, name in enumerate(seen)}
        self._rare = numpy.array([math.log(1 + len(examples) / many) for many in seen.values()])
        rows = numpy.array([self._row(each, meaning) for each, meaning in zip(words, self._each(), strict=True)])
        wanted = numpy.array([[1.0 if name == intent else -1.0 for name in INTENTS] for intent, _ in examples])
        likeness = rows @ rows.T + RIDGE * numpy.eye(len(examples))
        self._inverse = numpy.linalg.inv(likeness)
        self._wanted = wanted
        self._weights = rows.T @ (self._inverse @ wanted)

    def left_out(self) -> list[tuple[Intent, Route]]:
        """Each example as it is judged when it is not among those that were learnt from."""
        numpy = self._numpy
        guesses = self._wanted - (self._inverse @ self._wanted) / numpy.diag(self._inverse)[:, None]
        right = [INTENTS[place] for place in self._wanted.argmax(axis=1)]
        return [(intent, self.judge(each)) for intent, each in zip(right, guesses, strict=True)]

    def scores(self, text: str, meaning: Any) -> Any:
        return self._row(words_of(text), meaning) @ self._weights

    def route(self, text: str, meaning: Any) -> Route:
        if says_too_little(words_of(text), self._known):
            intent = self.judge(self.scores(text, meaning)).intent
            return Route(intent, "supervisor", False, "it says too little to go by, so the supervisor takes it")
        return self.judge(self.scores(text, meaning), self._like(meaning))

    @staticmethod
    def judge(scores: Any, like: str = "") -> Route:
        by_intent = dict(zip(INTENTS, map(float, scores), strict=True))
        intent = max(INTENTS, key=by_intent.__getitem__)
        quick = max(by_intent[each] for each in QUICK) - max(by_intent[each] for each in INTENTS if each not in QUICK)
        sure = abs(quick) >= SURE
        mode: Mode = "quick" if intent in QUICK and sure else "supervisor"
        doubt = "" if sure else "; that is not sure, so the supervisor takes it"
        return Route(intent, mode, sure, f"{MEANS[intent]}{like}{doubt}")

    def _like(self, meaning: Any) -> str:
        if meaning is None or self.meanings is None:
            return ""
        return f", like “{self.texts[int((self.meanings @ meaning).argmax())]}”"

    def _row(self, words: list[str], meaning: Any) -> Any:
        """Everything about one message, each part of length one before it is weighed."""
        numpy = self._numpy
        spelt = numpy.zeros(len(self._place))
        for name, many in features(words).items():
            if (place := self._place.get(name)) is not None:
                spelt[place] = many * self._rare[place]
        parts = [(WORDS, spelt), (HINTS, numpy.array(hints(words)))]
        if meaning is not None:
            parts.append((MEANING, numpy.array(meaning)))
        return numpy.concatenate([math.sqrt(weight) * part / (numpy.linalg.norm(part) or 1) for weight, part in parts])

    def _each(self) -> Any:
        return self.meanings if self.meanings is not None else [None] * len(self.texts)
