"""The embedders of this process: the one that is set, and those whose vectors still serve."""

from __future__ import annotations

from hq.errors import Refused
from hq.graph.search.embedders import LOCAL, Embedder, Local, Unavailable, embedder_for
from hq.graph.search.vocabulary import WordVectors


class Embedders:
    """Handed to the door at composition; the indexer uses the same one, so that a model is loaded once."""

    def __init__(self, setting: str = LOCAL, url: str | None = None, key: str | None = None) -> None:
        self._url, self._key = url, key
        self.set = embedder_for(setting, url, key)
        """What new texts are embedded with; nothing where search goes by words only."""
        self._others: dict[str, Embedder] = {}

    def named(self, name: str) -> Embedder:
        """The embedder of a model that has vectors here."""
        if self.set is None:
            raise Unavailable("no embedder is set")
        if self.set.name == name:
            return self.set
        if name not in self._others:
            try:
                other = embedder_for(LOCAL if name == Local.name else name, self._url, self._key)
            except Refused as error:
                raise Unavailable(f"the model {name} is not known here") from error
            assert other is not None
            self._others[name] = other
        return self._others[name]

    @property
    def vocabulary(self) -> WordVectors | None:
        """Word vectors, where the model that is set has any."""
        return self.set.vocabulary if isinstance(self.set, Local) else None

    def rest(self) -> None:
        """Let go of what was not needed for a while."""
        for embedder in (self.set, *self._others.values()):
            if isinstance(embedder, Local):
                embedder.rest()
