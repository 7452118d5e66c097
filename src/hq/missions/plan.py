"""`hq mission plan|settle_plan`: work of three or more steps starts with a stated plan that who gave it may correct (003 §5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pydantic import Field

from hq.asks.answer import answer
from hq.asks.kinds import NO, YES, AskAnswer
from hq.asks.open_asks import OpenAsk
from hq.asks.proposals import answered_with, lay_before, open_about
from hq.asks.types import Option, Proposal
from hq.door.access import STAFF, Touch
from hq.door.results import Awaited
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, first, verb
from hq.errors import Refused
from hq.graph.records import Stored
from hq.minds.prompt_data import one_line
from hq.missions.checks import ANY_CHANGE
from hq.missions.completion import follow
from hq.missions.life import IN_HAND
from hq.missions.mission_offer import MissionOffer
from hq.missions.notice import tell
from hq.missions.parties import Parties, about_mission, check_taken, node_of, parties
from hq.missions.types import Mission
from hq.missions.wait import MOVED

MANY = 3
"""Steps from which on a plan is stated first."""
WITHOUT_ASKING = {"cautious": (), "balanced": ("low", "medium"), "aggressive": ("low", "medium", "high", "critical")}
"""By risk tolerance, the priorities of missions whose plan goes ahead by itself."""


class Planned(Awaited):
    slug: str
    id: str
    status: str
    says: str
    plan: list[str] = Field(default_factory=list)

    @classmethod
    def of(cls, mission: Stored[Mission], says: str, **more: Any) -> Planned:
        status = mission.status or ""
        return cls(slug=mission.slug, id=str(mission.id), status=status, says=says, plan=mission.props.plan, **more)


def must_plan(mission: Stored[Mission]) -> bool:
    """What brings three things takes three steps. Criteria say when one of them is right; they are no steps."""
    props = mission.props
    steps = [each for each in props.deliverables if each != ANY_CHANGE]  # that something changed is no work of its own
    return props.plan_accepted_at is None and len(steps) >= MANY


async def begin(tx: Tx, mission: Stored[Mission], **more: Any) -> Stored[Mission]:
    """Work starts."""
    mission = await tx.move(mission, "in_progress", started_at=mission.props.started_at or tx.now, counter=None, **more)
    await follow(tx, mission, "in_progress")
    return mission


async def _settled(tx: Tx, earlier: Mapping[str, Any]) -> Planned:
    mission = await tx.get(earlier["id"], Mission)
    if mission.status == "planning" and mission.props.plan_accepted_at is None and mission.props.plan:
        return _waits(mission, mission.seq)
    if mission.status == "planning":
        return Planned.of(mission, f"not like this: {mission.props.status_reason}")
    says = "go ahead" if mission.status == "in_progress" else f"it is {mission.status} by now"
    reason = f": {mission.props.status_reason}" if mission.props.status_reason else ""
    return Planned.of(mission, says + reason)


def _waits(mission: Stored[Mission], since: int) -> Planned:
    waits = {"waits_for": f"mission:{mission.id}", "waits_on": list(MOVED), "waits_since": since}
    return Planned.of(mission, "the plan waits for a yes", **waits)


class MissionPlanArgs(Args):
    """Which mission, and the steps."""

    ref: Ref = first()
    """Slug of the mission."""
    steps: list[str] = Field(min_length=1, max_length=50)
    """What you will do, in order; say what you assume, so that it can be corrected."""


@verb(
    "mission.plan",
    "wait",
    for_=STAFF,
    touches=Touch("ref", "assignment", ceo="own", operator="own"),
    emits="mission.planned",
    target="ref",
    result_of_wait=_settled,
    examples=[{"ref": "flight-tracker", "steps": ["Scaffold the app", "Build the log", "Write the tests"]}],
)
async def plan(tx: Tx, args: MissionPlanArgs) -> Planned:
    """State how a mission will be done. Small plans and small risks go ahead; others wait for who gave the mission."""
    who = await parties(tx, args.ref)
    check_taken(who)
    if who.mission.status not in IN_HAND:
        raise Refused.conflict(f"{who.mission.slug} is {who.mission.status}; there is nothing to plan")
    steps = {"plan": args.steps, "plan_accepted_at": None, "status_reason": None}
    if len(args.steps) < MANY or who.mission.props.priority in WITHOUT_ASKING[tx.caller.risk_tolerance]:
        tx.target = mission = await begin(tx, who.mission, **steps | {"plan_accepted_at": tx.now})
        return Planned.of(mission, "go ahead")
    mission = await tx.move(who.mission, "planning", **steps)
    ask = await ask_plan(tx, replace(who, mission=mission))
    tx.target = mission
    word = f"The plan for {mission.slug} ({one_line(mission.props.title)}):\n" + _lines(mission)
    text = f"{word}\n{answered_with(ask)}"
    await tell(tx, who.commander, mission, f"{mission.slug}: a plan", text, who.parent or mission.id)
    return _waits(mission, tx.seq)


async def ask_plan(tx: Tx, who: Parties) -> Stored[Proposal]:
    """The plan goes before whoever gave the mission."""
    return await lay_before(
        tx,
        "plan",
        who.mission,
        _lines(who.mission),
        by=await node_of(tx, who.assignee),
        to=await node_of(tx, who.commander),
        mission=who.mission,
        wanted=["planning"],
    )


def _lines(mission: Stored[Mission]) -> str:
    return "\n".join(f"- {one_line(step)}" for step in mission.props.plan)


class PlanOffer(MissionOffer):
    """A stated plan, for who gave the mission, the CEO or the founder."""

    name = "plan"

    def title(self, ask: OpenAsk) -> str:
        return f"{ask.agent or 'Somebody'} has a plan for {ask.mission_title or ask.mission}, and waits for your yes"

    def label(self, ask: OpenAsk, option: Option) -> str:
        return "Go ahead" if option.key == YES else "Not like this"

    async def decided(self, tx: Tx, ask: Stored[Proposal], answer: AskAnswer) -> None:
        who = await about_mission(tx, ask)
        if who.mission.status != "planning" or not who.mission.props.plan:
            raise Refused.conflict(f"no plan of {who.mission.slug} waits for a yes; it is {who.mission.status}")
        if answer.key == NO:
            why = answer.note or answer.text or "the plan was turned down; state another"
            mission = await tx.change(who.mission, {"plan": [], "status_reason": why})
            word, says = (
                f"The plan for {mission.slug} was turned down: {one_line(why)}\nState another with mission_plan.",
                why,
            )
        else:
            steps = {"plan": said} if (said := answer.terms.get("steps")) else {}
            mission = await begin(tx, who.mission, plan_accepted_at=tx.now, status_reason=answer.note, **steps)
            word, says = f"The plan for {mission.slug} goes ahead:\n" + _lines(mission), "go ahead"
        tx.emit("mission.plan_settled", id=str(mission.id), slug=mission.slug, status=mission.status, says=says)
        await tell(tx, who.assignee, mission, f"{mission.slug}: plan settled", word, mission.id)


class MissionSettlePlanArgs(Args):
    """Which plan, and what is changed in it."""

    ref: Ref = first()
    """Slug of the mission."""
    steps: list[str] | None = Field(None, min_length=1, max_length=50)
    """The plan as it is to be; left out, as it was stated."""
    note: str | None = Field(None, max_length=2000)
    """What the agent should know."""


@verb(
    "mission.settle_plan",
    "write",
    answers=True,
    on_card=True,
    for_=STAFF,
    touches=Touch("ref", "mission", operator="own", bars=True),
    target="ref",
    examples=[{"ref": "flight-tracker"}],
)
async def settle_plan(tx: Tx, args: MissionSettlePlanArgs) -> Planned:
    """Let a stated plan go ahead, as it is or corrected."""
    who = await parties(tx, args.ref)
    if who.mission.status != "planning" or not who.mission.props.plan:
        raise Refused.conflict(f"no plan of {who.mission.slug} waits for a yes; it is {who.mission.status}")
    ask = await open_about(tx, who.mission, "plan") or await ask_plan(tx, who)
    await answer(tx, ask, YES, note=args.note, steps=args.steps)
    tx.target = mission = await tx.get(who.mission.id, Mission)
    return Planned.of(mission, "go ahead")


KINDS = (PlanOffer(),)
VERBS = (plan, settle_plan)
