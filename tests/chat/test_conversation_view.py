"""Following a conversation: words on their way are shown until they have arrived, and not once more after that."""

from __future__ import annotations

from uuid import UUID

from hq.chat.conversation_view import unless_said
from hq.chat.lines import ChatLine
from hq.chat.status import ChatStatus
from hq.stream.cursor import UNSETTLED, Cursor

SESSION = UUID(int=7)
SPEAKING = ChatStatus("working", "answering", str(SESSION), "cube is ok: / 32% of spa", 5)


def line(step: int, role: str = "assistant") -> ChatLine:
    return ChatLine("x", role, "chief", "cube is ok", "2026-11-15T21:00:00+00:00", Cursor.of_step(SESSION, step))  # type: ignore[arg-type]


def test_words_that_have_arrived_meanwhile_are_not_on_their_way_any_more():
    assert unless_said(SPEAKING, [line(5)]).draft == ""


def test_words_stay_while_only_something_earlier_or_not_yet_heard_is_there():
    assert unless_said(SPEAKING, [line(3), line(UNSETTLED, "user")]) == SPEAKING
    assert unless_said(SPEAKING, []) == SPEAKING
