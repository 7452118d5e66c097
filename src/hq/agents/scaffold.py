"""Scaffold of files for an agent that is hired: it can be told more, and changed with any editor, from its first day
on."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from pydantic import Field

from hq.agents.files.definition import BudgetLimit, Definition
from hq.agents.files.folder import DEFINITION, AgentFiles
from hq.agents.files.writer import rendered
from hq.agents.loader import SQL, properties
from hq.agents.rows import AgentCompanyRow
from hq.agents.types import Agent
from hq.door.access import INSIDE
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, Result, first, verb
from hq.errors import Refused
from hq.workspace.verbs.workspace_verbs import inside

TEMPLATE = Path(__file__).parent / "files" / "hired.md"
TOOLS = (
    "hq_agent", "hq_mission", "hq_escalation", "hq_task", "hq_document", "hq_memory", "hq_subagent", "hq_workspace", "hq_code",
    "read_file", "write_file", "edit_file", "grep", "glob", "container_exec", "web_search", "web_fetch",
)  # fmt: skip
"""What an agent needs to work on missions; what it is hired with beyond that comes on top."""
HELPERS = ("explore", "code-reviewer", "test-engineer")
TURNS, TOKENS = 40, 200_000


async def with_files(tx: Tx, slug: str, agent: Agent, seat: str, organisation: str) -> Agent:
    """The agent as its files will say. They are written once the hire is committed: before, they would hire by themselves."""
    words = {"name": agent.name, "seat": seat, "organisation": organisation, "about": agent.description or ""}
    text = await asyncio.to_thread(TEMPLATE.read_text, "utf-8")
    for word, meaning in words.items():
        text = text.replace("{{" + word + "}}", _line(meaning))
    return await _drafted(tx, slug, agent, {DEFINITION: rendered(_definition(slug, agent)), "CLAUDE.md": text})


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


def _definition(slug: str, agent: Agent) -> Definition:
    return Definition(
        name=slug,
        description=_line(agent.description) or f"Does the work of {_line(agent.role)}.",
        role=_line(agent.role),
        kind=agent.kind,
        tools=tuple(dict.fromkeys((*TOOLS, *agent.tools))),
        subagents=HELPERS,
        budget=BudgetLimit(daily_usd_hard=agent.daily_usd_hard, tokens_per_run_cap=TOKENS, max_turns_per_query=TURNS),
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
