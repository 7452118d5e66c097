"""`hq mission delegate`, `hq delegation approve|reject`: a part of a mission goes to another agent, and its result comes back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from pydantic import Field

from hq.asks.answer import about_what, answer, the_same
from hq.asks.authority import is_founders
from hq.asks.kinds import NO, YES, AskAnswer
from hq.asks.open_asks import OpenAsk
from hq.asks.proposals import answered_with, lay_before, open_about
from hq.asks.types import Option, Proposal
from hq.door.access import STAFF, Touch, within_organisation
from hq.door.results import Awaited, Row, row
from hq.door.tx import Tx
from hq.door.verb import Args, CostForecast, Ref, first, verb
from hq.errors import Refused
from hq.graph.records import Stored
from hq.graph.store import NewLink
from hq.graph.types import Moment, Name
from hq.graph.view import EdgeFilter, NodeFilter
from hq.guard.forecast import of_work
from hq.minds.prompt_data import one_line, quoted
from hq.missions.assignment import give
from hq.missions.briefs.candidates import candidates
from hq.missions.briefs.steps import Wishes, standing_collaborators
from hq.missions.completion import brief_of
from hq.missions.creation import MissionCreateArgs, make
from hq.missions.delegation.rules import judge
from hq.missions.mission_offer import MissionOffer
from hq.missions.notice import tell
from hq.missions.parties import Parties, about_mission, check_open, check_taken, commands, node_of, parties
from hq.missions.types import Brief, Delegation, Mission
from hq.missions.work_start import hand_over
from hq.org.agent import Agent
from hq.sessions.session_start import working_agent

DEEPEST = 5
"""How many times a part may be delegated on."""


class MissionDelegateArgs(Args):
    """Which part of which mission, to whom, and why."""

    ref: Ref = first()
    """Slug of your mission."""
    title: Name
    """What the helper is to do, in one line."""
    to: Ref
    """The agent that is to help."""
    reason: str = Field(min_length=1, max_length=2000)
    """Why help is needed."""
    description: str | None = Field(None, max_length=20_000)
    """Everything the helper needs to know; beside your files, it sees no more of your mission than this."""
    deliverables: list[str] = Field(default_factory=list, max_length=50)
    """What it has to bring: file:PATH, command:COMMAND, url:ADDRESS, or words that you accept."""
    tokens: int | None = Field(None, ge=1)
    """Tokens it may use, out of yours."""
    cost_limit: float | None = Field(None, ge=0)
    """Money it may cost, out of yours, in US dollars."""
    deadline: Moment | None = None
    """When it has to be done; never after your own."""
    tools: list[str] | None = Field(None, max_length=50)
    """The only tools it may use, of those that you may; left out, what it has of yours."""
    depends_on: list[Ref] = Field(default_factory=list, max_length=50)
    """What has to be finished first."""


class Delegated(Awaited):
    slug: str
    """The delegation."""
    id: str
    status: str
    mission: str
    """The helper's mission; `mission wait` waits for it."""
    to: str
    why: str

    def wait(self, since: int) -> Delegated:
        self.waits_for, self.waits_since = f"delegation:{self.id}", since
        self.waits_on = ["delegation.approved", "delegation.rejected"]
        return self


async def _settled(tx: Tx, earlier: Mapping[str, Any]) -> Delegated:
    delegation = await tx.get(earlier["id"], Delegation)
    over = {"waits_for": None, "waits_on": None, "waits_since": None}
    told = Delegated.model_validate({**earlier, "status": delegation.status, **over})
    if delegation.status == "requested":
        told.wait(delegation.seq)
    elif delegation.status == "rejected":
        mission = await tx.get(earlier["mission"], Mission)
        told.why = mission.props.status_reason or "it was turned down"
    return told


async def _cost(tx: Tx, args: MissionDelegateArgs) -> CostForecast:
    return await of_work(tx, limit=args.cost_limit)


@verb(
    "mission.delegate",
    "wait",
    forecast=_cost,
    shows=("description", "deliverables", "tokens"),
    for_=STAFF,
    touches=(Touch("ref", "assignment", ceo="own", operator="own"), within_organisation("to")),
    emits="delegation.made",
    target="ref",
    result_of_wait=_settled,
    examples=[{"ref": "flight-tracker", "title": "Compare chart libraries", "to": "scout", "reason": "to choose one"}],
)
async def delegate(tx: Tx, args: MissionDelegateArgs) -> Delegated:
    """Give a part of your mission to another agent, at once or, where your brief does not allow it, on a yes."""
    who = await parties(tx, args.ref)
    check_open(who)
    check_taken(who)
    brief = await brief_of(tx, who.mission)
    if brief is None or who.assignee is None:
        raise Refused.conflict(f"{who.mission.slug} was given without a brief; assign it first")
    asking = await tx.get(who.assignee, Agent)
    await _check_depth(tx, who)
    _check_tools(brief.props.tools_approved, args.tools)
    target = await working_agent(tx, args.to)
    await hand_over(tx, who.mission)
    part = await _part(tx, who, asking, args)
    await _check_capable(tx, part, who, asking, target)
    spent = await _spent(tx, brief)
    standing = await standing_collaborators(tx, asking)
    verdict = judge(brief.props, target.slug, args.tokens, spent, standing=standing)
    delegation = await tx.create(
        Delegation(reason=args.reason, tokens_budget=args.tokens, tools=args.tools),
        links=[
            NewLink("for_mission", part),
            NewLink("parent_brief", brief),
            NewLink("requested_by", asking),
            NewLink("delegated_to", target),
        ],
        slug=f"delegation-{part.slug.removeprefix('delegation-')}"[:80],
    )
    told = Delegated(
        slug=delegation.slug,
        id=str(delegation.id),
        status="requested",
        mission=part.slug,
        to=target.slug,
        why=verdict.why,
    )
    if verdict.by is not None:
        await _begin(tx, delegation, verdict.by)
        told.status = "in_progress"
        return told
    word = (
        f"{asking.slug} asks for help with {who.mission.slug}: {target.slug} shall do {quoted(args.title)}.\n"
        f"Why: {one_line(args.reason)}\nCost: {f'{args.tokens:,} tokens' if args.tokens else 'not said'}. You are asked because "
        f"{verdict.why}.\n{answered_with(await ask_help(tx, delegation))}"
    )
    await tell(tx, who.commander, delegation, f"{asking.slug} asks for help", word, who.mission.id)
    return told.wait(tx.seq)


async def _part(tx: Tx, who: Parties, asking: Stored[Agent], args: MissionDelegateArgs) -> Stored[Mission]:
    """The helper's mission: a part of the asker's, with means out of the asker's."""
    own = who.mission.props.deadline
    if own and args.deadline and args.deadline > own:
        raise Refused.conflict(f"{who.mission.slug} is itself due {own.isoformat()}; a part cannot be due later")
    wanted = MissionCreateArgs.model_validate(
        {
            "title": args.title,
            "description": args.description,
            "deliverables": args.deliverables,
            "parent": str(who.mission.id),
            "priority": who.mission.props.priority,
            "category": who.mission.props.category,
            "token_budget": args.tokens,
            "cost_limit": args.cost_limit,
            "deadline": args.deadline or own,
            "depends_on": args.depends_on,
        }
    )
    return await make(tx, wanted, commander=asking)


async def _check_depth(tx: Tx, who: Parties) -> None:
    depth, at = 1, who.parent
    while at is not None:
        depth += 1
        at = (await tx.targets([at], ["parent_mission"])).get((at, "parent_mission"))
    if depth >= DEEPEST:
        raise Refused.conflict(f"{who.mission.slug} is already {depth} levels deep; do it yourself, or escalate")


async def _check_capable(
    tx: Tx, part: Stored[Mission], who: Parties, asking: Stored[Agent], target: Stored[Agent]
) -> None:
    """Looked at before anybody is woken, so that work never bounces: the helper can, and it is not its own work."""
    if target.id == asking.id:
        raise Refused.invalid("nobody delegates to themselves; do it, or make it a part with `hq mission create`")
    above = await _doing_above(tx, who)
    if target.id in above:
        raise Refused.conflict(f"{target.slug} gave this work down the line; it would come back to where it was")
    found = await candidates(tx, part, who.organisation)
    chosen = next((each for each in found if each.agent.id == target.id), None)
    if chosen is not None and chosen.capable:
        return
    able = [each.agent.slug for each in found if each.capable and each.agent.id not in {asking.id, *above}]
    raise Refused.conflict(
        f"{target.slug} cannot do {part.props.title!r}: it {chosen.why if chosen else 'takes no missions'}",
        hint=f"{', '.join(able[:3])} can" if able else "nobody here can; escalate, and somebody may be hired",
    )


async def _doing_above(tx: Tx, who: Parties) -> set[UUID]:
    doing: set[UUID] = set()
    at = who.parent
    while at is not None:
        ends = await tx.targets([at], ["assigned_to", "parent_mission"])
        if (agent := ends.get((at, "assigned_to"))) is not None:
            doing.add(agent)
        at = ends.get((at, "parent_mission"))
    return doing


async def _spent(tx: Tx, brief: Stored[Brief]) -> int:
    """Tokens that were promised to helpers under a brief, or that they used."""
    given = await tx.find(
        NodeFilter(types=[Delegation.type], related=[EdgeFilter("parent_brief", brief.id)], limit=1000)
    )
    live = [each for each in given if each.status != "rejected"]
    return sum(each.props.tokens_used if each.over else each.props.tokens_budget or 0 for each in live)


def _check_tools(own: list[str], wanted: list[str] | None) -> None:
    """A helper gets no tool that who asks does not have."""
    if own and (beyond := [tool for tool in wanted or () if tool not in own]):
        raise Refused.forbidden(f"you have no {beyond[0]} yourself, so you cannot hand it on")


async def _begin(tx: Tx, delegation: Stored[Delegation], by: str) -> None:
    """The helper gets its narrowed brief, and starts."""
    ends = await tx.targets([delegation.id], ["for_mission", "parent_brief", "delegated_to"])
    part = await parties(tx, ends[delegation.id, "for_mission"])
    above = await tx.get(ends[delegation.id, "parent_brief"], Brief)
    target = await tx.get(ends[delegation.id, "delegated_to"], Agent)
    narrowed = above.props.tools_approved if delegation.props.tools is None else delegation.props.tools
    freely = above.props.delegation_rules == "autonomous"
    wishes = Wishes(
        to=target.slug,
        rules="autonomous" if freely else "request_approval",
        collaborators=above.props.agents_approved if freely else (),
        delegation_budget=delegation.props.tokens_budget if freely else None,
        escalation_threshold=above.props.escalation_threshold,
        skills=[
            skill for skill in above.props.skills if delegation.props.tools is None or skill in delegation.props.tools
        ],
        tools=[tool for tool in target.props.tools if not narrowed or tool in narrowed],
    )
    given = await give(tx, part, wishes)
    delegation = await tx.move(delegation, "approved", approved_by=by)
    delegation = await tx.move(delegation, "in_progress")
    await tx.link(delegation, "child_brief", given.brief)
    tx.target = delegation


class DelegationDecideArgs(Args):
    """Which request."""

    ref: Ref = first()
    """Slug or id of the delegation."""
    note: str | None = Field(None, max_length=2000)
    """What who asked should know."""


async def ask_help(tx: Tx, delegation: Stored[Delegation]) -> Stored[Proposal]:
    """The request goes before whoever gave the mission that help is asked for."""
    target = tx.target
    ends = await tx.targets([delegation.id], ["requested_by", "for_mission"])
    part = await parties(tx, ends[delegation.id, "for_mission"])
    above = await parties(tx, part.parent) if part.parent else part
    tx.target = target
    cost = f"\nCost: {delegation.props.tokens_budget:,} tokens" if delegation.props.tokens_budget else ""
    return await lay_before(
        tx,
        "delegation",
        delegation,
        f"{delegation.props.reason}{cost}",
        by=await node_of(tx, ends.get((delegation.id, "requested_by"))),
        to=await node_of(tx, above.commander),
        mission=part.mission,
        wanted=["requested"],
    )


class HelpOffer(MissionOffer):
    """A request for help, for who gave the mission, the CEO or the founder."""

    name = "delegation"
    stands_for = Delegation.type

    def title(self, ask: OpenAsk) -> str:
        return f"{ask.agent or 'Somebody'} asks for help: {ask.mission_title or ask.mission}"

    def label(self, ask: OpenAsk, option: Option) -> str:
        return "Agree" if option.key == YES else "No"

    async def may_answer(self, tx: Tx, ask: Stored[Proposal]) -> bool:
        part = await about_mission(tx, ask)
        target = tx.target
        above = await parties(tx, part.parent) if part.parent else part
        tx.target = target
        return await commands(tx, above)

    async def decided(self, tx: Tx, ask: Stored[Proposal], answer: AskAnswer) -> None:
        ends = await tx.targets([ask.id], ["about"])
        delegation = await tx.get(ends[ask.id, "about"], Delegation)
        if delegation.status != "requested":
            raise Refused.conflict(f"{delegation.slug} is already {delegation.status}")
        if answer.key == YES:
            await _begin(tx, delegation, _approver(tx, answer))
            tx.emit("delegation.approved", id=str(delegation.id), slug=delegation.slug)
            return
        await _turned_down(tx, delegation, answer.note or answer.text)

    async def withdrawn(self, tx: Tx, ask: Stored[Proposal], why: str) -> None:
        """Nobody decided: whoever asked goes on alone."""
        ends = await tx.targets([ask.id], ["about"])
        delegation = await tx.get(ends[ask.id, "about"], Delegation)
        if delegation.status == "requested":
            await _turned_down(tx, delegation, why)


def _approver(tx: Tx, answer: AskAnswer) -> str:
    if is_founders(tx, answer):
        return "founder"
    return "ceo" if tx.caller.role == "ceo" else "commander"


async def _turned_down(tx: Tx, delegation: Stored[Delegation], note: str) -> None:
    delegation = await tx.move(delegation, "rejected")
    ends = await tx.targets([delegation.id], ["for_mission", "requested_by"])
    part = await tx.get(ends[delegation.id, "for_mission"], Mission)
    why = f"turned down{f': {note}' if note else ''}"
    part = await tx.move(part, "failed", status_reason=why)
    tx.emit("mission.failed", id=str(part.id), slug=part.slug, why=why)
    tx.emit("delegation.rejected", id=str(delegation.id), slug=delegation.slug)
    word = f"Your request {quoted(part.props.title)} was {one_line(why)}."
    await tell(tx, ends.get((delegation.id, "requested_by")), delegation, "help turned down", word, part.id)


async def _answered(tx: Tx, args: DelegationDecideArgs, option: str) -> Row:
    """By the name of the request, or of what is asked about it."""
    named = await tx.get(args.ref)
    if isinstance(named.props, Proposal) and HelpOffer().fits(named.props):
        named = await tx.get((await tx.targets([named.id], ["about"]))[named.id, "about"])
    elif not isinstance(named.props, Delegation) and not await tx.may_hear_of(named):
        raise tx.absent(args.ref)
    delegation = await tx.get(named.id, Delegation)
    if delegation.status != "requested":
        if (asked := await about_what(tx, delegation)) is None:
            raise Refused.conflict(f"{delegation.slug} is already {delegation.status}")
        return the_same(await answer(tx, asked, option, note=args.note), option)
    ask = await open_about(tx, delegation, "delegation") or await ask_help(tx, delegation)
    await answer(tx, ask, option, note=args.note)
    tx.target = delegation = await tx.get(delegation.id, Delegation)
    return row(delegation)


async def _cost_of_help(tx: Tx, args: DelegationDecideArgs) -> CostForecast:
    return await of_work(tx)


@verb(
    "delegation.approve",
    "write",
    forecast=_cost_of_help,
    answers=True,
    on_card=True,
    for_=STAFF,
    target="ref",
    examples=[{"ref": "delegation-compare-chart-libraries"}],
)
async def approve(tx: Tx, args: DelegationDecideArgs) -> Row:
    """Let an agent have the help it asked for; the helper starts at once."""
    return await _answered(tx, args, YES)


@verb(
    "delegation.reject",
    "write",
    answers=True,
    on_card=True,
    for_=STAFF,
    target="ref",
    examples=[{"ref": "delegation-compare-chart-libraries", "note": "do it yourself"}],
)
async def reject(tx: Tx, args: DelegationDecideArgs) -> Row:
    """Turn a request for help down; who asked goes on alone."""
    return await _answered(tx, args, NO)


KINDS = (HelpOffer(),)
VERBS = (delegate, approve, reject)
