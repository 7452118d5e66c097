"""Tools for models: which there are and who may use them, in any SDK's format; and asking for one that is missing."""

from __future__ import annotations

from pydantic import Field

from hq.asks.proposals import proposed
from hq.asks.types import Proposal
from hq.connectors.offer import connected_tools
from hq.database.queries import beside
from hq.door.access import EVERYONE
from hq.door.exporters import Format, anthropic, export, hermes_prompt, tokens
from hq.door.results import Listing
from hq.door.toolset import Tool, all_tools, offered, tool_of, tools_for
from hq.door.tx import Tx
from hq.door.verb import Args, Result, Verb, first, verb
from hq.errors import Refused
from hq.json_types import JsonObject
from hq.suggestion import did_you_mean
from hq.tools.rows import OpenProposalRow

SQL = beside(__file__)
KIND = "tool_access"
NOBODY = ("founder", "install")


class ToolsListArgs(Args):
    """Which tools."""

    all: bool = False
    """Also those this credential may not use; `hq tools request` asks for them."""


@verb("tools.list", "read", for_=EVERYONE, past=False, examples=[{}])
async def list_(tx: Tx, args: ToolsListArgs) -> Listing:
    """The tools this credential may use: their actions, the scopes they rest on, and about how many tokens each takes."""
    mine = [*tools_for(tx.door.registry, tx.catalogue, tx.caller), *await connected_tools(tx)]
    items = [_line(tx, tool, "granted") for tool in mine]
    if args.all:
        held = {tool.name for tool in mine}
        items += [
            _line(tx, tool, "request" if _askable(tx, tool.name) else "founder")
            for tool in all_tools(tx.door.registry, tx.catalogue)
            if tool.name not in held
        ]
    return Listing(items=items)


class ToolsExportArgs(Args):
    """In whose format."""

    format: Format = "anthropic"
    """The SDK that will read it."""
    tools: list[str] = Field(default_factory=list, max_length=200)
    """Only these, such as hq_task; left out, all that this credential may use."""
    strict: bool = True
    """Ask the model's server to hold the model to the schema; some accept that only for a few tools at once."""


class ToolsExported(Result):
    format: str
    tools: list[JsonObject]
    tokens: int
    """About what a model reads for them."""
    text: str | None = None
    """For formats that are part of a prompt: that part."""


@verb(
    "tools.export",
    "read",
    for_=EVERYONE,
    past=False,
    examples=[{"format": "openai", "tools": ["hq_task"]}],
    text=".tools",
)
async def export_(tx: Tx, args: ToolsExportArgs) -> ToolsExported:
    """The tools this credential may use, as an SDK takes them."""
    mine = [*tools_for(tx.door.registry, tx.catalogue, tx.caller), *await connected_tools(tx)]
    made = export(_chosen(mine, args.tools), args.format)
    if not args.strict:
        made = [_loose(each) for each in made]
    text = hermes_prompt(made) if args.format == "hermes" else None
    return ToolsExported(format=args.format, tools=made, tokens=tokens(made), text=text)


class ToolsRequestArgs(Args):
    """What is missing, and what it is for."""

    tool: str = first(min_length=1, max_length=100)
    """A tool such as hq_task, or a scope such as write:task."""
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
)
async def request(tx: Tx, args: ToolsRequestArgs) -> Requested:
    """Ask the founder for a tool or a scope; a yes gives it to this actor's credentials."""
    scopes = _missing(tx, args.tool)
    change = {"verb": "auth.widen", "args": {"actor": tx.caller.actor, "scopes": scopes}}
    for found in await tx.rows(SQL["open_proposals"], {"kind": KIND}, into=OpenProposalRow):
        if found.props.get("change") == change:  # asked already: nobody is asked twice
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
    verbs = _verbs(tx, wanted)
    lacking = [v for v in verbs if not tx.caller.may(v)]
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


def _verbs(tx: Tx, wanted: str) -> list[Verb]:
    registry = tx.door.registry
    base, _, noun = wanted.partition(":")
    if found := [v for v in registry if tool_of(v) == wanted and offered(v)]:
        return found
    if wanted in registry.verbs:
        found = [registry.get(wanted)]
    else:
        found = [v for v in registry if v.scope == base and noun in ("", v.noun) and offered(v)]
    if not found:
        names = [tool.name for tool in all_tools(registry, tx.catalogue)]
        raise Refused.not_found(f"there is no tool or scope {wanted!r}{did_you_mean(wanted, names)}")
    return found


def _askable(tx: Tx, tool: str) -> bool:
    return any(v.scope not in NOBODY for v in tx.door.registry if tool_of(v) == tool and offered(v))


def _line(tx: Tx, tool: Tool, access: str) -> JsonObject:
    scopes = {v.scope for v in tx.door.registry if tool_of(v) == tool.name and v.action in tool.actions} or {"effect"}
    return {
        "tool": tool.name,
        "access": access,
        "actions": tool.actions,
        "scopes": sorted(scopes),
        "read_only": tool.read_only,
        "tokens": tokens(anthropic(tool)),
    }


def _chosen(tools: list[Tool], names: list[str]) -> list[Tool]:
    known = {tool.name: tool for tool in tools}
    for name in names:
        if name not in known:
            raise Refused.not_found(f"there is no tool {name!r} for this credential{did_you_mean(name, known)}")
    return [known[name] for name in dict.fromkeys(names)] if names else tools


def _loose(exported: JsonObject) -> JsonObject:
    made = {key: value for key, value in exported.items() if key != "strict"}
    return made | {"function": _loose(made["function"])} if "function" in made else made


VERBS = (list_, export_, request)
