"""Connectors: bring another server's tools in, show it, use it, take it out."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import Literal

from pydantic import Field

from hq.channels.egress.address import EgressPolicy, check_url
from hq.channels.egress.headers import check_headers
from hq.connectors.offer import tool_name
from hq.connectors.rows import ConnectorToolRow
from hq.connectors.tool_call import call
from hq.connectors.tool_verbs import ConnectorRefArgs, ToolLine, follow_up, tool_line
from hq.connectors.types import Connector
from hq.database.queries import beside
from hq.door.access import EVERYONE, FOUNDER
from hq.door.nouns import nouns
from hq.door.results import Row, row
from hq.door.tx import Tx
from hq.door.verb import Args, Result, first, verb
from hq.errors import Refused
from hq.guard.vault import NAME as SECRET
from hq.guard.vault import reveal
from hq.sandbox.dialer import NetworkPolicy

SQL = beside(__file__)
NAME = r"^[a-z][a-z0-9-]{0,39}$"
ANYWHERE = EgressPolicy(private=True, plain=True)
"""The founder names the address; only where clouds keep the machine's own credentials it is never."""


class ConnectorAddArgs(Args):
    """Which server, and how it is reached. Secrets are named as they are called in the vault."""

    kind: Literal["mcp"] = first()
    """What it speaks."""
    name: str = first(pattern=NAME)
    """What it is called from now on; its tools are offered as hq_<name>."""
    command: str | None = Field(None, max_length=2000)
    """The program to start, with its arguments, such as "uvx mcp-server-git --repository .". No secrets here."""
    url: str | None = Field(None, max_length=2000, pattern=r"^https?://")
    """Or where the server is, such as https://example.com/mcp."""
    env: list[str] = Field(default_factory=list, max_length=20)
    """VARIABLE=secret: what the program finds in its environment, by the secret's name in the vault."""
    header: list[str] = Field(default_factory=list, max_length=20)
    """Header=secret: what is sent with every request, by the secret's name in the vault."""
    bearer: str | None = Field(None, pattern=SECRET)
    """The secret in the vault to send as bearer token."""
    network: bool = True
    """Whether the program may reach public addresses; this machine and its network it never may."""
    domain: list[str] = Field(default_factory=list, max_length=50)
    """A domain the program may reach, such as api.github.com or *.example.com; left out, every public one."""
    timeout: float = Field(30, gt=0, le=600)
    """Seconds an answer may take."""


@verb("connector.add", "write", for_=FOUNDER, scope="founder", gate="system", emits="connector.added", undo="exact")
async def add(tx: Tx, args: ConnectorAddArgs) -> Row:
    """Bring in another server: its tools are listed and, as they are now, accepted."""
    if bool(args.command) == bool(args.url):
        raise Refused.invalid("say how it is reached: --command or --url, one of them")
    if any(v.noun == args.name.replace("-", "_") for v in tx.door.registry):
        raise Refused.conflict(f"{args.name} is a noun of hq itself; take another name")
    if args.url and "@" in args.url.partition("//")[2].partition("/")[0]:
        raise Refused.invalid("the address holds a credential; put it into the vault and name it with --bearer")
    if args.url:
        check_url(args.url, ANYWHERE)
    NetworkPolicy(args.domain)
    env, headers = _named(args.env, "env"), _named(args.header, "header")
    check_headers({}, {name: await reveal(tx, secret) for name, secret in headers.items()})
    for secret in (*env.values(), *([args.bearer] if args.bearer else [])):
        await reveal(tx, secret)
    connector = await tx.create(
        Connector(
            name=args.name,
            transport="stdio" if args.command else "http",
            command=_split(args.command),
            url=args.url,
            env=env,
            headers=headers,
            bearer=args.bearer,
            network=args.network,
            allowed_domains=args.domain,
            timeout_seconds=args.timeout,
        ),
        slug=args.name,
    )
    if connector.slug != args.name:
        raise Refused.conflict(
            f"the name {args.name!r} is taken",
            hint=f"a removed connector comes back with `hq connector restore {args.name}`",
        )
    tx.target = connector
    tx.follow_ups.append(follow_up(tx, "connector.refresh", {"name": args.name, "approve": True}))
    return row(connector)


class ConnectorShown(Result):
    slug: str
    tool: str
    status: str
    transport: str
    command: list[str] = Field(default_factory=list)
    url: str | None = None
    env: dict[str, str] = Field(default_factory=dict)
    headers: dict[str, str] = Field(default_factory=dict)
    tools: list[ToolLine] = Field(default_factory=list)


@verb("connector.show", "read", for_=EVERYONE, past=False, target="name")
async def show(tx: Tx, args: ConnectorRefArgs) -> ConnectorShown:
    """A connector: how it is reached, and what each of its tools is worth. Texts that are not accepted are left out."""
    connector = await tx.get(args.name, Connector)
    tx.target = connector
    props = connector.props
    return ConnectorShown(
        slug=connector.slug,
        tool=tool_name(connector.slug, "…"),
        status=props.status,
        transport=props.transport,
        command=props.command,
        url=props.url,
        env=props.env,
        headers=props.headers | ({"Authorization": props.bearer} if props.bearer else {}),
        tools=[
            tool_line(r, founder=tx.caller.in_person)
            for r in await tx.rows(SQL["tools"], {"connector": connector.id}, into=ConnectorToolRow)
        ],
    )


@verb(
    "connector.remove", "write", for_=FOUNDER, scope="founder", undo="exact", emits="connector.removed", target="name"
)
async def remove(tx: Tx, args: ConnectorRefArgs) -> Row:
    """Take a connector out: its tools are offered no more. What was done through it stays known."""
    connector = await tx.archive(await tx.get(args.name, Connector))
    tx.target = connector
    return row(connector)


def _named(pairs: list[str], what: str) -> dict[str, str]:
    made = {}
    for pair in pairs:
        name, _, secret = pair.partition("=")
        if not name or not secret:
            raise Refused.invalid(
                f"{what}: say NAME=secret, where the secret is named as in the vault, such as TOKEN=git/token"
            )
        made[name] = secret
    return made


def _split(command: str | None) -> list[str]:
    try:
        return shlex.split(command or "")
    except ValueError as error:
        raise Refused.invalid(f"command: {error}; write it as in a shell") from None


RESTORED = tuple(
    replace(v, scope="founder") if v.changes else v
    for v in nouns(Connector, for_=FOUNDER, without=("create", "update", "archive", "show"))
)
VERBS = (add, show, remove, call, *RESTORED)
