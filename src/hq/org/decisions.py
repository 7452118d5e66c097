"""Changes of the organisation that agents would make: they wait, and the AR Director's seat decides (seed 003 §1.1).

Each is an approval like any other, so the founder can decide it too, and does where that seat is empty. What a seat decides is
made through the door by that seat; what the founder decides, by the one who asked.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, TypedDict

from pydantic import Field

from hq.asks.answer import AskAnswered, answer, the_same
from hq.asks.approvals import CallApproval
from hq.asks.desk import check_unchanged
from hq.asks.kinds import NO, YES, AskAnswer, kind_of
from hq.asks.open_asks import waiting
from hq.asks.types import Approval, Ask
from hq.door.access import EVERYONE, PEOPLE_AND_STAFF
from hq.door.arguments import parse
from hq.door.tx import Call, Tx
from hq.door.verb import Args, Ref, first, verb
from hq.errors import Refused
from hq.graph.records import Stored
from hq.json_types import CallArgs
from hq.org.authority import DIRECTOR, sitting
from hq.org.organisations import OrgEmptyArgs
from hq.org.results import OrgListing

CHANGED = ("org", "role", "position", "persona", "org_intent")
"""The nouns of which a change that waits is one of the organisation."""
FOUNDERS = ("org.archive", "org.unassign", "position.remove", "persona.archive")
"""Of these, what takes an organisation, a seat or somebody away: asked for by another, they are the founder's to allow."""
SEAT = f"role:{DIRECTOR}"


class OrgChange(CallApproval):
    """A change of the organisation, for the AR Director's seat or the founder."""

    name = "org_change"
    also_to = (SEAT,)

    def for_call(self, verb: str) -> bool:
        return verb.partition(".")[0] in CHANGED and verb not in FOUNDERS

    def fits(self, ask: Ask) -> bool:
        return isinstance(ask, Approval) and self.for_call(ask.verb)

    async def waits_for(self, tx: Tx, agent: str) -> bool:
        return any(seat.directs for seat in await sitting(tx, agent))

    async def may_answer(self, tx: Tx, ask: Stored[Approval]) -> bool:
        return any(seat.directs for seat in await sitting(tx))

    async def answered(self, tx: Tx, ask: Stored[Approval], answer: AskAnswer) -> Stored[Approval]:
        if answer.key == YES and not tx.caller.in_person:
            await _check_seat_may_make(tx, ask)
        return await super().answered(tx, ask, answer)

    def call(self, tx: Tx, ask: Stored[Approval]) -> Call:
        call = super().call(tx, ask)
        return call if tx.caller.in_person else replace(call, actor=tx.call.actor)


async def _check_seat_may_make(tx: Tx, ask: Stored[Approval]) -> None:
    """Looked at before the yes is kept: a seat makes the change itself, so it must be one that a seat may make."""
    wanted = tx.door.registry.get(ask.props.verb)
    if wanted.kind != "write":
        raise Refused.forbidden(
            f"{wanted.name} reaches beyond the graph; `hq approval approve {ask.slug}` is the founder's"
        )
    args = parse(wanted, dict(ask.props.arguments))
    await check_unchanged(tx, ask, wanted, args)
    verdict = await tx.door.verdict(tx, wanted, args)
    if verdict.decision == "ask":
        raise Refused.forbidden(f"{wanted.name} is the founder's to decide")


class OrgProposal(TypedDict):
    """A change of the organisation that waits."""

    approval: str
    verb: str
    requester: str | None
    why: str | None
    arguments: CallArgs


@verb("org.proposals", "read", for_=EVERYONE, examples=[{}], text="hq.org.yaml_text:answer")
async def proposals(tx: Tx, args: OrgEmptyArgs) -> OrgListing[OrgProposal]:
    """Changes of the organisation that wait for the AR Director or the founder."""
    asked = await waiting(tx, SEAT)
    return OrgListing[OrgProposal](
        items=[
            {
                "approval": each.slug,
                "verb": each.props.verb,
                "requester": each.props.requester,
                "why": each.props.why,
                "arguments": each.props.arguments,
            }
            for each in asked
        ]
    )


class DecideOrgChange(Args):
    """Which change, and whether it is made."""

    ref: Ref = first()
    """Slug of the approval, as `hq org proposals` shows it."""
    decision: Literal["yes", "no"] = "yes"
    """Whether the change is made."""
    note: str | None = Field(None, max_length=2000)
    """What the one who asked should know."""


@verb(
    "org.decide",
    "write",
    answers=True,
    for_=PEOPLE_AND_STAFF,
    speaks=True,
    emits="org.decided",
    target="ref",
    text="decided {slug}: {answer}",
)
async def decide(tx: Tx, args: DecideOrgChange) -> AskAnswered:
    """Decide a change of the organisation that an agent proposed, from the AR Director's seat; a yes makes it."""
    approval = await tx.get(args.ref, Approval)
    if not isinstance(kind_of(tx, approval), OrgChange):
        raise Refused.forbidden(f"{approval.slug} does not change the organisation; the founder decides it")
    given = YES if args.decision == "yes" else NO
    return the_same(await answer(tx, approval, given, note=args.note), given)


KINDS = (OrgChange(),)
VERBS = (proposals, decide)
