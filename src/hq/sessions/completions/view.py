"""A completion as a view: its words on their way, until it is over."""

from __future__ import annotations

from hq.door.door import Door
from hq.engine.tenancy import inside
from hq.ids import parse_id
from hq.json_types import CallResult
from hq.sessions.completions.completion import Completion, cost_of, read_completion
from hq.stream.follow import BaseStreamView, Frame, Seen
from hq.stream.opened import StreamOpened
from hq.stream.topics import Topics

TOPICS = Topics(("session.*",))
"""What may move a completion, beside its own steps."""


class CompletionOpened(StreamOpened):
    completion: str


class CompletionView(BaseStreamView):
    """One reader's place in a completion. `done` is the whole of it, once it is over."""

    def __init__(self, door: Door, data: CallResult) -> None:
        opened = CompletionOpened.model_validate(data)
        self.filter = opened.filter(TOPICS)
        self._door, self._tenant, self._id = door, opened.tenant_id, parse_id(opened.completion)
        self._lines = 0
        """How many replies were told whole."""
        self._under = ""
        """Of the next one, what was told."""
        self.done: Completion | None = None
        self.cached = 0
        """Of what its minds read, how many tokens came from a provider's cache."""

    @property
    def cursor(self) -> str:
        return str(self._id)

    async def look(self) -> Seen:
        async with inside(self._door.pool, self._tenant) as reader:
            found = await read_completion(reader, self._id)
            if found is not None and found.over:
                self.done, self.cached = found, (await cost_of(reader, self._id)).cached
        if found is None:
            return Seen(over=True)
        pieces = [*self._settled(found.lines), *self._growing(found)]
        frames = [Frame(_text(piece), self.cursor, "text") for piece in pieces if piece]
        return Seen(frames, frozenset((self._id,)), over=found.over)

    def _settled(self, lines: list[str]) -> list[str]:
        told: list[str] = []
        for line in lines[self._lines :]:
            told.append(self._gap() + line.removeprefix(self._under))
            self._under, self._lines = "", self._lines + 1
        return told

    def _growing(self, found: Completion) -> list[str]:
        """What comes behind what was told; an answer that begins anew is told when it is whole."""
        draft = "" if found.over else found.draft
        if len(draft) <= len(self._under) or not draft.startswith(self._under):
            return []
        piece = self._gap() + draft[len(self._under) :]
        self._under = draft
        return [piece]

    def _gap(self) -> str:
        return "\n\n" if self._lines and not self._under else ""


def _text(piece: str) -> dict[str, str]:
    return {"text": piece}
