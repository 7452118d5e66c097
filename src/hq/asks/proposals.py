"""Proposals: a change somebody would make and somebody else decides; `hq proposal propose|accept|reject|rollback`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, ClassVar, NotRequired, TypedDict, cast
from uuid import UUID

from pydantic import Field, JsonValue

from hq.asks.answer import AskAnswered, answer, the_same
from hq.asks.asked_text import doing
from hq.asks.effect_text import Effect
from hq.asks.follow_up import follow_up, was_lost
from hq.asks.kinds import NO, YES, AskAnswer, Kind
from hq.asks.open_asks import OpenAsk, check_few
from hq.asks.proposed_call import check_proposable, doing_with
from hq.asks.rows import KeyedCallRow
from hq.asks.types import Ask, Option, Proposal
from hq.asks.withdrawal import withdraw
from hq.database.queries import beside
from hq.door.access import ANYONE, FOUNDER, LEADERS
from hq.door.arguments import parse
from hq.door.json_shape import AsJson
from hq.door.noun_args import RefArgs
from hq.door.nouns import nouns
from hq.door.results import Row, row
from hq.door.tx import Call, Tx
from hq.door.verb import Args, Ref, Result, first, verb
from hq.errors import Refused
from hq.graph.records import End, Stored
from hq.graph.store import NewLink
from hq.graph.view import EdgeFilter, NodeFilter
from hq.ids import event_name
from hq.json_types import CallArgs, JsonObject

SQL = beside(__file__)
WAYS = (Option(key=YES, label="Accept"), Option(key=NO, label="Turn down"))


class ProposedChange(TypedDict):
    """The call that a proposal makes, once it is accepted."""

    verb: str
    args: NotRequired[CallArgs]


def change_of(proposal: Proposal) -> ProposedChange | None:
    return cast("ProposedChange", proposal.change) if proposal.change else None


def kept(change: ProposedChange | None) -> dict[str, JsonValue]:
    """As the node keeps it."""
    return cast("dict[str, JsonValue]", change or {})


class ProposalOffer(Kind):
    """Any proposal: where it names a call, a yes makes it."""

    name, type, permission = "proposal", Proposal, True
    settles: ClassVar[bool] = False
    """Whether a room does itself what a yes is to."""

    def options(self, ask: Ask) -> Sequence[Option]:
        return WAYS

    def title(self, ask: OpenAsk) -> str:
        kind, verb = ask.props.kind.replace("_", " ").capitalize(), ask.props.change.get("verb")
        return f"{kind}: {doing(str(verb)).lower()}" if verb else kind

    def label(self, ask: OpenAsk, option: Option) -> str:
        effect = self.effect(ask.props, option)
        return f"{option.label}: {_small(doing_with(*effect))}" if effect else option.label

    def facts(self, ask: OpenAsk) -> Iterable[tuple[str, Any]]:
        if verb := ask.props.change.get("verb"):
            yield "would call", verb

    def effect(self, ask: Ask, option: Option) -> Effect | None:
        assert isinstance(ask, Proposal)
        change = change_of(ask)
        return (
            (change["verb"], change.get("args") or {}) if change and change.get("verb") and option.key == YES else None
        )

    def key(self, ask: Stored[Any]) -> str:
        return _key(ask.id)

    def counted(self, ask: Ask) -> str:
        assert isinstance(ask, Proposal)
        return {"accepted": YES, "applied": YES, "rolled_back": YES, "rejected": NO}.get(ask.status, "")

    async def decided(self, tx: Tx, ask: Stored[Proposal], answer: AskAnswer) -> None:
        """What else comes of it, for what is asked about something of a room's own."""

    async def answered(self, tx: Tx, ask: Stored[Proposal], answer: AskAnswer) -> Stored[Proposal]:
        became = "rejected" if answer.key == NO else "accepted"
        said = {"decided_by": answer.by, "decided_at": tx.now, "note": answer.note or answer.text or None}
        if became == "accepted" and (change := change_of(ask.props)) and ask.props.kind not in RESERVED:
            check_proposable(tx.door.registry.get(change["verb"]), ask.props.kind)
        ask = await tx.move(ask, became, **said)
        # Whether the yes does it by itself, and nobody is needed for it.
        settled = became == "accepted" and (self.settles or change_of(ask.props) is not None)
        tx.emit(f"proposal.{became}", id=str(ask.id), slug=ask.slug, kind=ask.props.kind, settled=settled)
        await self.decided(tx, ask, answer)
        if became == "accepted":
            tx.follow_ups += _made(tx, ask)
        return ask

    async def again(self, tx: Tx, ask: Stored[Proposal], answer: AskAnswer) -> Stored[Proposal] | None:
        """A yes whose call was refused, or lost with its process, is said again; or taken back."""
        if ask.status != "accepted" or not ask.props.change:
            return None
        if answer.key == YES:
            if not await was_lost(tx, ask, self.key(ask)):
                return None
            tx.follow_ups += _made(tx, ask)
            return ask
        ask = await tx.move(ask, "rejected", decided_by=answer.by, decided_at=tx.now, note=answer.note)
        tx.emit("proposal.rejected", id=str(ask.id), slug=ask.slug, kind=ask.props.kind)
        return ask


class NamedProposalOffer(ProposalOffer):
    """Proposals of one kind: those that say its name."""

    settles = True

    def fits(self, ask: Ask) -> bool:
        return isinstance(ask, Proposal) and ask.kind == self.name


def _made(tx: Tx, ask: Stored[Proposal]) -> list[Call]:
    """The call it names, by who accepted it, and a word that it was made."""
    change = change_of(ask.props)
    if not change:
        return []
    made = follow_up(tx, ask, _key(ask.id), change["verb"], change.get("args") or {})
    return [
        made,
        replace(made, verb="proposal.applied", args={"ref": str(ask.id)}, key=None, reason="", taint=frozenset()),
    ]


class Propose(Args):
    """What somebody would change."""

    kind: str = Field(min_length=1, max_length=100)
    """What sort of change, such as prompt_tweak or org_change."""
    body: str = Field("", max_length=20_000)
    """What would change and why."""
    evidence: JsonObject = Field(default_factory=dict)
    """What speaks for it."""
    change: AsJson[ProposedChange] = Field(default_factory=lambda: cast("ProposedChange", {}))
    """The call that makes the change: {"verb": "task.create", "args": {…}}."""
    about: Ref | None = None
    """What it would change."""


@verb(
    "proposal.propose",
    "write",
    for_=ANYONE,
    speaks=True,
    undo="exact",
    emits="proposal.proposed",
    examples=[{"kind": "prompt_tweak", "body": "Answer shorter.", "evidence": {"edits": 12}}],
)
async def propose(tx: Tx, args: Propose) -> Row:
    """Propose a change for somebody else to decide."""
    if args.kind in RESERVED:
        raise Refused.invalid(f"proposals of the kind {args.kind!r} are made by the house, about what is really so")
    await check_few(tx)
    about = await tx.get(args.about) if args.about else None
    await _rehearse(tx, args.kind, args.change)
    tx.target = made = await proposed(
        tx, Proposal(kind=args.kind, body=args.body, evidence=args.evidence, change=kept(args.change)), about
    )
    return row(made)


RESERVED = ("plan", "terms", "start", "delegation", "tool_access", "memory_conflict")
"""Kinds that the house makes about its own things; nobody claims one by hand."""


async def proposed(tx: Tx, proposal: Proposal, about: Stored[Any] | None = None) -> Stored[Proposal]:
    """Lay a change before whoever decides; what it calls must be a call."""
    _check_change(tx, change_of(proposal))
    made = await tx.create(proposal)
    if about is not None:
        await tx.link(made, "about", about)
    return made


def answered_with(ask: Stored[Proposal]) -> str:
    """For whom it was laid before: the one tool that answers every ask, and by what name."""
    return f"Answer with ask_answer: {ask.slug}, {YES} or {NO}."


async def lay_before(
    tx: Tx,
    kind: str,
    about: Stored[Any],
    body: str,
    *,
    by: End | None,
    to: End | None,
    mission: End,
    wanted: Sequence[str],
    change: ProposedChange | None = None,
) -> Stored[Proposal]:
    """What an agent asks about its work, before whoever gave it. One at a time: a newer one takes the place of the older."""
    if (older := await open_about(tx, about, kind)) is not None:
        await withdraw(tx, older, "another was asked for instead")
    links = [NewLink("about", about), NewLink("for_mission", mission)]
    links += [NewLink("requested_by", by)] if by else []
    links += [NewLink("addressed_to", to)] if to else []
    made = await tx.create(
        Proposal(kind=kind, body=body, open_while=list(wanted), change=kept(change)),
        slug=f"{kind}-{about.slug}"[:80],
        links=links,
    )
    tx.emit("proposal.proposed", id=str(made.id), slug=made.slug, kind=kind)
    return made


async def open_about(tx: Tx, about: Stored[Any], kind: str) -> Stored[Proposal] | None:
    """What is asked about something and still waits."""
    wanted = NodeFilter(
        types=[Proposal.type], status="pending", props={"kind": kind}, related=[EdgeFilter("about", about.id)]
    )
    found = await tx.find(wanted)
    return found[0] if found else None


def _check_change(tx: Tx, change: ProposedChange | None) -> None:
    if not change:
        return
    if not isinstance(change.get("verb"), str) or set(change) - {"verb", "args"}:
        raise Refused.invalid('change: say which call it is, as {"verb": "task.create", "args": {…}}')
    named = tx.door.registry.get(change["verb"])
    parse(named, change.get("args") or {})


IN_VAIN = ("not_found", "invalid", "conflict")
"""What a call is refused with whoever makes it; who may make it is looked at when it is made, by who accepted it."""


async def _rehearse(tx: Tx, kind: str, change: ProposedChange | None) -> None:
    """What cannot work is refused now, not after somebody's yes: a change is made and taken back."""
    _check_change(tx, change)
    if not change:
        return
    check_proposable(named := tx.door.registry.get(change["verb"]), kind)
    if named.kind != "write":
        return
    try:
        async with tx.rehearsed():
            await tx.door.do(tx, named, parse(named, change.get("args") or {}))
    except Refused as error:
        if error.code.name in IN_VAIN:
            raise


class Decide(Args):
    """Which proposal."""

    ref: Ref = first()
    """Slug or id of the proposal."""
    note: str | None = Field(None, max_length=4000)
    """What the one who proposed it should know."""


@verb("proposal.accept", "write", answers=True, for_=FOUNDER, scope="founder", target="ref")
async def accept(tx: Tx, args: Decide) -> AskAnswered:
    """Accept a proposal; where it names a call, the call is made."""
    return the_same(await answer(tx, await tx.get(args.ref, Proposal), YES, note=args.note), YES)


@verb("proposal.applied", "write", for_=FOUNDER, scope="founder", emits="proposal.applied", target="ref", internal=True)
async def applied(tx: Tx, args: RefArgs) -> Row:
    """Note that an accepted proposal's change was made; the ledger must say so."""
    proposal = await tx.get(args.ref, Proposal)
    await _applied_by(tx, proposal)
    tx.target = proposal
    return row(await tx.move(proposal, to="applied"))


@verb("proposal.reject", "write", answers=True, on_card=True, for_=FOUNDER, scope="founder", undo="exact", target="ref")
async def reject(tx: Tx, args: Decide) -> AskAnswered:
    """Turn a proposal down."""
    return the_same(await answer(tx, await tx.get(args.ref, Proposal), NO, note=args.note), NO)


class RolledBack(Result):
    slug: str
    undone: str


@verb("proposal.rollback", "write", for_=FOUNDER, scope="founder", emits="proposal.rolled_back", target="ref")
async def rollback(tx: Tx, args: RefArgs) -> RolledBack:
    """Take back what an applied proposal changed."""
    proposal = await tx.get(args.ref, Proposal)
    done = await _applied_by(tx, proposal)
    await tx.inner("action.undo", {"id": str(done)})
    await tx.move(proposal, to="rolled_back")
    tx.target = proposal
    return RolledBack(slug=proposal.slug, undone=event_name(done))


def _small(text: str) -> str:
    return text[:1].lower() + text[1:]


def _key(proposal: UUID) -> str:
    return f"proposal:{proposal}"


async def _applied_by(tx: Tx, proposal: Stored[Proposal]) -> UUID:
    """The call that made a proposal's change."""
    row_ = await tx.one(SQL["made_under_key"], {"key": _key(proposal.id)}, into=KeyedCallRow)
    if row_ is None:
        raise Refused.conflict(f"{proposal.slug} has changed nothing")
    return row_.id


KINDS = (ProposalOffer(),)
VERBS = (
    propose,
    accept,
    applied,
    reject,
    rollback,
    *nouns(Proposal, for_=LEADERS, without=("create", "update", "archive", "restore")),
)
