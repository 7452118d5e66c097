"""Services for the sessions of one process: who an agent is, which mind answers, what it may spend."""

from __future__ import annotations

from dataclasses import dataclass, field

import structlog

from hq.agents.configuration import configured
from hq.agents.files.folder import AgentFiles
from hq.agents.rows import EmployedRow
from hq.database.queries import beside
from hq.door.door import Door
from hq.engine.house import House
from hq.engine.sessions.leases import Claimed
from hq.engine.tenancy import inside
from hq.guard.loops import LoopLimits, looping
from hq.minds.mind import TIERS, Mind, MindRequest
from hq.minds.policy import PolicyTurn, TierDecision, decide, of_agent
from hq.minds.service import Minds
from hq.sessions.config import AgentConfig
from hq.sessions.reservation import Spending
from hq.sessions.session_host import Reservation
from hq.sessions.transcript import Transcript

SQL = beside(__file__)
log = structlog.get_logger("hq.staff")


@dataclass
class SessionServices:
    door: Door
    minds: Minds
    house: House = field(init=False)

    def __post_init__(self) -> None:
        self.house = House(self.door)
        self.spending = Spending(self.door, self.minds)
        self._limits: LoopLimits = self.door.services.get(LoopLimits) or LoopLimits()

    async def config(self, claimed: Claimed) -> AgentConfig:
        """From the agent's files as they are now; one without files is what its record says."""
        async with inside(self.door.pool, claimed.tenant_id) as reader:
            known = await reader.the_one(SQL["employed"], {"agent": claimed.agent}, into=EmployedRow)
        found = await configured(self.door.services[AgentFiles], self.door.registry, claimed.agent, known)
        if found.problem:
            log.warning("agent's files are broken; the last good ones are used", problem=found.problem)
        if found.config.version and found.config.version != (known.props.version if known.props else None):
            await self.house.call(claimed.tenant_id, "agent.load", {"agent": claimed.agent})
        return found.config

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
