"""Asks of the CEO itself: a card with buttons that do something is a face of a question whose options are these buttons."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from hq.asks.follow_up import follow_up, was_lost
from hq.asks.kinds import AskAnswer, Kind
from hq.asks.types import ActingOption, Ask, Option, Question
from hq.ceo.card_parts import Content
from hq.door.tx import Call, Tx
from hq.graph.moment import parse_moment
from hq.graph.records import Stored
from hq.graph.store import NewLink

SOURCE = "card"
SAYS = (None, "chat.say")


async def ask_by_card(
    tx: Tx,
    card: UUID,
    content: Content,
    about: Stored[Any] | None,
    *,
    acts_as: str | None = None,
    expires: datetime | None = None,
) -> Stored[Question]:
    """The question behind a card."""
    options = [
        ActingOption(key=each.key, label=each.label, verb=each.verb, args=each.args)
        for each in content.buttons
        if each.link is None
    ]
    return await tx.create(
        Question(
            question_text=content.title,
            context=content.text or None,
            kind=content.kind,
            options=options,
            acts_as=acts_as if any(each.verb for each in options) else None,
            recommendation=next((each.key for each in content.buttons if each.main), None),
            severity=content.severity,
            open_while=content.open_while if about else None,
            deadline=expires or (parse_moment(content.expires, tx.now) if content.expires else None),
        ),
        links=[NewLink("about", about)] if about else [],
        external=(SOURCE, str(card)),
    )


class CardQuestion(Kind):
    """What the CEO puts before the founder with buttons of its own."""

    name, type = "card", Question
    carried = True

    def fits(self, ask: Ask) -> bool:
        return isinstance(ask, Question) and ask.kind != "message"

    def is_permission(self, ask: Ask) -> bool:
        """A press lets something be done; one that only says something is as good as a word."""
        return any(option.verb not in SAYS for option in self.options(ask))

    def options(self, ask: Ask) -> Sequence[ActingOption]:
        assert isinstance(ask, Question)
        return ask.options

    def is_said(self, ask: Ask, option: str | None) -> bool:
        assert isinstance(ask, Question)
        says = next((each.verb for each in self.options(ask) if each.key == option), None)
        return says == "chat.say" or (says is None and ask.kind == "choice")

    def key(self, ask: Stored[Any]) -> str:
        return f"card:{ask.external_id}:{ask.props.choice}"

    async def answered(self, tx: Tx, ask: Stored[Question], answer: AskAnswer) -> Stored[Question]:
        said = {"choice": answer.key, "answer": answer.words, "answered_by": answer.by, "answered_at": tx.now}
        ask = await tx.move(ask, "answered", **said)
        tx.emit("question.answered", id=str(ask.id), slug=ask.slug, by=answer.by, choice=answer.key)
        if call := self._call(tx, ask, in_chat=bool(answer.terms.get("said"))):
            tx.follow_ups.append(call)
        return ask

    async def again(self, tx: Tx, ask: Stored[Question], answer: AskAnswer) -> Stored[Question] | None:
        """Pressed once more, after the call of the first press got lost with its process."""
        call = self._call(tx, ask) if answer.key == ask.props.choice else None
        if call is None or not await was_lost(tx, ask, self.key(ask)):
            return None
        tx.follow_ups.append(call)
        return ask

    def _call(self, tx: Tx, ask: Stored[Question], *, in_chat: bool = False) -> Call | None:
        """What a press calls, in the name of who made the card where that is an agent. A choice that calls nothing of itself
        is told to the CEO, unless it was said there."""
        option: Option | None = next((each for each in ask.props.options if each.key == ask.props.choice), None)
        if not isinstance(option, ActingOption) or (in_chat and option.verb in SAYS):
            return None
        if option.verb:
            return follow_up(tx, ask, self.key(ask), option.verb, option.args, ask.props.acts_as)
        if ask.props.kind == "choice":
            return follow_up(tx, ask, self.key(ask), "chat.tell_choice", {"ask": str(ask.id)})
        return None
