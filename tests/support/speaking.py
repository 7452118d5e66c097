"""A mind that speaks piece by piece, as far as a test lets it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from pydantic_ai.messages import ModelResponse, TextPart

from hq.minds.mind import MindRequest, Reply, TokenUsage
from hq.sessions import draft


class Spoken:
    """Says the first piece, sets `spoke`, and the next each time it may `go_on`; the last one ends the answer."""

    name = "spoken"

    def __init__(self, pieces: Sequence[str]) -> None:
        self.pieces = pieces
        self.spoke = asyncio.Event()
        self._may = asyncio.Semaphore(1)

    def go_on(self) -> None:
        self._may.release()

    async def answer(self, ask: MindRequest, *, on_text: Any = None) -> Reply:
        for piece in self.pieces:
            await self._may.acquire()
            await on_text(piece)
            self.spoke.set()
            await asyncio.sleep(draft.EVERY)
        response = ModelResponse(parts=[TextPart("".join(self.pieces))])
        return Reply(response, self.name, TokenUsage(10, 10), None, 1.0)
