"""`hq escalation raise|resolve|pass_on|withdraw`: questions bubble up, answers flow down and are remembered (003 §6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from pydantic import Field

from hq.asks.answer import AskAnswered, answer, the_same
from hq.asks.kinds import AskAnswer, Kind
from hq.asks.open_asks import OpenAsk, check_few
from hq.asks.quotation import check_line
from hq.asks.types import Ask, Escalation, Option
from hq.asks.withdrawal import withdraw as take_back
from hq.business.types import Decision
from hq.door.access import CREW, HOUSE, PEOPLE_AND_STAFF, STAFF, Touch
from hq.door.nouns import nouns
from hq.door.results import Awaited, Row, row
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, first, verb
from hq.errors import Refused
from hq.graph.records import Stored
from hq.graph.store import NewLink
from hq.memory.verbs import MemoryAddArgs, add_memory
from hq.minds.prompt_data import quoted
from hq.missions.decided import hold_to
from hq.missions.escalation.route import next_above
from hq.missions.escalation.trigger import FOUND, asked, raise_escalation
from hq.missions.life import OVER
from hq.missions.notes import remember
from hq.missions.notice import tell
from hq.missions.overview import standing
from hq.missions.parties import agent_name, caller_node, parties
from hq.missions.types import Mission
from hq.org.agent import Agent
from hq.workspace.verbs.workspace_verbs import inside

SURE = 0.7
"""From here on an agent is sure enough to decide by itself."""


class EscalationRaiseArgs(Args):
    """What cannot be resolved."""

    summary: str = first(min_length=1, max_length=500)
    """What it is, in one line, as a question where it is one."""
    mission: Ref | None = None
    """The mission that is stuck."""
    context: str | None = Field(None, max_length=20_000)
    """What was tried, what is known, and what you would do."""
    confidence: float | None = Field(None, ge=0, le=1)
    """How sure you are of what you would do; below 0.7 it is for somebody else to decide."""
    options: list[str] = Field(default_factory=list, max_length=8)
    """Answers to choose from, each in a few words; who is asked may answer in other words all the same."""


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
    shows=("mission", "context", "options"),
    for_=CREW,
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
    made = await raise_escalation(tx, agent, mission, trigger, args.summary, args.context, options=args.options)
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


class Escalated(Kind):
    """A way out, for whom it was laid before, the CEO or the founder."""

    name, type, takes_text, severity = "escalation", Escalation, True, "warning"
    carried = True

    def title(self, ask: OpenAsk) -> str:
        summary = ask.props.summary
        if getattr(ask.props, "trigger", None) in FOUND:
            return summary
        return f"{ask.agent or 'Somebody'} {'asks' if summary.rstrip().endswith('?') else 'cannot go on'}: {summary}"

    def options(self, ask: Ask) -> Sequence[Option]:
        assert isinstance(ask, Escalation)
        return ask.options

    def counted(self, ask: Ask) -> str:
        assert isinstance(ask, Escalation)
        return next((each.key for each in ask.options if each.label == ask.resolution), ask.resolution or "")

    async def may_answer(self, tx: Tx, ask: Stored[Escalation]) -> bool:
        caller = await caller_node(tx)
        with_ = {link.other_id for link in await tx.links(ask, edge="addressed_to")}
        return tx.caller.role == "ceo" or (caller is not None and caller.id in with_)

    async def answered(self, tx: Tx, ask: Stored[Escalation], answer: AskAnswer) -> Stored[Escalation]:
        ends = await tx.targets([ask.id], ["for_mission", "requested_by"])
        asker = await tx.get(ends[ask.id, "requested_by"], Agent)
        mission_id = ends.get((ask.id, "for_mission"))
        mission = await tx.get(mission_id, Mission) if mission_id else None
        said = {"resolution": answer.words, "resolved_at": tx.now, "decided_by": answer.by}
        ask = await tx.move(ask, "resolved", **said)
        if (who := await caller_node(tx)) is not None:
            await tx.link(ask, "resolved_by", who)
        await _keep(tx, ask, mission)
        if mission is not None and mission.status not in OVER and ask.props.summary.rstrip().endswith("?"):
            mission = await hold_to(tx, mission, ask.props.summary, answer.words, answer.by)
        # How one mission goes on, or ends, is that mission's; what was a question may come up again.
        if mission is None or answer.terms.get("always") or ask.props.summary.rstrip().endswith("?"):
            what = f"{ask.props.summary} → {answer.words}"[:4000]
            kept = {"content": what, "category": "preference" if answer.terms.get("always") else "decision"}
            await add_memory(tx, MemoryAddArgs.model_validate(kept))
            await _add_experience(tx, asker, what)
        what = (
            "The house noticed {}, and the word on that is"
            if ask.props.trigger in FOUND
            else "Your escalation {} was answered"
        )
        word = f"{what.format(quoted(ask.props.summary))}: {answer.words}"
        about = mission.id if mission else ask.id
        await tell(tx, asker.id, ask, f"answered: {ask.props.summary}", word, about)
        tx.emit("escalation.resolved", id=str(ask.id), slug=ask.slug, status="resolved")
        return ask


@verb(
    "escalation.resolve",
    "write",
    shows=(),
    on_card=True,
    for_=PEOPLE_AND_STAFF,
    speaks=True,
    target="ref",
    examples=[{"ref": "postgres-or-sqlite", "answer": "Postgres."}],
)
async def resolve(tx: Tx, args: EscalationResolveArgs) -> AskAnswered:
    """Answer an escalation: the answer goes to who asked, and is remembered."""
    escalation = await tx.get(args.ref, Escalation)
    return the_same(await answer(tx, escalation, text=args.answer, always=args.always or None), args.answer)


async def _keep(tx: Tx, escalation: Stored[Escalation], mission: Stored[Mission] | None) -> None:
    """What was decided, as a decision, and among the notes of its mission."""
    props = escalation.props
    links = [NewLink("spawned_from", escalation)] + ([NewLink("about", mission)] if mission else [])
    decision = Decision(
        title=props.summary,
        status="accepted",
        context_md=props.context_md,
        decision_md=props.resolution,
        decided_at=tx.now,
    )
    await tx.create(decision, links=links)
    if mission is not None:
        await remember(tx, mission, f"{props.summary} → {props.resolution}", "decision")


async def _add_experience(tx: Tx, asker: Stored[Agent], what: str) -> None:
    """What was decided once need not be asked again by whoever takes the persona's place."""
    persona = (await tx.targets([asker.id], ["embodies"])).get((asker.id, "embodies"))
    if persona is not None:
        body = f"- {tx.now:%Y-%m-%d} {what}"
        slug = (await tx.get(persona)).slug
        tx.follow_ups.append(inside(tx, "persona.append_experience", {"slug": slug, "body": body}))


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
    changes: dict[str, Any] = {"hops": escalation.props.hops + 1 + len(stop.passed)}
    if note:
        changes["context_md"] = ((escalation.props.context_md or "") + note).strip()
    escalation = await tx.change(escalation, changes)
    mission_id: UUID | None = ends.get((escalation.id, "for_mission"))
    mission = await tx.get(mission_id, Mission) if mission_id else None
    if stop.agent is not None:
        summary = f"{asker.slug} escalates: {escalation.props.summary}"
        about = mission.id if mission else escalation.id
        await tell(tx, stop.agent.id, escalation, summary, asked(asker, escalation, mission), about)
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
    """Slug or id of the mission."""


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


KINDS = (Escalated(),)
VERBS = (
    raise_,
    resolve,
    pass_on,
    withdraw,
    overdue,
    *nouns(Escalation, without=("create", "update", "archive", "restore")),
)
