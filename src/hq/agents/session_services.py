"""Services for the sessions of one process: who an agent is, which mind answers, what it may spend."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from functools import cache
from uuid import UUID

import structlog

from hq.agents.files.definition import BASE_TOOLS, parse
from hq.agents.files.folder import DEFINITION, SHIPPED, AgentFiles, AgentFolder
from hq.agents.rows import EmployedRow
from hq.agents.working_set import DAILY, working_set
from hq.database.queries import beside
from hq.door.door import Door
from hq.door.verb import Registry
from hq.engine.house import House
from hq.engine.sessions.leases import Claimed
from hq.engine.tenancy import inside
from hq.errors import Refused
from hq.guard.loops import LoopLimits, looping
from hq.minds.mind import TIERS, Mind, MindRequest
from hq.minds.policy import PolicyTurn, TierDecision, decide, of_agent
from hq.minds.service import Minds
from hq.org.agent import Agent
from hq.org.decisions import CHANGED
from hq.sessions.config import AgentConfig
from hq.sessions.reservation import Spending
from hq.sessions.session_host import Reservation
from hq.sessions.transcript import Transcript

SQL = beside(__file__)
log = structlog.get_logger("hq.staff")
DECIDES = ("org_decide", "org_proposals")
"""What whoever directs an organisation is shown first."""


@dataclass
class SessionServices:
    door: Door
    minds: Minds
    house: House = field(init=False)
    _good: dict[tuple[UUID, str], AgentFolder] = field(init=False, default_factory=dict)
    """The last version of each agent's files that could be read."""

    def __post_init__(self) -> None:
        self.house = House(self.door)
        self.spending = Spending(self.door, self.minds)
        self._limits: LoopLimits = self.door.services.get(LoopLimits) or LoopLimits()

    async def config(self, claimed: Claimed) -> AgentConfig:
        """From the agent's files as they are now; one without files is what its record says."""
        async with inside(self.door.pool, claimed.tenant_id) as reader:
            known = await reader.the_one(SQL["employed"], {"agent": claimed.agent}, into=EmployedRow)
        files: AgentFiles = self.door.services[AgentFiles]
        if not files.has(known.company, claimed.agent):
            rules = await asyncio.to_thread(files.for_anybody, known.company)
            config = from_record(self.door.registry, claimed.agent, known.props, rules)
            return directing(config) if known.directs else config
        loaded = await asyncio.to_thread(files.load, known.company, claimed.agent)
        if loaded.definition is None:
            loaded = self._last_good(claimed, loaded)
        config = from_files(loaded)
        if known.props is None or loaded.version != known.props.version:
            await self.house.call(claimed.tenant_id, "agent.load", {"agent": claimed.agent})
        else:  # what was set since the files were read, and is shown as what holds
            config = replace(
                config,
                max_turns=known.props.max_turns_per_query or config.max_turns,
                tokens_per_run=known.props.tokens_per_run_cap or config.tokens_per_run,
            )
        self._good[claimed.tenant_id, claimed.agent] = loaded
        config = replace(config, model=known.props.model if known.props else None)
        return directing(config) if known.directs else config

    def _last_good(self, claimed: Claimed, broken: AgentFolder) -> AgentFolder:
        """A slip in a file does not stop an agent that worked a minute ago."""
        kept = self._good.get((claimed.tenant_id, claimed.agent))
        if kept is None:
            broken.checked()  # says what is wrong
            raise Refused.invalid(f"the files of {claimed.agent} cannot be read")
        log.warning("agent's files are broken; the last good ones are used", problem=str(broken.problems[0]))
        return kept

    async def tier(self, claimed: Claimed, config: AgentConfig) -> TierDecision:
        """By what woke the session, the agent's own policy and what it has left to spend."""
        trigger = claimed.trigger
        if trigger.tier in TIERS:
            return TierDecision(trigger.tier, "asked for")
        if not (await self.minds.company(claimed.tenant_id)).has_models:
            return TierDecision("default", "only the script answers")
        standing = await self.spending.budgets.standing(claimed.tenant_id, claimed.agent)
        caps = {} if standing.heavy_cap is None else {"heavy_cap": standing.heavy_cap}
        woken = {"topic": claimed.trigger_kind, "payload": trigger.as_json()}
        turn = PolicyTurn(trigger.about or trigger.text, [woken, *trigger.events])
        own = of_agent(config.model_policy)
        goes_on = claimed.kind == "thread" or trigger.mission is not None
        chosen = decide(
            turn, own, pressure=standing.pressure, heavy_today=standing.heavy_today, goes_on=goes_on, **caps
        )
        if chosen.alarm:
            await self.spending.alarm(claimed, chosen.alarm)
        return chosen

    async def mind(self, claimed: Claimed, ask: MindRequest) -> Mind:
        return await self.minds.mind(claimed.tenant_id, ask.tier, ask.model)

    async def budget(self, claimed: Claimed, ask: MindRequest, config: AgentConfig) -> Reservation:
        return await self.spending.reserve(claimed, ask)

    def looping(self, transcript: Transcript, config: AgentConfig) -> str | None:
        full = transcript.tokens / config.context_window
        return looping(transcript.calls, transcript.made, full, self._limits, self._reads)

    def _reads(self, verb: str) -> bool:
        known = self.door.registry.verbs.get(verb)
        return known is not None and not known.changes


@cache
def usual_daily(kind: str) -> tuple[str, ...]:
    """What an agent is shown whose own file does not say it: as the one that comes with hq, or as one that is hired."""
    for shipped in sorted(SHIPPED.glob(f"*/{DEFINITION}")):
        definition, _ = parse(shipped.name, shipped.read_text("utf-8"))
        if definition and definition.kind == kind:
            return definition.daily
    return DAILY


def directing(config: AgentConfig) -> AgentConfig:
    """With what the AR Director's seat needs: to see what is proposed, to decide it, and to make it."""
    tools = None if config.tools is None else tuple(dict.fromkeys((*config.tools, *CHANGED)))
    return replace(config, tools=tools, daily=(*DECIDES, *(config.daily or usual_daily(config.kind))))


def from_files(loaded: AgentFolder) -> AgentConfig:
    agent = loaded.checked()
    usual = AgentConfig(agent.name, "")
    return AgentConfig(
        agent.name,
        loaded.instructions,
        tools=agent.offered,
        reads=agent.reads,
        only=agent.only,
        daily=agent.daily or usual_daily(agent.kind),
        kind=agent.kind,
        scopes=agent.scopes,
        max_turns=agent.budget.max_turns_per_query or usual.max_turns,
        tokens_per_run=agent.budget.tokens_per_run_cap or usual.tokens_per_run,
        version=loaded.version,
        topics=agent.topics,
        model_policy=agent.model_policy,
    )


def from_record(registry: Registry, slug: str, agent: Agent | None, rules: str = "") -> AgentConfig:
    """One without files of its own is told what holds for everybody, and has what its job needs; who it is the graph says."""
    if agent is None:
        return AgentConfig(slug, rules or f"You are {slug}.")
    usual = AgentConfig(slug, rules)
    job = working_set(registry, (agent.role, agent.description), agent.tools)
    leads = agent.kind in ("ceo", "operator")
    return AgentConfig(
        slug,
        rules,
        tools=None if leads and not agent.tools else (*BASE_TOOLS, *job.tools),
        only={} if leads else job.only,
        daily=tuple(dict.fromkeys((*usual_daily(agent.kind), *agent.tools))) if leads else job.daily,
        kind=agent.kind,
        model=agent.model,
        max_turns=agent.max_turns_per_query or usual.max_turns,
        tokens_per_run=agent.tokens_per_run_cap or usual.tokens_per_run,
        topics=tuple(agent.outbox_topics),
    )
