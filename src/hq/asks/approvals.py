"""Approvals: permission for one call. A yes makes the parked call as the one who asked; `hq approval approve|reject`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any

from pydantic import Field

from hq.asks.answer import AskAnswered, answer, the_same
from hq.asks.asked_text import doing
from hq.asks.desk import approval_key
from hq.asks.effect_text import Effect
from hq.asks.follow_up import was_lost
from hq.asks.forecast import FACT
from hq.asks.kinds import NO, YES, AskAnswer, Kind
from hq.asks.open_asks import OpenAsk
from hq.asks.types import Approval, Ask, Grant, Option
from hq.door.access import FOUNDER
from hq.door.nouns import nouns
from hq.door.tx import Call, Tx
from hq.door.verb import Args, Ref, first, verb
from hq.graph.records import Stored
from hq.ids import new_id

_WEIGHTY = re.compile(r"tool|scope|spend|budget|cost|limit|amount|command|mission")
"""Arguments that say what somebody may do and spend: they are told first, where there is room for few."""
WAYS = (Option(key=YES, label="Approve"), Option(key=NO, label="Decline"))


class CallApproval(Kind):
    """Permission for a call that the gate stopped."""

    name, type, permission = "call", Approval, True

    def options(self, ask: Ask) -> Sequence[Option]:
        return WAYS

    def title(self, ask: OpenAsk) -> str:
        return ask.props.asks or doing(ask.props.verb)

    def facts(self, ask: OpenAsk) -> Iterable[tuple[str, Any]]:
        if ask.props.forecast:
            yield FACT, ask.props.forecast
        said = sorted(ask.props.arguments.items(), key=lambda each: not _WEIGHTY.search(each[0]))
        yield from ((name.replace("_", " "), value) for name, value in said)

    def label(self, ask: OpenAsk, option: Option) -> str:
        return f"Approve: {doing(ask.props.verb).lower()}" if option.key == YES else option.label

    def effect(self, ask: Ask, option: Option) -> Effect | None:
        assert isinstance(ask, Approval)
        return (ask.verb, ask.arguments) if option.key == YES else None

    def key(self, ask: Stored[Any]) -> str:
        return approval_key(ask.id)

    def counted(self, ask: Ask) -> str:
        assert isinstance(ask, Approval)
        taken_back = NO if ask.decided_by else ""  # a yes was, or who asked needs it no more
        return {"approved": YES, "done": YES, "failed": YES, "rejected": NO, "cancelled": taken_back}.get(
            ask.status, ""
        )

    async def answered(self, tx: Tx, ask: Stored[Approval], answer: AskAnswer) -> Stored[Approval]:
        said = {"decided_by": answer.by, "decided_at": tx.now, "note": answer.note or answer.text or None}
        if answer.key == NO:
            ask = await tx.change(ask, {"status": "rejected", **said})
            tx.emit("approval.rejected", id=str(ask.id), slug=ask.slug, verb=ask.props.verb)
            return ask
        ask = await tx.change(ask, {"status": "approved", **said})
        return await self._goes_on(tx, ask, answer)

    async def again(self, tx: Tx, ask: Stored[Approval], answer: AskAnswer) -> Stored[Approval] | None:
        """A yes that could not be used yet, because of a freeze or a crash, is said again, or taken back."""
        if ask.status != "approved" or not await was_lost(tx, ask, self.key(ask)):
            return None  # also where its call is only on its way: the first word counts
        if answer.key == YES:
            return await self._goes_on(tx, ask, answer)
        said = {"decided_by": answer.by, "decided_at": tx.now, "note": answer.note}
        ask = await tx.change(ask, {"status": "cancelled", **said})
        tx.emit("approval.rejected", id=str(ask.id), slug=ask.slug, verb=ask.props.verb)
        return ask

    async def _goes_on(self, tx: Tx, ask: Stored[Approval], answer: AskAnswer) -> Stored[Approval]:
        if always_for := answer.terms.get("always_for"):
            await _grant(tx, ask, always_for, answer.terms.get("days"), answer.by)
        tx.emit("approval.approved", id=str(ask.id), slug=ask.slug, verb=ask.props.verb)
        return await self.allowed(tx, ask)

    async def allowed(self, tx: Tx, ask: Stored[Approval]) -> Stored[Approval]:
        """What a yes sets going."""
        tx.follow_ups.append(self.call(tx, ask))
        return ask

    def call(self, tx: Tx, ask: Stored[Approval]) -> Call:
        """The parked call, by the answerer's credential narrowed to who asked."""
        return Call(
            ask.props.verb,
            dict(ask.props.arguments),
            tx.call.token,
            actor=ask.props.requester,
            key=approval_key(ask.id),
            reason=ask.props.why,
            parent_id=tx.action_id,
            approval_id=ask.id,
            inside=True,
            taint=ask.taint,
        )


async def _grant(tx: Tx, approval: Stored[Approval], always_for: str, days: float | None, by: str) -> None:
    scope = None if always_for == "any" else (await tx.get(always_for)).slug
    await tx.create(
        Grant(
            actor=approval.props.requester,
            verb=approval.props.verb,
            scope=scope,
            expires_at=tx.now + timedelta(days=days) if days else None,
            granted_by=by,
            from_approval=approval.slug,
        ),
        slug=f"grant-{approval.props.verb.replace('.', '-')}-{new_id().hex[-8:]}",
    )


class Approve(Args):
    """Which approval."""

    ref: Ref = first()
    """Its slug, as `hq approval list` shows it."""
    note: str | None = Field(None, max_length=2000)
    """What the one who asked should know."""
    always_for: str | None = Field(None, max_length=200)
    """From now on without asking: `any`, or the slug it is limited to."""
    days: float | None = Field(None, gt=0, le=3650)
    """How long that grant lasts."""


@verb("approval.approve", "write", answers=True, for_=FOUNDER, scope="founder", target="ref")
async def approve(tx: Tx, args: Approve) -> AskAnswered:
    """Say yes: the parked call goes on at once, as the one who asked."""
    asked = await tx.get(args.ref, Approval)
    return the_same(await answer(tx, asked, YES, note=args.note, always_for=args.always_for, days=args.days), YES)


class Reject(Args):
    """Which approval."""

    ref: Ref = first()
    """Its slug."""
    note: str | None = Field(None, max_length=2000)
    """Why not."""


@verb("approval.reject", "write", answers=True, for_=FOUNDER, scope="founder", target="ref")
async def reject(tx: Tx, args: Reject) -> AskAnswered:
    """Say no: the parked call never runs. A yes that has not been used yet is taken back."""
    return the_same(await answer(tx, await tx.get(args.ref, Approval), NO, note=args.note), NO)


KINDS = (CallApproval(),)
VERBS = (
    approve,
    reject,
    *nouns(
        Approval,
        found_by=("verb",),
        without=("create", "update", "archive", "restore"),
        text="hq.asks.approval_text:approval",
    ),
)
