"""Embedders, which turn texts into vectors: the one that comes with hq, or a provider's, by setting. Loaded when first
needed."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from hq.errors import Refused
from hq.graph.search.vocabulary import WordVectors
from hq.json_types import WireBody

Vector = Sequence[float]
LOCAL = "wordllama"
PATIENCE = 30.0  # seconds for a provider to answer with a batch
HURRY = 2.0  # and with a query, which somebody waits for
REST = 300.0  # seconds without work after which the local model lets go of its memory
ADDRESSES = {
    "voyage": "https://api.voyageai.com/v1",
    "openai": "https://api.openai.com/v1",
    "ollama": "http://127.0.0.1:11434",
}


class Unavailable(Exception):
    """The embedder cannot be had now; the message says why."""


class Embedder(Protocol):
    name: str
    """The model's name, under which its vectors are kept."""
    batch: int
    """How many texts it takes at once."""

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[Vector]:
        """A vector of length one per text. Raises Unavailable."""
        ...


def embedder_for(setting: str, url: str | None = None, key: str | None = None) -> Embedder | None:
    """The embedder a setting names: `wordllama`, `none`, or `<provider>:<model>`."""
    provider, _, model = setting.partition(":")
    if setting == "none":
        return None
    if setting == LOCAL:
        return Local()
    if provider in ADDRESSES and model:
        return RemoteEmbedder(provider, model, (url or ADDRESSES[provider]).rstrip("/"), key)
    raise Refused.invalid(
        f"HQ_EMBEDDER is {setting!r}; it takes wordllama, none, voyage:<model>, openai:<model> or ollama:<model>"
    )


class Local:
    """wordllama: token vectors, averaged. Ships in a wheel with its weights; asks nobody."""

    name = "wordllama-l2-256"
    batch = 256

    def __init__(self) -> None:
        self._model: Any = None
        self._vocabulary: WordVectors | None = None
        self._failed = ""
        self._used = 0.0

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[Vector]:
        model = self._model or await asyncio.to_thread(self._load)
        self._used = time.monotonic()
        if not query and self._vocabulary is not None:
            self._vocabulary.hear(texts)
        # One text takes less time than a thread does.
        if len(texts) == 1:
            return _vectors(model, texts)
        return await asyncio.to_thread(_vectors, model, texts)

    @property
    def vocabulary(self) -> WordVectors | None:
        """Its word vectors, once it is loaded."""
        return self._vocabulary

    def rest(self) -> bool:
        """Let go of the model's memory where nobody has needed it for a while."""
        if self._model is None or time.monotonic() - self._used < REST:
            return False
        self._model = self._vocabulary = None
        return True

    def _load(self) -> Any:
        if self._failed:
            raise Unavailable(self._failed)
        try:
            import wordllama

            home = Path(wordllama.__file__).parent
            self._model = wordllama.WordLlama.load(cache_dir=home, disable_download=True)
        except Exception as error:
            self._failed = f"the local embedder does not load ({type(error).__name__}); reinstall hq"
            raise Unavailable(self._failed) from error
        self._vocabulary = WordVectors(partial(self._model.embed, norm=True))
        return self._model


def _vectors(model: Any, texts: Sequence[str]) -> list[Vector]:
    return model.embed(list(texts), norm=True).tolist()


class RemoteEmbedder:
    """A provider over HTTP: Voyage, anything that speaks OpenAI's protocol, or Ollama."""

    batch = 64

    def __init__(self, provider: str, model: str, url: str, key: str | None) -> None:
        self.name = f"{provider}:{model}"
        self._provider, self._model, self._url, self._key = provider, model, url, key

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[Vector]:
        import httpx2

        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        path = "/api/embed" if self._provider == "ollama" else "/embeddings"
        try:
            async with httpx2.AsyncClient(timeout=HURRY if query else PATIENCE, headers=headers) as client:
                answer = await client.post(self._url + path, json=self._asked(texts, query))
                answer.raise_for_status()
                return self._read(answer.json(), len(texts))
        except (httpx2.HTTPError, ValueError, KeyError, TypeError) as error:
            raise Unavailable(f"{self.name} does not answer ({type(error).__name__})") from error

    def _asked(self, texts: Sequence[str], query: bool) -> WireBody:
        asked: WireBody = {"model": self._model, "input": list(texts)}
        if self._provider == "voyage":
            asked["input_type"] = "query" if query else "document"
        return asked

    def _read(self, told: Any, many: int) -> list[Vector]:
        if self._provider == "ollama":
            found = told["embeddings"]
        else:
            found = [row["embedding"] for row in sorted(told["data"], key=lambda row: row["index"])]
        if len(found) != many:
            raise ValueError("an answer of another length than the question")
        return [_unit(vector) for vector in found]


def _unit(vector: Vector) -> Vector:
    length = math.sqrt(sum(x * x for x in vector)) or 1.0
    return [x / length for x in vector]


def as_text(vector: Vector) -> str:
    """As pgvector reads it."""
    return "[" + ",".join(f"{x:.5g}" for x in vector) + "]"
