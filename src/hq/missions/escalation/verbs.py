"""`hq escalation raise|resolve|pass_on|withdraw`: questions bubble up, answers flow down and are remembered (003 §6)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from pydantic import Field

from hq.asks.answer import AskAnswered, answer, the_same
from hq.asks.open_asks import check_few
from hq.asks.quotation import check_line
from hq.asks.types import Escalation
from hq.asks.withdrawal import withdraw as take_back
from hq.door.access import CREW, HOUSE, PEOPLE_AND_STAFF, STAFF, Touch, at_home
from hq.door.nouns import nouns
from hq.door.results import Awaited, Row, row
from hq.door.tx import Tx
from hq.door.verb import Args, Gate, Ref, first, verb
from hq.errors import Refused
from hq.graph.records import Stored
from hq.json_types import Props
from hq.missions.escalation.route import next_above
from hq.missions.escalation.trigger import asked, news, raise_escalation
from hq.missions.notice import tell
from hq.missions.overview import standing
from hq.missions.parties import agent_name, parties
from hq.missions.types import Mission
from hq.org.agent import Agent

SURE = 0.7
"""From here on an agent is sure enough to decide by itself."""


class EscalationRaiseArgs(Args):
    """What cannot be resolved."""

    summary: str = first(min_length=1, max_length=500)
    """What it is, in one line; as a question where it is one, and otherwise as what stands in the way."""
    mission: Ref | None = None
    """The mission that is stuck."""
    context: str | None = Field(None, max_length=20_000)
    """What was tried, what is known, and what you would do."""
    confidence: float | None = Field(None, ge=0, le=1)
    """How sure you are of what you would do; below 0.7 it is for somebody else to decide."""
    options: list[str] = Field(default_factory=list, max_length=8)
    """Answers to choose from; each in a few words, and who is asked may answer in other words all the same."""
    risk: Gate = "internal"
    """What the answer lets happen. By the risk table that says who may decide it: somebody above, or only the founder."""


class EscalationRaised(Awaited):
    slug: str
    id: str
    to: str | None = None
    """Who is asked."""
    passed: int = 0
    """How many seats were passed in which nobody works."""
    resolution: str | None = None


async def _settled(tx: Tx, earlier: Mapping[str, Any]) -> EscalationRaised:
    return await _as_result(tx, await tx.get(earlier["id"], Escalation))


async def _as_result(tx: Tx, escalation: Stored[Escalation], since: int | None = None) -> EscalationRaised:
    shown = EscalationRaised(slug=escalation.slug, id=str(escalation.id), passed=escalation.props.hops)
    shown.to = next((link.other_slug for link in await tx.links(escalation, edge="addressed_to")), None)
    if escalation.status == "open":
        shown.waits_for, shown.waits_since = f"escalation:{escalation.id}", since or escalation.seq
        shown.waits_on = ["escalation.resolved", "escalation.withdrawn"]
    else:
        shown.resolution = escalation.props.resolution or escalation.status
    return shown


@verb(
    "escalation.raise",
    "wait",
    shows=("mission", "context", "options", "risk"),
    for_=CREW,
    touches=at_home("mission", optional=True),
    speaks=True,
    result_of_wait=_settled,
    examples=[{"summary": "Postgres or SQLite?", "mission": "flight-tracker", "confidence": 0.5}],
)
async def raise_(tx: Tx, args: EscalationRaiseArgs) -> EscalationRaised:
    """Lay something you cannot resolve before who stands above you, and wait for the answer."""
    if args.confidence is not None and args.confidence >= SURE:
        raise Refused.invalid(f"you are sure enough ({args.confidence:g}); decide, and note it with `hq mission note`")
    await check_few(tx)
    for what, text in (("summary", args.summary), *(("options", each) for each in args.options)):
        check_line(what, text)
    name = agent_name(tx)
    agent = await tx.look_up(name, Agent) if name else None
    mission = await tx.get(args.mission, Mission) if args.mission else None
    if agent is None:
        if mission is None:
            raise Refused.invalid("an agent escalates; say --mission to do it for the agent that works on one")
        who = await parties(tx, mission.id)
        if who.assignee is None:
            raise Refused.conflict(f"nobody works on {mission.slug}")
        agent = await tx.get(who.assignee, Agent)
    trigger = "low_confidence" if args.confidence is not None else "self_report"
    made = await raise_escalation(
        tx, agent, mission, trigger, args.summary, args.context, options=args.options, risk=args.risk
    )
    assert made is not None
    tx.target = made
    return await _as_result(tx, made, tx.seq)


class EscalationResolveArgs(Args):
    """Which one, and the answer."""

    ref: Ref = first()
    """Slug or id of the escalation."""
    answer: str = first(min_length=1, max_length=20_000)
    """What is decided, in words that can be acted on."""
    always: bool = False
    """It is how you want it from now on, not only this once: kept as a preference, and in every brief it fits."""
    because: list[Ref] = Field(default_factory=list, max_length=10)
    """What it rests on; of an agent's answer: memories or decisions by slug, older than the question."""


@verb(
    "escalation.resolve",
    "write",
    shows=("because",),
    on_card=True,
    for_=PEOPLE_AND_STAFF,
    speaks=True,
    target="ref",
    examples=[{"ref": "postgres-or-sqlite", "answer": "Postgres."}],
)
async def resolve(tx: Tx, args: EscalationResolveArgs) -> AskAnswered:
    """Answer an escalation; who asked goes on with it. The answer is remembered: by the mission, and where it was a question also
    by the company and the persona. What an agent answered the founder may decide otherwise."""
    escalation = await tx.get(args.ref, Escalation)
    terms = {"always": args.always or None, "because": args.because or None}
    return the_same(await answer(tx, escalation, text=args.answer, **terms), args.answer)


class EscalationPassOnArgs(Args):
    """Which one."""

    ref: Ref = first()
    """Slug or id of the escalation."""
    note: str | None = Field(None, max_length=4000)
    """What to add for who gets it next."""


@verb(
    "escalation.pass_on",
    "write",
    # Whom it is with, the CEO, the founder, and the house when it lies too long.
    for_=STAFF,
    touches=Touch("ref", "escalation", operator="own", bars=True),
    speaks=True,
    emits="escalation.passed_on",
    target="ref",
    examples=[{"ref": "postgres-or-sqlite", "note": "It is a question of money."}],
)
async def pass_on(tx: Tx, args: EscalationPassOnArgs) -> EscalationRaised:
    """Hand an escalation to the next above, because you cannot answer it either. Above everybody is the founder."""
    escalation = await _held(tx, args.ref)
    ends = await tx.targets([escalation.id], ["for_mission", "requested_by"])
    asker = await tx.get(ends[escalation.id, "requested_by"], Agent)
    holders = [await tx.get(link.other_id) for link in await tx.links(escalation, edge="addressed_to")]
    holder: Stored[Any] | None = next((each for each in holders if isinstance(each.props, Agent)), None)
    if holder is None:
        raise Refused.conflict(f"{escalation.slug} is with the founder; there is nobody above")
    stop = await next_above(tx, holder, frozenset({asker.id}))
    if stop.to is None:
        raise Refused.conflict("there is nobody above")
    await tx.unlink(escalation, "addressed_to", holder)
    await tx.link(escalation, "addressed_to", stop.to)
    note = f"\n{holder.slug}: {args.note}" if args.note else ""
    changes: Props = {"hops": escalation.props.hops + 1 + len(stop.passed)}
    if note:
        changes["context_md"] = ((escalation.props.context_md or "") + note).strip()
    escalation = await tx.change(escalation, changes)
    mission_id: UUID | None = ends.get((escalation.id, "for_mission"))
    mission = await tx.get(mission_id, Mission) if mission_id else None
    if stop.agent is not None:
        summary = news(asker, escalation)
        about = mission.id if mission else escalation.id
        await tell(tx, stop.agent.id, escalation, summary, asked(tx, asker, escalation, mission), about)
    tx.target = escalation
    shown = await _as_result(tx, escalation)
    shown.waits_for = shown.waits_on = shown.waits_since = None
    return shown


async def _held(tx: Tx, ref: str) -> Stored[Escalation]:
    """One that is open."""
    escalation = await tx.get(ref, Escalation)
    tx.target = escalation
    if escalation.status != "open":
        raise Refused.conflict(f"{escalation.slug} is already {escalation.status}: {escalation.props.resolution or ''}")
    return escalation


class EscalationWithdrawArgs(Args):
    """Which one."""

    ref: Ref = first()
    """Slug or id of the escalation."""


@verb(
    "escalation.withdraw",
    "write",
    for_=PEOPLE_AND_STAFF,
    touches=Touch("ref", "raised_escalation", ceo="own", operator="own"),
    speaks=True,
    target="ref",
    examples=[{"ref": "postgres-or-sqlite"}],
)
async def withdraw(tx: Tx, args: EscalationWithdrawArgs) -> Row:
    """Take an escalation back: it resolved itself."""
    escalation = await tx.get(args.ref, Escalation)
    return row(await take_back(tx, escalation, tx.call.reason or "it resolved itself"))


class EscalationOverdueArgs(Args):
    """Which mission."""

    ref: Ref = first()
    """Slug of the mission."""


@verb("escalation.overdue", "write", for_=HOUSE, internal=True)
async def overdue(tx: Tx, args: EscalationOverdueArgs) -> Row:
    """Raise, once, that a mission passed its deadline; by the house."""
    who = await parties(tx, args.ref)
    mission = who.mission
    if who.closed or who.assignee is None or mission.props.deadline is None or mission.props.deadline > tx.now:
        return row(mission)
    summary = f"{mission.slug} was due {mission.props.deadline:%Y-%m-%d %H:%M} UTC and is {mission.status}"
    once = f"deadline:{mission.id}:{mission.props.deadline.isoformat()}"
    context = await standing(tx, mission)
    await raise_escalation(tx, await tx.get(who.assignee, Agent), mission, "deadline", summary, context, once=once)
    return row(mission)


VERBS = (
    raise_,
    resolve,
    pass_on,
    withdraw,
    overdue,
    *nouns(Escalation, without=("create", "update", "archive", "restore")),
)
