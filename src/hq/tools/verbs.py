"""Tools for models: which there are and who may use them, in any SDK's format; and asking for one that is missing."""

from __future__ import annotations

from collections.abc import Collection
from typing import TypedDict

from pydantic import Field

from hq.asks.proposals import proposed
from hq.asks.types import Proposal
from hq.connectors.offer import connected_tools
from hq.database.queries import beside
from hq.door.access import ANYONE, EVERYONE, is_for
from hq.door.access_rule import Access
from hq.door.borders import crossed
from hq.door.caller import Caller
from hq.door.command_tool import HQ, command_tool, help_on
from hq.door.exporters import Format, export, hermes_prompt, tokens
from hq.door.results import Listing
from hq.door.toolset import Tool, offered, tool_of, tools_of, verbs_named
from hq.door.tx import Tx
from hq.door.verb import Args, Registry, Result, Verb, first, verb
from hq.errors import Refused
from hq.json_types import JsonSchema
from hq.suggestion import did_you_mean
from hq.tools.rows import OpenProposalRow

SQL = beside(__file__)
KIND = "tool_access"
NOBODY = ("founder", "install")
DAILY = (
    "graph_search", "graph_describe", "mission_list", "mission_show", "mission_create", "mission_assign", "task_create", "task_list",
    "task_complete", "memory_search", "memory_add", "agent_list", "agent_ask", "agent_send", "ask_list", "ask_answer", "document_create",
    "project_list", "schedule_add", "graph_timeline", "proposal_propose",
)  # fmt: skip
"""What whoever connects is shown, where nothing is named; the rest is reached through `hq`."""


class ToolsListArgs(Args):
    """Which tools."""

    all: bool = False
    """Also those this credential may not use; `hq tools request` asks for them."""


class ToolItem(TypedDict):
    """The tools of a noun."""

    noun: str
    access: str
    tools: list[str]
    scopes: list[str]
    read_only: bool
    tokens: int


@verb("tools.list", "read", for_=ANYONE, past=False, examples=[{}])
async def list_(tx: Tx, args: ToolsListArgs) -> Listing[ToolItem]:
    """The tools this credential may use, noun by noun: the scopes they rest on, and about how many tokens they take."""
    registry, mine = tx.door.registry, await tx.use(Access).offer(tx)
    items = [_line(registry, noun, verbs, "granted") for noun, verbs in _by_noun(registry, mine)]
    items += [_outside(tool) for tool in await connected_tools(tx)]
    if args.all:
        rest = [verb for verb in registry if offered(verb) and verb.name not in mine]
        for access in ("request", "founder"):
            some = {verb.name for verb in rest if (verb.scope in NOBODY) == (access == "founder")}
            items += [_line(registry, noun, verbs, access) for noun, verbs in _by_noun(registry, some)]
    return Listing[ToolItem](items=items)


class ToolsHelpArgs(Args):
    """About what."""

    about: list[str] = first(default_factory=list, max_length=20)
    """A noun, a command, or some words to look for; left out, all there is."""


class ToolsHelp(Result):
    """What there is: commands with what each is for, or one command with its fields."""


@verb(
    "tools.help",
    "read",
    for_=ANYONE,
    past=False,
    examples=[{}, {"about": ["task"]}, {"about": ["task", "create"]}, {"about": ["remind", "somebody"]}],
    text="hq.tools.tools_text:explained",
    explains=True,
)
async def help_(tx: Tx, args: ToolsHelpArgs) -> ToolsHelp:
    """What a model can call here, and how: all of it, a noun's commands, one command's fields, or what fits some words."""
    return ToolsHelp.model_validate(help_on(tx.door.registry, await tx.use(Access).offer(tx), args.about))


class ToolsExportArgs(Args):
    """In whose format."""

    format: Format = "anthropic"
    """The SDK that will read it."""
    tools: list[str] = Field(default_factory=list, max_length=200)
    """Only these, by name or by noun, such as task_create or task; left out, those of every day and `hq` for the rest."""
    all: bool = False
    """Every tool that this credential may use, instead of those of every day."""
    strict: bool = True
    """Ask the model's server to hold the model to the schema; some accept that only for a few tools at once."""


class ToolsExported(Result):
    format: str
    tools: list[JsonSchema]
    tokens: int
    """About what a model reads for them."""
    text: str | None = None
    """For formats that are part of a prompt: that part."""


@verb(
    "tools.export",
    "read",
    for_=EVERYONE,
    past=False,
    examples=[{"format": "openai", "tools": ["task"]}],
    text=".tools",
)
async def export_(tx: Tx, args: ToolsExportArgs) -> ToolsExported:
    """The tools this credential may use, as an SDK takes them."""
    made = export(await _chosen(tx, args), args.format)
    if not args.strict:
        made = [_loose(each) for each in made]
    text = hermes_prompt(made) if args.format == "hermes" else None
    return ToolsExported(format=args.format, tools=made, tokens=tokens(made), text=text)


class ToolsRequestArgs(Args):
    """What is missing, and what it is for."""

    tool: str = first(min_length=1, max_length=100)
    """A tool such as task_create, a noun such as task, or a scope such as write:task."""
    why: str = Field(min_length=1, max_length=2000)
    """What it is needed for, in words for the founder."""


class Requested(Result):
    proposal: str
    scopes: list[str]
    status: str


@verb(
    "tools.request",
    "write",
    for_=EVERYONE,
    emits="tools.requested",
    undo="exact",
    scope="read",
    text="asked the founder for {scopes}: {proposal}",
)
async def request(tx: Tx, args: ToolsRequestArgs) -> Requested:
    """Ask the founder for a tool or a scope; a yes gives it to this actor's credentials."""
    scopes = _missing(tx, args.tool)
    change = {"verb": "auth.widen", "args": {"actor": tx.caller.actor, "scopes": scopes}}
    for found in await tx.rows(SQL["open_proposals"], {"kind": KIND}, into=OpenProposalRow):
        if found.props.change == change:  # asked already: nobody is asked twice
            return Requested(proposal=found.slug, scopes=scopes, status="pending")
    proposal = await proposed(
        tx,
        Proposal(
            kind=KIND,
            body=f"{tx.caller.actor} asks for {args.tool} ({', '.join(scopes)}): {args.why}",
            evidence={"actor": tx.caller.actor, "tool": args.tool, "has": ", ".join(sorted(tx.caller.scopes))},
            change=change,  # type: ignore[arg-type]
        ),
    )
    tx.target = proposal
    return Requested(proposal=proposal.slug, scopes=scopes, status="pending")


def _missing(tx: Tx, wanted: str) -> list[str]:
    """The scopes that would give what is wanted. What is the founder's alone cannot be asked for."""
    bound = tx.call.session_id is None  # a session has what its agent's file says, from its next one on
    verbs = [v for v in _verbs(tx, wanted) if v.scope in NOBODY or is_for(tx.caller, v, in_session=not bound)]
    if not verbs:
        raise Refused.forbidden(
            f"{wanted} is not for {tx.caller.actor}, whatever its scopes; propose what should be done with `hq proposal propose`"
        )
    lacking = [v for v in verbs if not tx.caller.may(v) or (bound and not _is_given(tx.caller, v))]
    if not lacking:
        raise Refused.conflict(
            f"{tx.caller.actor} may use {wanted} already",
            hint=f"where it is not among your tools, your file leaves it out: ask the founder to add `- {wanted}` under "
            "`## Tools` there; it holds from your next session on",
        )
    scopes = sorted({f"{v.scope}:{v.noun}" for v in lacking if v.scope not in NOBODY})
    if not scopes:
        raise Refused.forbidden(
            f"{wanted} is the founder's alone; propose what should be done with `hq proposal propose`"
        )
    return scopes


def _is_given(caller: Caller, verb: Verb) -> bool:
    """Also not what an agent's file keeps for that agent, unless the token names it."""
    return caller.is_given(verb) and crossed(caller, verb) is None


def _verbs(tx: Tx, wanted: str) -> list[Verb]:
    registry = tx.door.registry
    base, _, noun = wanted.partition(":")
    if found := [registry.get(name) for name in verbs_named(registry, wanted)]:
        return found
    if wanted in registry.verbs:
        found = [registry.get(wanted)]
    else:
        found = [v for v in registry if v.scope == base and noun in ("", v.noun) and offered(v)]
    if not found:
        names = [name for v in registry if offered(v) for name in (tool_of(v), v.noun)]
        raise Refused.not_found(f"there is no tool or scope {wanted!r}{did_you_mean(wanted, names)}")
    return found


def _by_noun(registry: Registry, names: Collection[str]) -> list[tuple[str, list[Verb]]]:
    found: dict[str, list[Verb]] = {}
    for each in registry:
        if each.name in names:
            found.setdefault(each.noun, []).append(each)
    return sorted(found.items())


def _line(registry: Registry, noun: str, verbs: list[Verb], access: str) -> ToolItem:
    return {
        "noun": noun,
        "access": access,
        "tools": [tool_of(each) for each in verbs],
        "scopes": sorted({each.scope for each in verbs}),
        "read_only": not any(each.changes for each in verbs),
        "tokens": sum(tool.tokens for tool in tools_of(registry, (each.name for each in verbs))),
    }


def _outside(tool: Tool) -> ToolItem:
    return {
        "noun": tool.title,
        "access": "granted",
        "tools": [tool.name],
        "scopes": ["effect"],
        "read_only": tool.read_only,
        "tokens": tool.tokens,
    }


async def _chosen(tx: Tx, args: ToolsExportArgs) -> list[Tool]:
    """Those that were named, all of them, or those of every day with `hq` for the others."""
    registry, mine = tx.door.registry, await tx.use(Access).offer(tx)
    if not args.tools and not args.all:
        daily = [verb for name in DAILY for verb in verbs_named(registry, name) if verb in mine]
        return [*tools_of(registry, daily), command_tool(registry, mine, frozenset(daily))]
    others = {tool.name: tool for tool in await connected_tools(tx)}
    if args.all:
        return [*tools_of(registry, sorted(mine)), *others.values()]
    found: dict[str, Tool] = {}
    for name in args.tools:
        named = [others[name]] if name in others else [tool for tool in others.values() if tool.title == name]
        named += tools_of(registry, [verb for verb in verbs_named(registry, name) if verb in mine])
        named += [command_tool(registry, mine, frozenset())] if name == HQ else []
        if not named:
            known = [*others, HQ, *(word for verb in map(registry.get, mine) for word in (tool_of(verb), verb.noun))]
            raise Refused.not_found(f"there is no tool {name!r} for this credential{did_you_mean(name, known)}")
        found |= {tool.name: tool for tool in named}
    return list(found.values())


def _loose(exported: JsonSchema) -> JsonSchema:
    made = {key: value for key, value in exported.items() if key != "strict"}
    return made | {"function": _loose(made["function"])} if "function" in made else made


VERBS = (list_, help_, export_, request)
