"""A conversation as its lines: what was said, in order, whichever sessions it went through."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NotRequired, TypedDict

from hq.chat.card_shape import CardItem
from hq.door.actor import HOUSE_ACTOR
from hq.sessions.spoken_text import spoken_text
from hq.stream.cursor import Cursor

Role = Literal["user", "assistant", "system"]


class ChatLineItem(TypedDict):
    """A line of a conversation, as every face has it."""

    id: str
    role: Role
    sender: str
    at: str
    text: str
    model: NotRequired[str]
    card: NotRequired[CardItem]
    name: NotRequired[str]


@dataclass(frozen=True)
class ChatLine:
    id: str
    role: Role
    sender: str
    text: str
    at: str
    place: Cursor
    model: str | None = None
    card: CardItem | None = None
    """What it puts before the founder, with its buttons."""
    name: str | None = None
    """What an agent that speaks is called, where that is not its slug."""

    @property
    def settled(self) -> bool:
        return self.place.settled

    def as_dict(self) -> ChatLineItem:
        told: ChatLineItem = {"id": self.id, "role": self.role, "sender": self.sender, "at": self.at, "text": self.text}
        if self.model:
            told["model"] = self.model
        if self.card:
            told["card"] = self.card
        if self.name:
            told["name"] = self.name
        return told


def line(row: Any) -> ChatLine:
    text = (row.body or "") if row.parts is None else spoken_text(row.parts)
    if row.role == "system":
        text = f"{row.called or row.sender} stopped: {row.body or 'no reason given'}"
    place = Cursor.of_step(row.session_id, row.step)
    name = row.called if row.role != "user" and row.called != row.sender else None
    name = "hq" if row.sender == HOUSE_ACTOR else name
    return ChatLine(
        row.id, row.role, row.sender or "", text, row.created_at.isoformat(), place, row.model, row.card, name
    )
