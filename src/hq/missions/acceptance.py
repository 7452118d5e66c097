"""`hq mission accept|decline|counter|answer`: an agent takes what it was given, gives it back, or asks for other terms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from pydantic import Field

from hq.asks.answer import answer
from hq.asks.kinds import YES, AskAnswer
from hq.asks.open_asks import OpenAsk
from hq.asks.proposals import answered_with, lay_before, open_about
from hq.asks.types import Option, Proposal
from hq.door.access import STAFF, Touch
from hq.door.results import Awaited, Row, row
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, first, verb
from hq.errors import Refused
from hq.graph.records import Stored
from hq.graph.types import Moment
from hq.minds.prompt_data import one_line
from hq.missions.completion import follow
from hq.missions.life import OPEN
from hq.missions.mission_offer import MissionOffer
from hq.missions.notes import remember
from hq.missions.notice import tell
from hq.missions.parties import Parties, about_mission, check_taken, node_of, parties
from hq.missions.plan import Planned, begin, must_plan
from hq.missions.revision import set_terms
from hq.missions.types import Counter, Mission
from hq.missions.wait import MOVED
from hq.org.agent import Agent


async def _given(tx: Tx, ref: str) -> Parties:
    """A mission that was given to who calls and not taken yet."""
    who = await parties(tx, ref)
    check_taken(who)
    if who.mission.status != "assigned":
        raise Refused.conflict(
            f"{who.mission.slug} is {who.mission.status}; only what was just assigned is taken or given back",
            hint="what stands in its way you say with `hq escalation raise`; `hq mission fail` gives it up"
            if who.mission.status in OPEN
            else "",
        )
    return who


class MissionAcceptArgs(Args):
    """Which mission."""

    ref: Ref = first()
    """Slug of the mission."""


@verb(
    "mission.accept",
    "write",
    for_=STAFF,
    touches=Touch("ref", "assignment", ceo="own", operator="own"),
    emits="mission.accepted",
    target="ref",
    examples=[{"ref": "flight-tracker"}],
)
async def accept(tx: Tx, args: MissionAcceptArgs) -> Planned:
    """Take a mission on. Work of three or more steps starts with a stated plan: `hq mission plan`."""
    who = await _given(tx, args.ref)
    if must_plan(who.mission):
        mission = await tx.move(who.mission, "planning")
        await follow(tx, mission, "in_progress")
        tx.target = mission
        return Planned.of(
            mission, f"state your plan now, with mission_plan: it has {len(mission.props.deliverables)} things to bring"
        )
    tx.target = mission = await begin(tx, who.mission)
    return Planned.of(mission, "go ahead")


class MissionDeclineArgs(Args):
    """Which mission, and why."""

    ref: Ref = first()
    """Slug of the mission."""
    why: str = Field(min_length=1, max_length=2000)
    """Why it is better given to somebody else."""


@verb(
    "mission.decline",
    "write",
    for_=STAFF,
    touches=Touch("ref", "assignment", ceo="own", operator="own"),
    emits="mission.declined",
    target="ref",
    examples=[{"ref": "flight-tracker", "why": "I know nothing of React"}],
)
async def decline(tx: Tx, args: MissionDeclineArgs) -> Row:
    """Give a mission back, with the reason; who gave it hears at once."""
    who = await _given(tx, args.ref)
    assert who.assignee is not None
    agent = await tx.get(who.assignee, Agent)
    await follow(tx, who.mission, "failed")
    mission = await tx.move(who.mission, "backlog", status_reason=f"{agent.slug} declined: {args.why}")
    await tx.unlink(mission, "assigned_to", agent)
    await remember(tx, mission, f"{agent.slug} declined: {args.why}", "note")
    word = (
        one_line(f"{agent.slug} declined {mission.slug} ({mission.props.title}): {args.why}")
        + "\nGive it to another, or change it."
    )
    await tell(tx, who.commander, mission, f"{agent.slug} declined {mission.slug}", word, who.parent or mission.id)
    tx.target = mission
    return row(mission)


class MissionCounterArgs(Args):
    """Which mission, and the terms it would be taken on."""

    ref: Ref = first()
    """Slug of the mission."""
    note: str = Field(min_length=1, max_length=4000)
    """Why, in words for who gave it."""
    token_budget: int | None = Field(None, ge=0)
    """Tokens it would need."""
    cost_limit: float | None = Field(None, ge=0)
    """Money it would need, in US dollars."""
    deadline: Moment | None = None
    """When it could be done."""
    deliverables: list[str] = Field(default_factory=list, max_length=50)
    """What it would bring instead."""


class Countered(Awaited):
    slug: str
    id: str
    status: str
    answer: str | None = None
    """What was decided; absent while nobody has."""


async def _answered(tx: Tx, earlier: Mapping[str, Any]) -> Countered:
    mission = await tx.get(earlier["id"], Mission)
    if mission.props.counter is not None and mission.status == "assigned":
        return _waits(mission.slug, earlier["id"], mission.seq)
    return Countered(
        slug=mission.slug,
        id=str(mission.id),
        status=mission.status or "",
        answer=mission.props.status_reason or "answered",
    )


def _waits(slug: str, id: str, since: int) -> Countered:
    waits = {"waits_for": f"mission:{id}", "waits_on": list(MOVED), "waits_since": since}
    return Countered(slug=slug, id=id, status="assigned", **waits)


@verb(
    "mission.counter",
    "wait",
    shows=("token_budget", "deadline", "deliverables"),
    for_=STAFF,
    touches=Touch("ref", "assignment", ceo="own", operator="own"),
    emits="mission.countered",
    target="ref",
    result_of_wait=_answered,
    examples=[{"ref": "flight-tracker", "note": "the tests alone take more", "token_budget": 300_000}],
)
async def counter(tx: Tx, args: MissionCounterArgs) -> Countered:
    """Ask for other terms and wait for the answer; then accept or decline."""
    who = await _given(tx, args.ref)
    terms = args.model_dump(exclude={"ref"}, exclude_none=True)
    mission = await tx.change(who.mission, {"counter": Counter(**terms).model_dump(mode="json")})
    ask = await ask_terms(tx, replace(who, mission=mission))
    tx.target = mission
    word = one_line(f"{mission.slug} ({mission.props.title}) is only taken on other terms: {args.note}")
    word += "\n" + "\n".join(
        one_line(f"- {name.replace('_', ' ')}: {value}") for name, value in terms.items() if name != "note"
    )
    text = f"{word}\n{answered_with(ask)}"
    await tell(tx, who.commander, mission, f"{mission.slug}: other terms", text, who.parent or mission.id)
    return _waits(mission.slug, str(mission.id), tx.seq)


async def ask_terms(tx: Tx, who: Parties) -> Stored[Proposal]:
    """The other terms go before whoever gave the mission."""
    asked = who.mission.props.counter
    terms = asked.model_dump(mode="json", exclude_none=True) if asked else {}
    lines = [str(terms.pop("note", ""))]
    lines += [f"{name.replace('_', ' ')}: {value}" for name, value in sorted(terms.items()) if value != []]
    return await lay_before(
        tx,
        "terms",
        who.mission,
        "\n".join(lines),
        by=await node_of(tx, who.assignee),
        to=await node_of(tx, who.commander),
        mission=who.mission,
        wanted=["assigned"],
    )


class TermsOffer(MissionOffer):
    """Other terms for a mission, for who gave it, the CEO or the founder."""

    name = "terms"

    def title(self, ask: OpenAsk) -> str:
        return f"{ask.agent or 'Somebody'} takes {ask.mission_title or ask.mission} on other terms only"

    def label(self, ask: OpenAsk, option: Option) -> str:
        return "Agree" if option.key == YES else "No"

    async def decided(self, tx: Tx, ask: Stored[Proposal], answer: AskAnswer) -> None:
        who = await about_mission(tx, ask)
        asked = who.mission.props.counter
        if asked is None:
            raise Refused.conflict(f"nobody asked for other terms of {who.mission.slug}")
        note = answer.note or answer.text
        said = {"counter": None, "status_reason": f"{answer.key}{f': {note}' if note else ''}"}
        terms = asked.model_dump(exclude={"note"}, exclude_none=True)
        terms = {name: value for name, value in terms.items() if value != []}
        if answer.key == YES and terms:
            mission = await set_terms(tx, who.mission, who.parent, terms, **said)
        else:
            mission = await tx.change(who.mission, said)
        word = f"About the other terms for {mission.slug}: {one_line(mission.props.status_reason or '')}. Accept it, or decline it."
        tx.emit("mission.answered", id=str(mission.id), slug=mission.slug, status=mission.status)
        await tell(tx, who.assignee, mission, f"{mission.slug}: terms answered", word, mission.id)


class MissionAnswerArgs(Args):
    """Which mission, and what is decided."""

    ref: Ref = first()
    """Slug of the mission."""
    decision: Literal["yes", "no"] = "yes"
    """Whether the other terms are granted."""
    note: str = Field("", max_length=2000)
    """What the agent should know."""


@verb(
    "mission.answer",
    "write",
    answers=True,
    on_card=True,
    for_=STAFF,
    touches=Touch("ref", "mission", operator="own", bars=True),
    target="ref",
    examples=[{"ref": "flight-tracker", "decision": "no"}],
)
async def answer_terms(tx: Tx, args: MissionAnswerArgs) -> Row:
    """Answer an agent that asked for other terms: a yes makes them the mission's, a no leaves it the choice to decline."""
    who = await parties(tx, args.ref)
    if who.mission.props.counter is None:
        raise Refused.conflict(f"nobody asked for other terms of {who.mission.slug}")
    ask = await open_about(tx, who.mission, "terms") or await ask_terms(tx, who)
    await answer(tx, ask, args.decision, note=args.note or None)
    tx.target = mission = await tx.get(who.mission.id, Mission)
    return row(mission)


KINDS = (TermsOffer(),)
VERBS = (accept, decline, counter, answer_terms)
