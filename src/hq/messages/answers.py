"""Answers to messages: how one reaches whoever asked, also when the founder answers the question in the inbox."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NotRequired, TypedDict, cast

from hq.agents.wakeup import WakeChain
from hq.asks.founder_words import repeats_founder
from hq.asks.kinds import AskAnswer
from hq.asks.open_asks import OpenAsk
from hq.asks.types import Ask as Ask_
from hq.asks.types import Option, Question
from hq.database.queries import beside
from hq.door.tx import Tx
from hq.door.verb import Result
from hq.engine.sessions.life import LIVE
from hq.graph.records import Stored
from hq.ids import new_id, parse_id
from hq.memory.discretion import AtDiscretion, keep_word
from hq.messages import addresses
from hq.messages.addresses import FOUNDER, To
from hq.messages.post import Draft, Posted, send_to, sender, write
from hq.messages.questions import SOURCE
from hq.messages.rows import MessageRow

SQL = beside(__file__)


class SentItem(TypedDict):
    """A message that was sent, as one of several; the fields are those of `MessageSent`."""

    agent: str
    message: NotRequired[str]
    state: NotRequired[str]
    session: NotRequired[str]
    held: NotRequired[str]
    handoff: NotRequired[str]


class MessageSent(Result):
    agent: str
    """Who gets it; for an empty seat, the address."""
    message: str | None = None
    """Its id; `hq agent read` shows what became of it."""
    state: str | None = None
    """queued until somebody takes it up, delivered, read, answered, expired."""
    session: str | None = None
    """The session that was opened for it; `hq session show` follows it."""
    held: str | None = None
    """Why it was not delivered."""
    handoff: str | None = None
    """The handoff that was asked for in words; `hq handoff show` follows it."""

    def as_item(self) -> SentItem:
        return cast("SentItem", self.model_dump(exclude_none=True))


def sent(address: str, posted: Posted) -> MessageSent:
    return MessageSent(
        agent=FOUNDER if posted.to.founder else posted.to.agent or address,
        message=None if posted.held else str(posted.id),
        state=None if posted.held else posted.state,
        session=str(posted.session) if posted.session else None,
        held=posted.held,
    )


class MessageQuestion(AtDiscretion):
    """What an agent asks the founder in words."""

    name, type = "message", Question
    way_up = "ask the founder (`agent_ask founder`)"

    def fits(self, ask: Ask_) -> bool:
        return isinstance(ask, Question) and ask.kind == SOURCE

    def options(self, ask: Ask_) -> Sequence[Option]:
        assert isinstance(ask, Question)
        return ask.options

    def is_asked(self, ask: Stored[Question]) -> bool:
        """What has no options is talk, and answered by whom it was said to."""
        return bool(ask.props.options)

    def title(self, ask: OpenAsk) -> str:
        return f"{ask.agent or 'Somebody'} {'asks' if ask.title.rstrip().endswith('?') else 'writes'}: {ask.title}"

    def counted(self, ask: Ask_) -> str:
        assert isinstance(ask, Question)
        return ask.answer or ""

    async def answered(self, tx: Tx, ask: Stored[Question], answer: AskAnswer) -> Stored[Question]:
        because = await self.rests_on(tx, ask, answer)
        message = await _message_of(tx, ask)
        if message is not None and message.state not in ("answered", "expired"):
            await send_answer(tx, message, answer.words)
        return await keep_answer(tx, ask, answer.words, answer.by, choice=answer.key or None, because=because)

    async def withdrawn(self, tx: Tx, ask: Stored[Question], why: str) -> None:
        message = await _message_of(tx, ask)
        if message is not None and message.state not in ("answered", "expired"):
            await settle(tx, message, "expired")


async def keep_answer(tx: Tx, ask: Stored[Question], words: str, by: str, **more: Any) -> Stored[Question]:
    """What was answered, with the ask; and where somebody decided, for the company too: it may come up again."""
    ask = await tx.move(ask, "answered", answer=words, answered_by=by, answered_at=tx.now, **more)
    if ask.props.options:
        await keep_word(tx, ask.props.question_text, words)
    repeats = {"founder_said": True} if await repeats_founder(tx, words) else {}
    tx.emit("question.answered", id=str(ask.id), slug=ask.slug, by=by, **repeats)
    return ask


async def _message_of(tx: Tx, ask: Stored[Question]) -> Any:
    """The message that a question was asked in; nobody else answers it meanwhile."""
    id = parse_id(str(ask.external_id))
    await tx.conn.execute(SQL["lock_message"], {"id": id})
    return await tx.one(SQL["message"], {"id": id}, into=MessageRow)


async def send_answer(tx: Tx, message: Any, text: str, by: str | None = None) -> MessageSent:
    """One that waits for it gets it as the outcome of its call; everybody else by mail."""
    draft = Draft("answer", text, message.sender, thread=message.thread_id, reply_to=message.id)
    waits = message.kind == "question" and message.asker in LIVE
    back = _back(message.sender)
    if waits or back.founder or by or message.sender == sender(tx):
        id, session = new_id(), message.sender_session if waits else None
        state = "delivered" if waits or back.founder else "queued"
        await write(tx, draft, id, back, state, session, WakeChain(0, None), step=0 if waits else None, by=by)
        posted = Posted(id, back, state)
    else:
        me = await addresses.own_place(tx)
        posted = await send_to(tx, draft, back, me)
    await settle(tx, message, "answered", by)
    return sent(message.sender, posted)


async def settle(tx: Tx, message: Any, state: Literal["answered", "expired"], by: str | None = None) -> None:
    """A message has come to its end; whoever waits for it goes on."""
    await tx.conn.execute(
        SQL["move"],
        {
            "id": message.id,
            "state": state,
            "recipient": message.recipient or (sender(tx) if state == "answered" else None),
            "seat": message.seat,
            "session": message.session_id,
            "step": message.step,
            "deadline": None,
            "now": tx.now,
        },
    )
    woken = await tx.scalar(SQL["wake_for"], {"thing": f"message:{message.id}", "now": tx.now}, of=int)
    tx.queues_work = tx.queues_work or bool(woken)
    if state == "answered":
        tx.emit("message.answered", id=str(message.id), kind=message.kind, by=by or sender(tx))
    else:
        tx.emit("message.expired", id=str(message.id), kind=message.kind)


def _back(actor: str) -> To:
    return To(agent=actor.removeprefix("agent:")) if actor.startswith("agent:") else To(founder=True)


KINDS = (MessageQuestion(),)
