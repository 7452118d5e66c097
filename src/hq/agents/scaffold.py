"""Scaffold of files for an agent that is hired: it can be told more, and changed with any editor, from its first day
on."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from pydantic import Field

from hq.agents.files.definition import AgentDefinition, BudgetLimit
from hq.agents.files.folder import DEFINITION, AgentFiles
from hq.agents.files.shipment import HIRED
from hq.agents.files.writer import rendered
from hq.agents.loader import SQL, properties
from hq.agents.rows import AgentCompanyRow
from hq.agents.working_set import working_set
from hq.door.access import INSIDE
from hq.door.toolset import offered, tool_of, verbs_named
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, Registry, Result, first, verb
from hq.errors import Refused
from hq.org.agent import Agent
from hq.suggestion import did_you_mean
from hq.workspace.verbs.workspace_verbs import inside

HELPERS = ("explore", "code-reviewer", "test-engineer")
TURNS, TOKENS = 40, 200_000


async def with_files(tx: Tx, slug: str, agent: Agent) -> Agent:
    """The agent as its files will say. They are written once the hire is committed: before, they would hire by themselves. Who it
    is and where it sits is not in them: the graph says that, as it is each time."""
    text = await asyncio.to_thread(HIRED.read_text, "utf-8")
    return await _drafted(
        tx, slug, agent, {DEFINITION: rendered(_definition(slug, agent, tx.door.registry)), "CLAUDE.md": text}
    )


async def with_files_of(tx: Tx, slug: str, agent: Agent, other: str) -> Agent:
    """A successor is told what its predecessor was; one without files has none."""
    company, files = await tx.the_one(SQL["company"], into=AgentCompanyRow), tx.use(AgentFiles)
    if not files.has(company.slug, other):
        return agent
    definition = (await asyncio.to_thread(files.load, company.slug, other)).checked()
    texts = await asyncio.to_thread(files.texts, company.slug, other)
    return await _drafted(tx, slug, agent, {DEFINITION: rendered(replace(definition, name=slug, prompt=())), **texts})


async def _drafted(tx: Tx, slug: str, agent: Agent, texts: dict[str, str]) -> Agent:
    company, files = await tx.the_one(SQL["company"], into=AgentCompanyRow), tx.use(AgentFiles)
    await asyncio.to_thread(files.ship, company.slug)
    if files.has(company.slug, slug):
        raise Refused.conflict(
            f"there is a folder agents/{slug} already; clear it away, or give the agent another name"
        )
    loaded = await asyncio.to_thread(files.drafted, company.slug, slug, texts)
    tx.follow_ups.append(inside(tx, "agent.furnish", {"agent": slug, "texts": texts}))
    return agent.model_copy(update=properties(loaded.checked(), loaded.version))


def _definition(slug: str, agent: Agent, registry: Registry) -> AgentDefinition:
    for name in agent.tools:
        if not verbs_named(registry, name):
            known = [word for verb in registry if offered(verb) for word in (tool_of(verb), verb.noun)]
            raise Refused.invalid(
                f"there is no tool {name!r}{did_you_mean(name, known)}",
                hint="name tools such as cost_show, or nouns such as cost; what work on missions needs it has anyway",
            )
    set_ = working_set(registry, (agent.role, agent.description), agent.tools)
    return AgentDefinition(
        name=slug,
        description=_line(agent.description) or f"Does the work of {_line(agent.role)}.",
        role=_line(agent.role),
        kind=agent.kind,
        tools=set_.tools,
        only=set_.only,
        daily=set_.daily,
        subagents=HELPERS,
        budget=BudgetLimit(
            daily_usd_hard=agent.daily_usd_hard,
            daily_tokens_hard=agent.daily_tokens_hard,
            tokens_per_run_cap=TOKENS,
            max_turns_per_query=TURNS,
        ),
    )


def _line(text: str | None) -> str:
    """In one line: frontmatter and tables have no room for more."""
    return " ".join((text or "").split())


class AgentFurnishArgs(Args):
    """Whose files, and what is in them."""

    agent: Ref = first()
    """Slug of the agent."""
    texts: dict[str, str] = Field(max_length=20)
    """Each file by its name."""


class Furnished(Result):
    agent: str
    folder: str


@verb("agent.furnish", "write", for_=INSIDE, internal=True, by_hash=["texts"])
async def furnish(tx: Tx, args: AgentFurnishArgs) -> Furnished:
    """Write the files of an agent that has none."""
    agent = await tx.get(args.agent, Agent)
    company, files = await tx.the_one(SQL["company"], into=AgentCompanyRow), tx.use(AgentFiles)
    if tx.call.inside and not files.has(company.slug, agent.slug):
        await asyncio.to_thread(files.write, company.slug, agent.slug, args.texts)
    return Furnished(agent=agent.slug, folder=str(files.folder(company.slug) / agent.slug))


VERBS = (furnish,)
