"""The loader of agents' files: agents are read from the disk, checked, and written into the graph when they changed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import TypedDict

from hq.agents.beats import put_beats
from hq.agents.files.definition import AgentDefinition
from hq.agents.files.folder import WHOLE, AgentFiles, AgentFolder
from hq.agents.rows import AgentCompanyRow
from hq.agents.subagents.folder import wrong
from hq.database.queries import beside
from hq.door.access import EVERYONE, STAFF
from hq.door.actor import name_of
from hq.door.json_shape import AsJson
from hq.door.results import Listing
from hq.door.toolset import tool_of, verbs_named, verbs_reached
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, Result, first, verb
from hq.door.verbs.credentials import ensure_principal
from hq.errors import Refused
from hq.graph.records import Stored
from hq.json_types import Props
from hq.org.agent import Agent
from hq.org.founders import seat_founders
from hq.org.types import Persona
from hq.sessions.tool_offer import SHOWN_TOKENS, ToolOffer, offer_of
from hq.suggestion import did_you_mean

SQL = beside(__file__)


class AgentFilesArgs(Args):
    """Which agents."""

    agent: Ref | None = first(default=None)
    """Slug of one agent; left out, all that have files."""


class LoadedAgent(TypedDict):
    """What became of an agent's files."""

    agent: str
    version: str
    changed: bool
    problems: list[str]


class LoadedAgents(Listing[LoadedAgent]):
    folder: str
    """Where the files are."""


@verb("agent.load", "write", for_=STAFF, emits="agent.loaded", examples=[{}])
async def load(tx: Tx, args: AgentFilesArgs) -> LoadedAgents:
    """Read the agents' files and write what changed; a company without any gets the agents that come with hq."""
    return await load_files(tx, name_of("agent", args.agent) if args.agent else None)


async def load_files(tx: Tx, agent: str | None = None) -> LoadedAgents:
    company, files = await tx.the_one(SQL["company"], into=AgentCompanyRow), tx.use(AgentFiles)
    await asyncio.to_thread(files.ship, company.slug)
    slugs = [agent] if agent else files.slugs(company.slug)
    items: list[LoadedAgent] = []
    for slug in slugs:
        loaded = await asyncio.to_thread(files.load, company.slug, slug)
        if agent:
            loaded.checked()
        problems = [str(problem) for problem in loaded.problems]
        changed = False if problems else await employ(tx, loaded, company.time_zone)
        items.append({"agent": slug, "version": loaded.version, "changed": changed, "problems": problems})
    await seat_founders(tx)
    await tx.conn.execute(SQL["begin_routing"])
    return LoadedAgents(items=items, folder=str(files.folder(company.slug)))


async def first_load(tx: Tx) -> None:
    """The agents that come with hq, for a company that has no files of its own yet."""
    company, files = await tx.the_one(SQL["company"], into=AgentCompanyRow), tx.use(AgentFiles)
    if not files.folder(company.slug).exists():
        await load_files(tx)


async def employ(tx: Tx, loaded: AgentFolder, zone: str) -> bool:
    """The agent's node, its rights and its beats, as its files say. Says whether its node changed."""
    definition = loaded.checked()
    node: Stored[Agent] | None = await tx.look_up(loaded.slug)
    if node is not None and node.type != Agent.type:
        raise Refused.conflict(
            f"the name {loaded.slug!r} is taken by a {node.type}; name the agent's folder and its file differently"
        )
    if node is not None and node.archived_at is not None:
        return False  # it was let go; its files stay until somebody clears them away or brings it back
    props = properties(definition, loaded.version)
    changed = node is None or any(getattr(node.props, name) != value for name, value in props.items())
    if node is None:
        # Two processes may load at the same time: whoever comes second meets this name, tries again and finds it.
        await tx.create(Agent(**props), slug=loaded.slug, external=("agent files", loaded.slug))
    elif changed:
        await _rename_persona(tx, node, props["name"])
        await tx.change(node, props)
    principal = await ensure_principal(tx, "agent", loaded.slug)
    await tx.conn.execute(SQL["set_scopes"], {"id": principal, "scopes": list(definition.scopes)})
    await put_beats(tx, loaded.slug, definition.beats, zone)
    return changed


async def _rename_persona(tx: Tx, agent: Stored[Agent], name: str) -> None:
    """Who was made to be this agent goes by its new name, so that the chart calls them the same."""
    persona = (
        (await tx.targets([agent.id], ["embodies"])).get((agent.id, "embodies")) if name != agent.props.name else None
    )
    if persona and (known := await tx.get(persona, Persona)).props.name == agent.props.name:
        await tx.change(known, {"name": name})


def properties(definition: AgentDefinition, version: str) -> Props:
    """What the graph keeps of a definition: everything but its prompt, which the version stands for."""
    heavy = [condition for condition, tier in definition.model_policy if tier == "heavy"]
    return {
        "name": definition.title or definition.name,
        "kind": definition.kind,
        "role": definition.role,
        "description": definition.description,
        "model_triggers": heavy,
        "workspace": f"agents/{definition.name}",
        "tools": list(definition.offered),
        "tool_actions": {noun: ["read"] for noun in definition.reads}
        | {noun: list(actions) for noun, actions in definition.only.items()},
        "subagents": list(definition.subagents),
        "max_subagents": definition.max_subagents,
        "scopes": list(definition.scopes),
        "owns": list(definition.owns),
        "never": list(definition.never),
        "write_paths": list(definition.write_paths),
        "beats": [beat.cron for beat in definition.beats],
        "outbox_topics": list(definition.topics),
        "takes_messages": definition.inbox,
        "warm_window_seconds": definition.warm_window_seconds,
        **vars(definition.budget),
        "version": version,
    }


class AgentTokens(TypedDict):
    """What an agent begins a session with, in tokens."""

    agent: str
    version: str
    files: int
    tools: int
    tokens: int


class FileTokens(TypedDict):
    """How long a file is, and may be."""

    file: str
    tokens: int
    cap: int


class AgentFilesChecked(Result):
    agents: AsJson[list[AgentTokens]]
    """Each with its tokens at the start of a session: files, tools, and in all."""
    files: AsJson[list[FileTokens]]
    """Each with its tokens and how many it may have."""
    limit: int
    """Tokens an agent may begin with in all."""


@verb("agent.check", "read", for_=EVERYONE, past=False, examples=[{}])
async def check(tx: Tx, args: AgentFilesArgs) -> AgentFilesChecked:
    """Check the agents' files: whether they can be read, and whether they keep within their tokens."""
    company, files = await tx.the_one(SQL["company"], into=AgentCompanyRow), tx.use(AgentFiles)
    slugs = [name_of("agent", args.agent)] if args.agent else files.slugs(company.slug)
    if not slugs:
        raise Refused.not_found(
            f"there are no agents' files in {files.folder(company.slug)}",
            hint="`hq agent load` puts the first ones there",
        )
    all_loaded = [await asyncio.to_thread(files.load, company.slug, slug) for slug in slugs]
    problems = [problem for loaded in all_loaded for problem in _problems(tx, loaded)]
    for loaded in all_loaded:
        allowed = loaded.definition.subagents if loaded.definition else ()
        problems += await asyncio.to_thread(wrong, files, company.slug, loaded.slug, allowed)
    if problems:
        raise Refused.invalid("\n".join(dict.fromkeys(problems)), problems=list(dict.fromkeys(problems)))
    told = {
        (loaded.slug if "/" not in text.name else "", text.name): text for loaded in all_loaded for text in loaded.texts
    }
    return AgentFilesChecked(
        agents=[
            {
                "agent": loaded.slug,
                "version": loaded.version,
                "files": loaded.tokens,
                "tools": tool_tokens(tx, loaded.checked()),
                "tokens": loaded.tokens + tool_tokens(tx, loaded.checked()),
            }
            for loaded in all_loaded
        ],
        files=[
            {"file": f"{slug}/{name}".lstrip("/"), "tokens": text.tokens, "cap": text.cap}
            for (slug, name), text in told.items()
        ],
        limit=WHOLE,
    )


def _problems(tx: Tx, loaded: AgentFolder) -> list[str]:
    found = [str(problem) for problem in loaded.problems]
    for text in loaded.texts:
        if text.tokens > text.cap:
            path = text.name if "/" in text.name else f"{loaded.slug}/{text.name}"
            found.append(f"agents/{path}:1: about {text.tokens} tokens, and it may have {text.cap}; cut it")
    if loaded.definition:
        found += _unknown_actions(tx, loaded.definition)
        if too_many := left_out(tx, loaded.definition):
            found.append(
                f"agents/{loaded.slug}/agent.md:1: its daily tools take more than {SHOWN_TOKENS} tokens: "
                f"{', '.join(too_many)} would not be shown; name fewer"
            )
        tools = tool_tokens(tx, loaded.definition)
        if loaded.tokens + tools > WHOLE:
            found.append(
                f"agents/{loaded.slug}/agent.md:1: {loaded.tokens} tokens of files and {tools} of tools are more than "
                f"{WHOLE}; take tools away or give some to read only"
            )
    return found


def _unknown_actions(tx: Tx, definition: AgentDefinition) -> Iterator[str]:
    """Actions that a noun of this installation does not have, and tools that there are not; of nouns that are not here
    nothing is known."""
    registry = tx.door.registry
    where = f"agents/{definition.name}/agent.md:1:"
    for tool, actions in definition.only.items():
        has = [registry.get(verb).action for verb in verbs_named(registry, tool)]
        for action in (each for each in actions if has and each not in has):
            yield f"{where} {tool} has no action {action!r}{did_you_mean(action, has)}"
    for name in definition.daily:
        if not verbs_named(registry, name):
            known = [tool_of(verb) for verb in registry]
            yield f"{where} daily names {name}, and there is no such tool{did_you_mean(name, known)}"


def tool_tokens(tx: Tx, definition: AgentDefinition) -> int:
    """What the tools cost that it is shown: about what its mind reads of them with every call."""
    return sum(tool.tokens for tool in _offer(tx, definition).shown)


def left_out(tx: Tx, definition: AgentDefinition) -> list[str]:
    """Daily tools for which there is no room."""
    shown = {tool.verb for tool in _offer(tx, definition).shown}
    named = ((name, verbs_named(tx.door.registry, name)) for name in definition.daily)
    return [name for name, verbs in named if not shown.issuperset(verbs)]


def _offer(tx: Tx, definition: AgentDefinition) -> ToolOffer:
    registry = tx.door.registry
    reach = verbs_reached(registry, definition.offered, definition.reads, definition.only)
    shown = [verb for name in definition.daily for verb in verbs_named(registry, name)]
    return offer_of(registry, reach.union(shown), shown)


VERBS = (load, check)
