"""Answering: the only way in which an ask comes to its end by somebody's word. Once, whoever answers and from wherever."""

from __future__ import annotations

from typing import Any, Literal

from hq.asks import interpreter
from hq.asks.authority import check_may_answer
from hq.asks.interpreter import AskCandidate
from hq.asks.kinds import AnswerTerms, AskAnswer, Kind, Kinds, chosen, kind_of, ways
from hq.asks.open_asks import ended
from hq.asks.quotation import quoted as quotation
from hq.asks.rows import EndedAskRow
from hq.asks.types import Ask, Option
from hq.database.queries import beside
from hq.door.results import Row
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, first
from hq.errors import Refused
from hq.grammar import with_article
from hq.graph.records import Stored
from hq.graph.view import EdgeFilter, NodeFilter

SQL = beside(__file__)


class WhichAsk(Args):
    """Which ask."""

    ask: Ref = first()
    """Its slug or id, as `hq ask list` shows it."""


class AskAnswered(Row):
    """An ask and what came of it."""

    type: str = ""
    answer: str | None = None
    """The option that counts: of the first answer."""
    answered_by: str | None = None
    answered_at: str | None = None
    already: bool = False
    """Somebody had answered before; nothing was done again."""
    counted: bool = True
    """Whether the answer that was given is the one that counts; not where another came first."""
    state: Literal["answered", "withdrawn"] = "answered"
    """Withdrawn where it came to its end before anybody answered."""
    ended_by: str | None = None
    """Who withdrew it."""
    why: str | None = None
    """Why it was withdrawn."""


async def found(tx: Tx, ref: str) -> Stored[Any]:
    """The ask of that name."""
    ask = await tx.get(ref)
    if not isinstance(ask.props, Ask):
        ask = await about_what(tx, ask) or ask
    if not isinstance(ask.props, Ask):
        if not await tx.may_hear_of(ask):
            raise tx.absent(ref)
        raise Refused.invalid(
            f"{ref!r} is {with_article(ask.type)}; nothing is asked there", hint="`hq ask list` shows what waits"
        )
    return ask


async def about_what(tx: Tx, node: Stored[Any]) -> Stored[Any] | None:
    """The newest ask for which something that is no ask itself is another name, if it is one."""
    types = {kind.type.type for kind in tx.use(Kinds).kinds if kind.stands_for == node.type}
    asks = await tx.find(NodeFilter(types=sorted(types), related=[EdgeFilter("about", node.id)])) if types else []
    named = [ask for ask in asks if kind_of(tx, ask).stands_for == node.type]
    return max(named, key=lambda ask: (ask.created_at, ask.id), default=None)


async def answer(
    tx: Tx,
    ask: Stored[Any],
    option: str | None = None,
    text: str | None = None,
    *,
    note: str | None = None,
    message: str | None = None,
    **terms: Any,
) -> AskAnswered:
    """Lock, look, decide who may, move, and let follow what follows."""
    kind = kind_of(tx, ask)
    tx.target = ask
    by, quoted = await check_may_answer(tx, kind, ask, message)
    if quoted and text and text.strip() != quoted.strip():
        raise Refused.invalid(
            "with `message` the answer is what the founder said there, word for word",
            hint="leave `text` out, or say by `option` which of its options that is",
        )
    way, words = chosen(kind, ask, option, (quoted if option is None else "") or text)
    if quoted and way is not None:
        _check_reading(kind, ask, way, quoted)
    given = AskAnswer(
        by, way, words, note, AnswerTerms(**{name: value for name, value in terms.items() if value is not None})
    )
    if ask.props.stands == "expired" or (ask.props.stands == "open" and _too_late(tx, ask)):
        raise Refused(f"{ask.slug} expired; it has to be asked again", code="expired")
    if over := await ended(tx, ask):
        return of(kind, ask, already=True).model_copy(
            update={"counted": False, "ended_by": over.by, "why": over.why, "state": ask.props.stands}
        )
    if ask.props.stands != "open":
        if (again := await kind.again(tx, ask, given)) is not None:
            await _set_going(tx, kind, again)
            if kind.counted(again.props) != kind.counted(ask.props):  # taken back: its card says so too
                await tx.conn.execute(SQL["let_go_faces"], {"ask": ask.id})
                await _press_faces(tx, kind, ask, way, by)
        told = of(kind, again or ask, already=again is None or kind.counted(again.props) == kind.counted(ask.props))
        return told.model_copy(update={"counted": not told.already or told.answer in (given.key, given.words)})
    tx.taint |= ask.taint
    tx.target = done = await kind.answered(tx, ask, given)
    await _set_going(tx, kind, done)
    await _press_faces(tx, kind, ask, way, by)
    tx.emit("ask.answered", id=str(ask.id), slug=ask.slug, type=ask.type, kind=kind.name, answer=given.key, by=by)
    return of(kind, done)


async def _press_faces(tx: Tx, kind: Kind, ask: Stored[Any], way: Option | None, by: str) -> None:
    pressed = {"ask": ask.id, "button": called(kind, ask, way), "by": by, "now": tx.now}
    await tx.conn.execute(SQL["press_faces"], pressed)


def _check_reading(kind: Kind, ask: Stored[Any], way: Option, said: str) -> None:
    """Which option the founder's words mean says the CEO, and it stands so; not against what the house reads in them."""
    options = kind.options(ask.props)
    read = interpreter.chosen(said, AskCandidate(ask.slug, ask.title, [(each.key, each.label) for each in options]))
    if read is not None and read != way.key:
        raise Refused.conflict(
            f"the founder said {quotation(said)}, which reads as {read!r} and not as {way.key!r}",
            hint=f"say {read!r}, or let the founder answer {ask.slug}",
        )


async def _set_going(tx: Tx, kind: Kind, ask: Stored[Any]) -> None:
    """Note under which key the call of the answer is made: one that is lost with its process is missed by that."""
    key = kind.key(ask)
    if any(call.key == key for call in tx.follow_ups):
        await tx.conn.execute(SQL["set_going"], {"ask": ask.id, "key": key, "status": ask.status, "now": tx.now})


def ended_text(ask: Stored[Any], over: EndedAskRow) -> str:
    """How one came to its end without an answer."""
    return f"was {ask.props.stands} by {over.by}" + (f": {over.why}" if over.why else "")


def called(kind: Kind, ask: Stored[Any], option: Option | None) -> str:
    """What an answer is called on the faces of its ask."""
    names = (name for name, each in ways(kind, ask.props).items() if each == option)
    return next(names, option.key if option else "")


def _too_late(tx: Tx, ask: Stored[Any]) -> bool:
    until = ask.props.until
    return until is not None and until <= tx.now


def of(kind: Kind, ask: Stored[Any], *, already: bool = False) -> AskAnswered:
    by, at = ask.props.decision
    return AskAnswered.model_validate(
        {
            **ask.brief(),
            "type": ask.type,
            "answer": kind.counted(ask.props) or None,
            "answered_by": by,
            "answered_at": at.isoformat() if at else None,
            "already": already,
        }
    )


def the_same(told: AskAnswered, *answers: str) -> AskAnswered:
    """For a command that stands for one answer: another one that came first is told as a conflict."""
    if told.already and told.answer not in answers:
        who = f" by {told.answered_by or told.ended_by}" if told.answered_by or told.ended_by else ""
        when = f" at {told.answered_at[:16].replace('T', ' ')}" if told.answered_at else ""
        why = f": {told.why}" if told.why else ""
        raise Refused.conflict(f"{told.slug} is already {told.status}{who}{when}{why}")
    return told
