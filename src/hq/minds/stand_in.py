"""The stand-in: the script in the place of a mind whose key is missing or refused, which says so once in a conversation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from hq.minds.mind import KeyRefused, Mind, MindRequest, OnText, Reply

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage

TALK = "dm"
"""The purpose of a request that somebody talks in; what is handed in, or read by a program, is left as it is."""

UNTIL_THEN = "until then the script answers"
"""How what it says ends, by whatever words the trouble is known meanwhile."""


@dataclass(frozen=True)
class StandIn:
    script: Mind
    why: str
    """What is missing, and what to do about it."""
    until: datetime | None = None
    """When whoever was set is tried again."""

    @property
    def name(self) -> str:
        return self.script.name

    async def answer(self, ask: MindRequest, *, on_text: OnText | None = None) -> Reply:
        if not ask.stand_in:
            raise KeyRefused(self.why.removesuffix(f"; {UNTIL_THEN}"), until=self.until)
        if ask.purpose != TALK or _said(ask.messages):
            return await self.script.answer(ask, on_text=on_text)
        from pydantic_ai.messages import TextPart

        note = f"{self.why}.\n\n"
        if on_text is not None:
            await on_text(note)
        reply = await self.script.answer(ask, on_text=on_text)
        parts = list(reply.response.parts)
        if parts and isinstance(parts[0], TextPart):
            parts[0] = TextPart(note + parts[0].content)
        else:
            parts.insert(0, TextPart(note.strip()))
        return replace(reply, response=replace(reply.response, parts=parts))


def _said(messages: Sequence[ModelMessage]) -> bool:
    return any(each.kind == "response" and UNTIL_THEN in (each.text or "") for each in messages)
