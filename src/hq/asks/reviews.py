"""Reviews: a choice that a machine was not sure enough of, or not allowed to take; `hq review resolve|defer|dismiss`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import Field

from hq.asks.answer import AskAnswered, answer, the_same
from hq.asks.kinds import AskAnswer, Kind, check_ways
from hq.asks.open_asks import check_few
from hq.asks.quotation import check_line
from hq.asks.snooze import Later, put_off
from hq.asks.types import Ask, Option, Review
from hq.asks.withdrawal import withdraw
from hq.door.access import LEADERS, STAFF
from hq.door.nouns import nouns
from hq.door.results import Row, row
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, first, verb
from hq.errors import Refused
from hq.graph.records import Stored

# What follows from an answer is not written by hand.
DECIDED = ("status", "choice", "note", "defer_until", "decided_by", "decided_at")


async def _check(tx: Tx, args: Any) -> None:
    check_line("question_text", args.question_text or "")
    check_ways(args.options or ())


async def _check_new(tx: Tx, args: Any) -> None:
    await check_few(tx)
    await _check(tx, args)


class ReviewChoice(Kind):
    """One of some options, for the founder or the CEO."""

    name, type = "review", Review
    carried = True

    def options(self, ask: Ask) -> Sequence[Option]:
        assert isinstance(ask, Review)
        return ask.options

    async def may_answer(self, tx: Tx, ask: Stored[Review]) -> bool:
        return tx.caller.role == "ceo"

    async def answered(self, tx: Tx, ask: Stored[Review], answer: AskAnswer) -> Stored[Review]:
        said = {"choice": answer.key, "note": answer.note, "decided_by": answer.by, "decided_at": tx.now}
        ask = await tx.move(ask, "resolved", **said)
        tx.emit("review.resolved", id=str(ask.id), slug=ask.slug, choice=answer.key)
        return ask


class Resolve(Args):
    """What is decided."""

    ref: Ref = first()
    """Slug or id of the review."""
    choice: str = Field(max_length=100)
    """The key of one of its options."""
    note: str | None = Field(None, max_length=4000)
    """Anything to add."""


@verb("review.resolve", "write", answers=True, on_card=True, for_=LEADERS, speaks=True, undo="exact", target="ref")
async def resolve(tx: Tx, args: Resolve) -> AskAnswered:
    """Decide a review by choosing one of its options."""
    return the_same(await answer(tx, await tx.get(args.ref, Review), args.choice, note=args.note), args.choice)


class Defer(Args):
    """Until when."""

    ref: Ref = first()
    """Slug or id of the review."""
    until: Later = None


@verb("review.defer", "write", for_=LEADERS, speaks=True, undo="exact", emits="review.deferred", target="ref")
async def defer(tx: Tx, args: Defer) -> Row:
    """Put a review off."""
    return row(await put_off(tx, await tx.get(args.ref, Review), args.until))


class Dismiss(Args):
    """Which review. Say why with --reason."""

    ref: Ref = first()
    """Slug or id of the review."""


@verb("review.dismiss", "write", for_=LEADERS, speaks=True, undo="exact", target="ref")
async def dismiss(tx: Tx, args: Dismiss) -> Row:
    """Close a review without deciding it."""
    if not tx.call.reason:
        raise Refused.invalid("say why with --reason")
    return row(await withdraw(tx, await tx.get(args.ref, Review), tx.call.reason))


KINDS = (ReviewChoice(),)
VERBS = (
    resolve,
    defer,
    dismiss,
    *nouns(
        Review,
        without=("archive", "restore"),  # what waits is answered or dismissed, never made to vanish
        kept=DECIDED,
        said=("about",),
        before={"create": _check_new, "update": _check},
        for_=LEADERS,
        made_by=STAFF,
        speaks=True,
        examples={"create": [{"question_text": "Merge these two?", "options": [{"key": "yes", "label": "Yes"}]}]},
    ),
)
