"""A call of another server's tool: the tool as it was accepted, arguments that fit it, and what came back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import Field

from hq.channels.egress.headers import check_headers
from hq.connectors import client
from hq.connectors.client import ConnectorTarget
from hq.connectors.definition import McpToolDefinition, fingerprint, fitted
from hq.connectors.rows import ConnectorToolRow
from hq.connectors.sessions import Sessions
from hq.connectors.types import Connector
from hq.database.queries import beside
from hq.door.access import STAFF
from hq.door.tx import Tx
from hq.door.verb import Args, Result, first, verb
from hq.errors import HqError, Refused
from hq.graph.records import Stored
from hq.guard.vault import reveal
from hq.json_types import CallArgs

SQL = beside(__file__)


@dataclass(frozen=True)
class ConnectorCall:
    """What a call through a connector needs once it has let go of the database."""

    connector: Stored[Connector]
    target: ConnectorTarget
    accepted: McpToolDefinition | None = None
    args: CallArgs | None = None


class ConnectorCallArgs(Args):
    """Which tool, with what."""

    connector: str = first(max_length=200)
    """As `hq connector list` shows it."""
    tool: str = first(min_length=1, max_length=200)
    """One of its tools, as `hq connector show` lists them."""
    args: CallArgs = Field(default_factory=dict)
    """What the tool takes."""


class ConnectorCalled(Result):
    connector: str
    tool: str
    text: str = ""
    structured: Any = None
    is_error: bool = False
    """The tool itself says that it failed."""
    truncated: bool = False
    """It said more than is passed on."""
    taint: list[str]
    """Marks of everything above: others wrote it."""


async def _ready(tx: Tx, args: ConnectorCallArgs) -> ConnectorCall:
    """The connector, the tool as it was accepted, and arguments that fit it; checked before anybody is asked."""
    connector = await tx.get(args.connector, Connector)
    tx.target = connector
    if connector.archived_at or connector.props.status != "active":
        raise Refused.conflict(
            f"the connector {connector.slug} is not in use", hint="`hq connector list` shows which are"
        )
    found = await tx.one(SQL["tool"], {"connector": connector.id, "name": args.tool}, into=ConnectorToolRow)
    if found is None or found.gone_at is not None:
        raise Refused.not_found(
            f"{connector.slug} has no tool {args.tool!r}", hint=f"`hq connector show {connector.slug}`"
        )
    if found.approved is None or found.hash != found.approved_hash:
        raise _changed(connector.slug, args.tool)
    fit = await fitted(found.approved, args.args)
    return ConnectorCall(connector, await target_of(tx, connector), found.approved, fit)


@verb(
    "connector.call",
    "effect",
    other_servers=True,
    for_=STAFF,
    gate="reversible",
    target="connector",
    emits="connector.called",
    prepare=_ready,
    text="hq.connectors.connector_text:called",
)
async def call(tx: Tx, args: ConnectorCallArgs) -> ConnectorCalled:
    """Use a tool of another server. Whatever comes back is marked as written by others."""
    ready: ConnectorCall = tx.prepared
    assert ready.accepted is not None and ready.args is not None
    slug = ready.connector.slug
    mark = f"mcp:{slug}"
    try:
        async with tx.use(Sessions).use(ready.target) as session:
            now = (await client.offered(session, ready.target)).get(args.tool)
            if now is None or fingerprint(now) != fingerprint(ready.accepted):
                raise _changed(slug, args.tool)
            answer = await client.call(session, ready.target, args.tool, ready.args)
    except HqError as error:
        raise error if tx.caller.in_person else client.in_our_words(error, slug, args.tool) from None
    tx.taint.add(mark)
    return ConnectorCalled(
        connector=slug,
        tool=args.tool,
        text=answer.text,
        structured=answer.structured,
        is_error=answer.is_error,
        truncated=answer.truncated,
        taint=[mark],
    )


def _changed(connector: str, tool: str) -> Refused:
    return Refused(
        f"the tool {tool!r} of {connector} is not what was accepted: its words or what it takes have changed",
        code="stale",
        hint=f"the founder looks with `hq connector refresh {connector}` and accepts with `hq connector approve {connector}`",
    )


async def target_of(tx: Tx, connector: Stored[Connector]) -> ConnectorTarget:
    props = connector.props
    headers = [(name, await reveal(tx, secret)) for name, secret in props.headers.items()]
    if props.bearer:
        headers.append(("Authorization", f"Bearer {await reveal(tx, props.bearer)}"))
    check_headers({}, dict(headers))
    return ConnectorTarget(
        tx.caller.tenant_id,
        connector.slug,
        tuple(props.command),
        props.url,
        props.timeout_seconds,
        env=tuple([(name, await reveal(tx, secret)) for name, secret in props.env.items()]),
        headers=tuple(headers),
        network=props.network,
        domains=tuple(props.allowed_domains),
    )
