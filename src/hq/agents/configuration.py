"""The configuration of an agent, from its files as they are now or, without files, from its record: what its sessions work with, and what
`hq context show` shows."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from functools import cache

from hq.agents.files.definition import BASE_TOOLS, parse
from hq.agents.files.folder import DEFINITION, SHIPPED, AgentFiles, AgentFolder
from hq.agents.rows import EmployedRow
from hq.agents.working_set import DAILY, working_set
from hq.door.verb import Registry
from hq.org.agent import Agent
from hq.org.decisions import CHANGED
from hq.sessions.config import AgentConfig

DECIDES = ("org_decide", "org_proposals")
"""What whoever directs an organisation is shown first."""


@dataclass(frozen=True)
class Configured:
    """What governs an agent, and the texts that it is told of that, each by its name."""

    config: AgentConfig
    told: list[tuple[str, str]]
    problem: str | None = None
    """What is wrong with its files, where these are the last good ones."""


async def configured(files: AgentFiles, registry: Registry, slug: str, known: EmployedRow) -> Configured:
    if not files.has(known.company, slug):
        rules = await asyncio.to_thread(files.for_anybody, known.company)
        config = _from_record(registry, slug, known.props, rules)
        return Configured(_directing(config) if known.directs else config, [("rules", config.instructions)])
    loaded, problem = await asyncio.to_thread(files.usable, known.company, slug)
    config = _from_files(loaded)
    if (set_ := known.props) is not None:
        config = replace(config, model=set_.model)
        if set_.version == loaded.version:  # what was set since the files were read holds, as it is shown
            turns, tokens = set_.max_turns_per_query, set_.tokens_per_run_cap
            config = replace(
                config, max_turns=turns or config.max_turns, tokens_per_run=tokens or config.tokens_per_run
            )
    told = [(each.name, each.text.strip()) for each in loaded.told]
    return Configured(_directing(config) if known.directs else config, told, problem)


@cache
def _usual_daily(kind: str) -> tuple[str, ...]:
    """What an agent is shown whose own file does not say it: as the one that comes with hq, or as one that is hired."""
    for shipped in sorted(SHIPPED.glob(f"*/{DEFINITION}")):
        definition, _ = parse(shipped.name, shipped.read_text("utf-8"))
        if definition and definition.kind == kind:
            return definition.daily
    return DAILY


def _directing(config: AgentConfig) -> AgentConfig:
    """With what the AR Director's seat needs: to see what is proposed, to decide it, and to make it."""
    tools = None if config.tools is None else tuple(dict.fromkeys((*config.tools, *CHANGED)))
    return replace(config, tools=tools, daily=(*DECIDES, *(config.daily or _usual_daily(config.kind))))


def _from_files(loaded: AgentFolder) -> AgentConfig:
    agent = loaded.checked()
    usual = AgentConfig(agent.name, "")
    return AgentConfig(
        agent.name,
        loaded.instructions,
        tools=agent.offered,
        reads=agent.reads,
        only=agent.only,
        daily=agent.daily or _usual_daily(agent.kind),
        kind=agent.kind,
        scopes=agent.scopes,
        max_turns=agent.budget.max_turns_per_query or usual.max_turns,
        tokens_per_run=agent.budget.tokens_per_run_cap or usual.tokens_per_run,
        version=loaded.version,
        topics=agent.topics,
        model_policy=agent.model_policy,
    )


def _from_record(registry: Registry, slug: str, agent: Agent | None, rules: str = "") -> AgentConfig:
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
        daily=tuple(dict.fromkeys((*_usual_daily(agent.kind), *agent.tools))) if leads else job.daily,
        kind=agent.kind,
        model=agent.model,
        max_turns=agent.max_turns_per_query or usual.max_turns,
        tokens_per_run=agent.tokens_per_run_cap or usual.tokens_per_run,
        topics=tuple(agent.outbox_topics),
    )
