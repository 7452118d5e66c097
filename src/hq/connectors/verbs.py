"""Connectors: bring another server's tools in, see what changed, accept it, use it."""

from __future__ import annotations

import shlex
import time
from dataclasses import replace
from typing import Literal

from psycopg.types.json import Jsonb
from pydantic import Field

from hq.channels.egress.address import EgressPolicy, check_url
from hq.channels.egress.headers import check_headers
from hq.connectors import client
from hq.connectors.definition import fingerprint, hint, kept
from hq.connectors.offer import tool_name
from hq.connectors.rows import ConnectorToolRow
from hq.connectors.sessions import Sessions
from hq.connectors.tool_call import ConnectorCall, call, target_of
from hq.connectors.types import Connector
from hq.database.queries import beside
from hq.door.access import EVERYONE, FOUNDER, INSIDE
from hq.door.nouns import nouns
from hq.door.results import Row, row
from hq.door.toolset import PREFIX
from hq.door.tx import Call, Tx
from hq.door.verb import Args, Result, first, verb
from hq.errors import Refused
from hq.graph.records import Stored
from hq.guard.vault import NAME as SECRET
from hq.guard.vault import reveal
from hq.json_types import JsonObject
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
        raise Refused.conflict(f"{PREFIX}{args.name} is a tool of hq itself; take another name")
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
    tx.follow_ups.append(_inside(tx, "connector.refresh", {"name": args.name, "approve": True}))
    return row(connector)


class ConnectorRefArgs(Args):
    """Which connector."""

    name: str = first(max_length=200)
    """As `hq connector list` shows it."""


class ToolLine(Result):
    tool: str
    says: str = ""
    read_only: bool = False
    state: Literal["accepted", "new", "changed", "gone"]


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
        tool=tool_name(connector.slug),
        status=props.status,
        transport=props.transport,
        command=props.command,
        url=props.url,
        env=props.env,
        headers=props.headers | ({"Authorization": props.bearer} if props.bearer else {}),
        tools=[
            _line(r, founder=tx.caller.in_person)
            for r in await tx.rows(SQL["tools"], {"connector": connector.id}, into=ConnectorToolRow)
        ],
    )


async def _reach(tx: Tx, args: ConnectorRefArgs) -> ConnectorCall:
    connector = await tx.get(args.name, Connector)
    tx.target = connector
    return ConnectorCall(connector, await target_of(tx, connector))


class ConnectorRefreshArgs(ConnectorRefArgs):
    approve: bool = False
    """Accept what it offers now."""


class ConnectorRefreshed(Result):
    connector: str
    tools: int


@verb(
    "connector.refresh",
    "effect",
    for_=FOUNDER,
    scope="founder",
    target="name",
    prepare=_reach,
    text="hq.connectors.connector_text:refreshed",
)
async def refresh(tx: Tx, args: ConnectorRefreshArgs) -> ConnectorRefreshed:
    """Ask the server again what it offers. What is new or changed waits until it is accepted."""
    ready: ConnectorCall = tx.prepared
    async with tx.use(Sessions).use(ready.target) as session:
        found = await client.offered(session, ready.target)
    pinned = {"name": args.name, "tools": list(found.values()), "approve": args.approve}
    tx.follow_ups.append(_inside(tx, "connector.pin", pinned))
    return ConnectorRefreshed(connector=ready.connector.slug, tools=len(found))


class ConnectorPinArgs(ConnectorRefArgs):
    tools: list[JsonObject] = Field(max_length=client.MOST_TOOLS)
    """What the server offers."""
    approve: bool = False
    """Accept it as it is."""


class Pinned(Result):
    connector: str
    tools: list[ToolLine]


@verb("connector.pin", "write", for_=INSIDE, scope="founder", target="name", internal=True)
async def pin(tx: Tx, args: ConnectorPinArgs) -> Pinned:
    """Keep what a server offers now beside what was accepted."""
    connector = await tx.get(args.name, Connector)
    tx.target = connector
    for raw in args.tools:
        definition = kept(raw)
        values = {"connector": connector.id, "name": definition["name"], "hash": fingerprint(definition), "now": tx.now}
        await tx.conn.execute(SQL["see"], values | {"definition": Jsonb(definition)})
    names = [raw["name"] for raw in args.tools]
    await tx.conn.execute(SQL["lose"], {"connector": connector.id, "names": names, "now": tx.now})
    if args.approve:
        await _approve(tx, connector, None)
    lines = [
        _line(r, founder=True) for r in await tx.rows(SQL["tools"], {"connector": connector.id}, into=ConnectorToolRow)
    ]
    if changed := [line.tool for line in lines if line.state in ("new", "changed")]:
        tx.emit("connector.tools_changed", slug=connector.slug, tools=len(changed))
    return Pinned(connector=connector.slug, tools=lines)


class ConnectorApproveArgs(ConnectorRefArgs):
    tools: list[str] = Field(default_factory=list, max_length=client.MOST_TOOLS)
    """Only these; left out, all that are new or changed."""


class Approved(Result):
    connector: str
    accepted: list[str]


@verb(
    "connector.approve",
    "write",
    for_=FOUNDER,
    scope="founder",
    target="name",
    gate="system",
    emits="connector.approved",
)
async def approve(tx: Tx, args: ConnectorApproveArgs) -> Approved:
    """Accept a connector's tools as they are offered now."""
    connector = await tx.get(args.name, Connector)
    tx.target = connector
    accepted = await _approve(tx, connector, args.tools or None)
    if not accepted:
        raise Refused.conflict(
            f"{connector.slug} has nothing new to accept", hint="`hq connector refresh` asks it again"
        )
    return Approved(connector=connector.slug, accepted=accepted)


class ConnectorTested(Result):
    connector: str
    tools: int
    milliseconds: float
    changed: list[str] = Field(default_factory=list)
    """Tools that are not as they were accepted."""


async def _reach_known(tx: Tx, args: ConnectorRefArgs) -> tuple[ConnectorCall, dict[str, str | None]]:
    ready = await _reach(tx, args)
    rows = await tx.rows(SQL["tools"], {"connector": ready.connector.id}, into=ConnectorToolRow)
    return ready, {r.name: r.approved_hash for r in rows if r.gone_at is None}


@verb(
    "connector.test",
    "effect",
    for_=FOUNDER,
    scope="founder",
    target="name",
    prepare=_reach_known,
    text="hq.connectors.connector_text:tested",
)
async def test(tx: Tx, args: ConnectorRefArgs) -> ConnectorTested:
    """Try a connector: whether its server answers, how fast, and whether its tools are as they were accepted."""
    ready, known = tx.prepared
    started = time.perf_counter()
    async with tx.use(Sessions).use(ready.target) as session:
        found = await client.offered(session, ready.target)
    took = round((time.perf_counter() - started) * 1000, 1)
    now = {name: fingerprint(definition) for name, definition in found.items()}
    changed = sorted(name for name in now.keys() | known.keys() if now.get(name) != known.get(name))
    return ConnectorTested(connector=ready.connector.slug, tools=len(found), milliseconds=took, changed=changed)


@verb(
    "connector.remove", "write", for_=FOUNDER, scope="founder", undo="exact", emits="connector.removed", target="name"
)
async def remove(tx: Tx, args: ConnectorRefArgs) -> Row:
    """Take a connector out: its tools are offered no more. What was done through it stays known."""
    connector = await tx.archive(await tx.get(args.name, Connector))
    tx.target = connector
    return row(connector)


async def _approve(tx: Tx, connector: Stored[Connector], names: list[str] | None) -> list[str]:
    values = {"connector": connector.id, "names": names, "by": tx.caller.actor, "now": tx.now}
    return sorted(await tx.scalars(SQL["approve"], values, of=str))


def _line(r: ConnectorToolRow, *, founder: bool) -> ToolLine:
    state = (
        "gone"
        if r.gone_at
        else "new"
        if r.approved_hash is None
        else "changed"
        if r.approved_hash != r.hash
        else "accepted"
    )
    shown = r.definition if founder or state == "accepted" else {}
    return ToolLine(
        tool=r.name,
        says=" ".join(str(shown.get("description") or "").split())[:300],
        read_only=bool(hint(r.definition, "readOnlyHint")),
        state=state,
    )


def _inside(tx: Tx, name: str, args: JsonObject) -> Call:
    return Call(
        name, args, tx.call.token, reason=tx.call.reason, actor=tx.call.actor, parent_id=tx.action_id, inside=True
    )


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
VERBS = (add, show, refresh, pin, approve, test, remove, call, *RESTORED)
