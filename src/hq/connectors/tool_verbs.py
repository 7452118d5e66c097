"""`hq connector refresh|approve|test`: the tools of a server, pinned as they were accepted; what is new or changed waits."""

from __future__ import annotations

import time
from typing import Literal

from psycopg.types.json import Jsonb
from pydantic import Field

from hq.connectors import client
from hq.connectors.definition import fingerprint, hint, kept
from hq.connectors.rows import ConnectorToolRow
from hq.connectors.sessions import Sessions
from hq.connectors.tool_call import ConnectorCall, target_of
from hq.connectors.types import Connector
from hq.database.queries import beside
from hq.door.access import FOUNDER, INSIDE
from hq.door.tx import Call, Tx
from hq.door.verb import Args, Result, first, verb
from hq.errors import Refused
from hq.graph.records import Stored
from hq.json_types import CallArgs, WireBody

SQL = beside(__file__)


class ConnectorRefArgs(Args):
    """Which connector."""

    name: str = first(max_length=200)
    """As `hq connector list` shows it."""


class ToolLine(Result):
    tool: str
    says: str = ""
    read_only: bool = False
    state: Literal["accepted", "new", "changed", "gone"]


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
    tx.follow_ups.append(follow_up(tx, "connector.pin", pinned))
    return ConnectorRefreshed(connector=ready.connector.slug, tools=len(found))


class ConnectorPinArgs(ConnectorRefArgs):
    tools: list[WireBody] = Field(max_length=client.MOST_TOOLS)
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
        tool_line(r, founder=True)
        for r in await tx.rows(SQL["tools"], {"connector": connector.id}, into=ConnectorToolRow)
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
    text="accepted {accepted} of {connector}",
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


async def _approve(tx: Tx, connector: Stored[Connector], names: list[str] | None) -> list[str]:
    values = {"connector": connector.id, "names": names, "by": tx.caller.actor, "now": tx.now}
    return sorted(await tx.scalars(SQL["approve"], values, of=str))


def tool_line(r: ConnectorToolRow, *, founder: bool) -> ToolLine:
    state = (
        "gone"
        if r.gone_at
        else "new"
        if r.approved_hash is None
        else "changed"
        if r.approved_hash != r.hash
        else "accepted"
    )
    shown = r.definition if founder or state == "accepted" else None
    return ToolLine(
        tool=r.name,
        says=" ".join(str((shown or {}).get("description") or "").split())[:300],
        read_only=bool(hint(r.definition, "readOnlyHint")),
        state=state,
    )


def follow_up(tx: Tx, name: str, args: CallArgs) -> Call:
    return Call(
        name, args, tx.call.token, reason=tx.call.reason, actor=tx.call.actor, parent_id=tx.action_id, inside=True
    )


VERBS = (refresh, pin, approve, test)
