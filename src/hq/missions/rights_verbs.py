"""`hq agent can`: every right of an agent, with where it comes from; or the answer to one question (row J8)."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from hq.door.access import EVERYONE
from hq.door.json_shape import AsJson
from hq.door.toolset import by_tool
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, Result, first, verb
from hq.errors import Refused
from hq.graph.records import Stored
from hq.graph.view import NodeFilter
from hq.guard.types import Budget
from hq.missions.briefs.model_fit import capability_of
from hq.missions.completion import brief_of
from hq.missions.rights import SCOPES, May, Right, RightItem, VerbRights, grouped, verb_rights
from hq.missions.types import Brief, Mission
from hq.money import money
from hq.org.agent import Agent
from hq.org.seats import seat_of
from hq.org.types import Position
from hq.skills.held import LEADING, HeldSkill, held
from hq.skills.shipped import shipped
from hq.skills.types import Skill
from hq.suggestion import did_you_mean

MANY = 500
LIMITS = (
    ("daily_usd_soft", "{} a day, then a warning"),
    ("daily_usd_hard", "{} a day, then it stops"),
    ("daily_tokens_hard", "{:,} tokens a day, then it stops"),
    ("tokens_per_run_cap", "{:,} tokens a run"),
    ("max_turns_per_query", "{:,} turns a run"),
    ("opus_turns_per_day_cap", "{:,} turns a day on the strongest model"),
)
"""What an agent's record says of its means, and how that is told."""


class AgentCanArgs(Args):
    """Whose rights, or what of them."""

    agent: Ref = first()
    """Slug of the agent."""
    what: str | None = Field(None, max_length=200, json_schema_extra={"positional": True})
    """A question: a verb such as mission.create, a tool, a noun, a skill, or another agent; left out, everything."""
    mission: Ref | None = None
    """For its work on this mission: with what the brief gives it."""


class AgentCan(Result):
    agent: str
    kind: str
    status: str
    may: May | None = None
    """Of a question: yes, no, or that somebody is asked."""
    rights: AsJson[list[RightItem]]
    """Each with its sort, what it is, whether it may, where that comes from, and why."""


@verb(
    "agent.can",
    "read",
    for_=EVERYONE,
    target="agent",
    examples=[{"agent": "forge"}, {"agent": "forge", "what": "mission.create"}],
    text="hq.missions.rights_text:rights",
)
async def can(tx: Tx, args: AgentCanArgs) -> AgentCan:
    """What an agent may, where each of it comes from, and why what it may not is refused."""
    agent = await tx.get(args.agent, Agent)
    mission = await tx.get(args.mission, Mission) if args.mission else None
    brief = await brief_of(tx, mission) if mission else None
    if mission and brief and agent.id != (await tx.targets([brief.id], ["assigned_to"])).get((brief.id, "assigned_to")):
        brief = None  # it is another's
    verbs = await verb_rights(tx, agent, mission.slug if brief and mission else None)
    about = AgentRights(tx, agent, mission, brief, verbs)
    found = await about.asked(args.what) if args.what else await about.all()
    tx.target = agent
    return AgentCan(
        agent=agent.slug,
        kind=agent.props.kind,
        status=agent.props.status,
        may=_altogether(found) if args.what else None,
        rights=[right.told() for right in found],
    )


def _altogether(rights: list[Right]) -> May:
    """Of several, the best: who may do some of it is not told no."""
    found = {right.may for right in rights}
    return "yes" if "yes" in found else "asks" if "asks" in found else "no"


class AgentRights:
    """Everything that is asked about one agent, sort by sort."""

    def __init__(
        self,
        tx: Tx,
        agent: Stored[Agent],
        mission: Stored[Mission] | None,
        brief: Stored[Brief] | None,
        verbs: VerbRights,
    ) -> None:
        self.tx, self.agent, self.mission, self.brief, self.verbs = tx, agent, mission, brief, verbs

    async def all(self) -> list[Right]:
        every = [self.verbs.of(each) for each in self.tx.door.registry if each.name in self.verbs.sources]
        return [
            *grouped(every),
            *await self.skills(),
            *await self.collaborators(),
            *self.scopes(),
            *self.borders(),
            *self.grants(),
            *await self.budgets(),
            *await self.authority(),
            *await self.model(),
        ]

    async def asked(self, what: str) -> list[Right]:
        """A verb or a tool first, then a noun, a skill, an agent."""
        registry = self.tx.door.registry
        if (one := registry.verbs.get(what) or by_tool(registry, what)) is not None:
            return [self.verbs.of(one)]
        if of_noun := [self.verbs.of(each) for each in registry if each.noun == what and not each.internal]:
            return grouped(of_noun)
        other = await self.tx.look_up(what)
        if other is not None and isinstance(other.props, Agent):
            known = [right for right in await self.collaborators() if right.what in (other.slug, "*")]
            return known or [Right("collaborator", other.slug, "asks", *UNNAMED)]
        if (other is None or isinstance(other.props, Skill)) and (skill := await held(self.tx, what)) is not None:
            return [await self.skill(skill)]
        known = [*registry.verbs, *shipped()]
        raise Refused.not_found(
            f"there is no verb, tool, skill or agent {what!r}{did_you_mean(what, known)}",
            hint="`hq schema list` shows verbs",
        )

    async def skills(self) -> list[Right]:
        nodes = await self.tx.find(NodeFilter(types=[Skill.type], limit=MANY))
        names = sorted({*(node.slug for node in nodes), *shipped()})
        found = [await held(self.tx, name) for name in names]
        return [await self.skill(each) for each in found if each is not None]

    async def skill(self, skill: HeldSkill) -> Right:
        """Given, lent by a brief, everybody's, or for who leads; and whether it is on."""
        source = await self._skill_source(skill)
        if skill.enabled and source:
            return Right("skill", skill.slug, "yes", source, "here" if source == LOOKS else "")
        if skill.enabled:
            return Right("skill", skill.slug, "asks", "nobody gave it", "the first use of it asks the founder")
        state = "is not enabled yet" if skill.node is None else f"is {skill.status}"
        return Right(
            "skill", skill.slug, "asks", source or "nobody gave it", f"it {state}; the first use asks the founder"
        )

    async def _skill_source(self, skill: HeldSkill) -> str:
        if skill.node is not None:
            link = next(
                (each for each in await self.tx.links(self.agent, edge="has_skill") if each.other_id == skill.node.id),
                None,
            )
            if link is not None:
                given = link.props or {}
                when = str(given.get("granted_at") or "")[:10]
                return f"granted by {given.get('granted_by', 'ceo')}" + (f" on {when}" if when else "")
            if skill.node.props.mandatory:
                return "shared default: every agent has it"
        if self.brief is not None and skill.slug in self.brief.props.skills:
            return f"brief of {self.mission.slug if self.mission else ''}"
        return LOOKS if skill.looks and self.agent.props.kind in LEADING else ""

    async def collaborators(self) -> list[Right]:
        found = []
        for link in await self.tx.links(self.agent, edge="collaborates_with"):
            if link.outward:
                said = link.props or {}
                source = f"standing: granted by {said.get('granted_by', 'ceo')}"
                found.append(Right("collaborator", link.other_slug, "yes", source, said.get("relationship", "peer")))
        if self.brief is not None:
            rules = self.brief.props.delegation_rules
            may: May = "asks" if rules == "request_approval" else "yes"
            why = {
                "request_approval": "each request waits for who gave the mission",
                "pre_approved": "at once, within its budget",
            }
            for slug in self.brief.props.agents_approved:
                if slug not in {each.what for each in found}:
                    source = f"brief of {self.mission.slug if self.mission else ''}"
                    found.append(
                        Right("collaborator", slug, may, source, why.get(rules, "at will, below its threshold"))
                    )
        return found

    def scopes(self) -> Iterator[Right]:
        props = self.agent.props
        source = "its file: Permissions" if props.workspace else "shared default: its record says none"
        for scope in props.scopes or SCOPES:
            yield Right("scope", scope, "yes", source if props.scopes else "shared default")
        if "founder" not in props.scopes:
            yield Right("scope", "founder", "no", "the house", "no agent's credential can hold it")

    def borders(self) -> Iterator[Right]:
        """Between agents whose files say what they own; who owns nothing has none."""
        shares = self.verbs.caller.shares
        for share in shares if any(each.agent == self.agent.slug for each in shares) else ():
            mine = share.agent == self.agent.slug
            if share.owns:
                why = "" if mine else f"{share.agent} changes these; ask it"
                yield Right(
                    "border", ", ".join(share.owns), "yes" if mine else "no", f"{share.agent}'s file: Owns", why
                )
            if mine and share.never:
                yield Right(
                    "border", ", ".join(share.never), "no", f"{share.agent}'s file: Never", "it never calls these"
                )

    def grants(self) -> Iterator[Right]:
        for grant in self.verbs.grants:
            props = grant.props
            until = f"until {props.expires_at:%Y-%m-%d %H:%M}" if props.expires_at else ""
            times = f"{props.uses_left} times" if props.uses_left is not None else ""
            scope = f"for {props.scope}" if props.scope else ""
            why = ", ".join(filter(None, (scope, times, until)))
            yield Right("grant", props.verb, "yes", f"granted by {props.granted_by} ({grant.slug})", why)

    async def budgets(self) -> list[Right]:
        props = self.agent.props
        source = "its file: Budget" if props.workspace else "its record"
        found = [
            Right("budget", text.format(money(value) if "usd" in name else value), "yes", source)
            for name, text in LIMITS
            if (value := getattr(props, name)) is not None
        ]
        put = await self.tx.find(NodeFilter(types=[Budget.type], status="active", limit=MANY))
        ends = await self.tx.targets([each.id for each in put], ["limits"])
        wanted = {self.agent.id: "set on it", None: "set on the company"}
        if self.mission is not None:
            wanted[self.mission.id] = f"set on {self.mission.slug}"
        for each in put:
            on = ends.get((each.id, "limits"))
            if on in wanted:
                found.append(Right("budget", _limit_text(each.props), "yes", f"{wanted[on]} ({each.slug})"))
        if self.mission is not None:
            limits = self.mission.props
            said = [f"{limits.token_budget:,} tokens"] if limits.token_budget is not None else []
            said += [money(limits.cost_limit)] if limits.cost_limit is not None else []
            if said:
                found.append(Right("budget", f"{', '.join(said)} in all", "yes", f"mission {self.mission.slug}"))
        if self.brief is not None and self.brief.props.delegation_budget is not None:
            amount = f"{self.brief.props.delegation_budget:,} tokens for helpers"
            found.append(Right("budget", amount, "yes", f"brief of {self.mission.slug if self.mission else ''}"))
        return found

    async def authority(self) -> list[Right]:
        seat = await seat_of(self.tx, self.agent)
        if seat is None:
            return [Right("authority", "spend money", "asks", "it sits nowhere", "the founder is asked")]
        position = await self.tx.get(seat, Position)
        limits, source = position.props, f"its seat: {position.props.title}"
        found = []
        for name, text in (("spend_per_transaction", "at once"), ("spend_per_session", "in a session")):
            if (value := getattr(limits, name)) is not None:
                found.append(Right("authority", f"spend {value:,.2f} {limits.currency} {text}", "yes", source))
        if limits.hard_stop_below is not None:
            floor = f"work while less than {limits.hard_stop_below:,.2f} {limits.currency} is managed"
            found.append(Right("authority", floor, "no", source, "everything it does stops there"))
        return found or [Right("authority", "spend money", "asks", source, "the seat has no authority of its own")]

    async def model(self) -> list[Right]:
        known = await capability_of(self.tx, self.agent)
        if known is None:
            return []
        source = "its record: model" if self.agent.props.model else "the company's minds"
        return [Right("model", known.model, "yes", source, known.told())]


LOOKS = "shared default: who leads looks at this machine"
UNNAMED = ("nobody named it", "help from it is asked for: who gave the mission says yes or no")


def _limit_text(limit: Budget) -> str:
    amounts = [money(limit.usd_hard)] if limit.usd_hard is not None else []
    amounts += [f"{limit.tokens_hard:,} tokens"] if limit.tokens_hard is not None else []
    amounts += [f"{limit.heavy_hard:,} turns on the strongest model"] if limit.heavy_hard is not None else []
    return f"{', '.join(amounts) or 'nothing'} {'in all' if limit.period == 'total' else f'a {limit.period}'}"


VERBS = (can,)
