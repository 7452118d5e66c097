"""A tenant, and how one is founded: the company, its founder as a contact and a principal, and the first token."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Any, Literal
from uuid import UUID
from zoneinfo import available_timezones

from psycopg import AsyncConnection
from psycopg.types.json import Jsonb
from pydantic import Field

from hq.business.rows import CompanyRow, FounderRow, SettingsCallRow
from hq.business.types import Contact
from hq.clock import Clock
from hq.database.queries import beside
from hq.database.rows import RowReader
from hq.door.access import EVERYONE, FOUNDER
from hq.door.actor import HOUSE_ACTOR
from hq.door.caller import new_token, token_hash
from hq.door.tx import Tx
from hq.door.verb import Args, Result, verb
from hq.errors import Refused
from hq.graph.catalogue import Catalogue
from hq.graph.provenance import Producer
from hq.graph.slugs import slugify
from hq.graph.store import Graph
from hq.ids import new_id
from hq.suggestion import did_you_mean

SQL = beside(__file__)
SCOPES = ("read", "write", "effect", "sql", "founder")


async def found_first(
    conn: AsyncConnection[Any], catalogue: Catalogue, clock: Clock, name: str, founder: str
) -> str | None:
    """The first company of an installation, whose founder may add others. Returns the token, or None if there is one."""
    async with conn.transaction():
        await conn.execute("select pg_advisory_xact_lock(%s)", [0x68715F66])
        if await _slugs(conn):
            return None
        return await _found(
            conn, catalogue, clock.now(), await _drawn(conn), new_id(), name, founder, (*SCOPES, "install")
        )


async def _slugs(conn: AsyncConnection[Any]) -> list[str]:
    return await RowReader(conn).scalars("select ops.tenant_slugs()", of=str)


async def _drawn(conn: AsyncConnection[Any]) -> int:
    return await RowReader(conn).the_scalar("select ops.draw()", of=int)


async def _found(
    conn: AsyncConnection[Any],
    catalogue: Catalogue,
    now: datetime,
    seq: int,
    action: UUID,
    name: str,
    founder: str,
    scopes: Any,
) -> str:
    tenant, principal, producer, token = new_id(), new_id(), new_id(), new_token("founder")
    slug, actor = slugify(name), f"user:{slugify(founder)}"
    if slug in await _slugs(conn):
        raise Refused.conflict(f"there is already a company {slug!r}")
    await conn.execute("select ops.create_tenant(%s, %s, %s, %s)", [tenant, slug, name, now])
    await conn.execute(
        SQL["settle_in"],
        {"tenant": str(tenant), "actor": actor, "action": str(action), "seq": str(seq), "now": now.isoformat()},
    )
    graph = Graph(conn, catalogue, now, producer)
    await graph.create(
        Producer(name=actor, kind="conversation_channel", role="founder"), id=producer, slug=slugify(actor)
    )
    contact = await graph.create(Contact(name=founder), slug=slugify(founder))
    await conn.execute("select ops.set_founder(%s)", [contact.id])
    await conn.execute(
        SQL["add_founder"], {"id": principal, "name": founder, "actor": actor, "producer": producer, "now": now}
    )
    await conn.execute(
        SQL["add_token"],
        {"id": new_id(), "principal": principal, "hash": token_hash(token), "scopes": list(scopes), "now": now},
    )
    house = await graph.create(Producer(name=HOUSE_ACTOR, kind="internal_worker", role=HOUSE_ACTOR), slug="service-hq")
    await conn.execute(SQL["add_house"], {"id": new_id(), "producer": house.id, "now": now})
    await conn.execute(
        SQL["record_entry"],
        {
            "verb": "tenant.create",
            "id": action,
            "principal": principal,
            "trace": new_id(),
            "output": Jsonb({"slug": slug, "name": name, "risk_tolerance": "balanced"}),
            "events": Jsonb([{"topic": "tenant.created", "payload": {"slug": slug}}]),
        },
    )
    return token


async def recover(conn: AsyncConnection[Any], clock: Clock, slug: str | None) -> tuple[str, str]:
    """A new token for a founder whose own is lost, for whoever owns the database. Returns the company and the token."""
    async with conn.transaction():
        found = await RowReader(conn).one(SQL["founder_of"], {"slug": slug}, into=FounderRow)
        if found is None:
            raise Refused.not_found(f"there is no company {slug!r}" if slug else "there is no company here yet")
        now, action, token = clock.now(), new_id(), new_token("founder")
        await conn.execute(
            SQL["settle_in"],
            {
                "tenant": str(found.tenant),
                "actor": found.actor,
                "action": str(action),
                "seq": str(await _drawn(conn)),
                "now": now.isoformat(),
            },
        )
        await conn.execute(
            SQL["add_token"],
            {
                "id": new_id(),
                "principal": found.principal,
                "hash": token_hash(token),
                "scopes": found.scopes,
                "now": now,
            },
        )
        told = {"slug": found.slug, "actor": found.actor}
        await conn.execute(
            SQL["record_entry"],
            {
                "verb": "auth.recover",
                "id": action,
                "principal": found.principal,
                "trace": new_id(),
                "output": Jsonb(told),
                "events": Jsonb([{"topic": "auth.recovered", "payload": told}]),
            },
        )
    return found.slug, token


class TenantCreateArgs(Args):
    """A company of its own, with a founder of its own."""

    name: str = Field(min_length=1, max_length=100)
    """The company's name."""
    founder: str = Field(min_length=1, max_length=100)
    """The founder's name."""


class Founded(Result):
    slug: str
    token: str
    """The founder's token, shown this once."""


@verb(
    "tenant.create",
    "write",
    for_=FOUNDER,
    scope="install",
    emits="tenant.created",
    shown_once=["token"],
    gate="system",
    examples=[{"name": "Second Company", "founder": "Bo"}],
)
async def create(tx: Tx, args: TenantCreateArgs) -> Founded:
    """Add another company to this installation; nobody in one sees anything of the other."""
    own = await tx.the_one(SQL["settings"], into=SettingsCallRow)
    token = await _found(tx.conn, tx.catalogue, tx.now, tx.seq, new_id(), args.name, args.founder, SCOPES)
    await tx.conn.execute(SQL["settle_in"], asdict(own))
    return Founded(slug=slugify(args.name), token=token)


class TenantShown(Result):
    slug: str
    name: str
    risk_tolerance: str
    time_zone: str
    """In which its beats and its nights are."""


class TenantShowArgs(Args):
    """Nothing to choose: the credential says which company."""


@verb("tenant.show", "read", for_=EVERYONE, examples=[{}])
async def show(tx: Tx, args: TenantShowArgs) -> TenantShown:
    """The company this credential belongs to."""
    return _company(await company(tx))


async def company(tx: Tx) -> CompanyRow:
    """The company, as it is or as it was at the moment that is asked about."""
    row = await tx.one(SQL["company_then"] if tx.as_of else SQL["company"], tx.known_values(), into=CompanyRow)
    if row is None:
        raise Refused.not_found("the company had not been founded then")
    return row


class TenantSetArgs(Args):
    """What to set."""

    name: str | None = Field(None, min_length=1, max_length=100)
    """The company's name."""
    risk_tolerance: Literal["cautious", "balanced", "aggressive"] | None = None
    """How much may happen without asking."""
    time_zone: str | None = Field(None, max_length=60)
    """In which the company lives, such as Europe/Lisbon; its agents' beats follow it."""


@verb(
    "tenant.set",
    "write",
    for_=FOUNDER,
    scope="founder",
    emits="tenant.changed",
    gate="system",
    examples=[{"risk_tolerance": "balanced"}],
    undo="none",
)
async def set_(tx: Tx, args: TenantSetArgs) -> TenantShown:
    """Change the company's name, its time zone, or how much may happen without asking."""
    if not args.name and not args.risk_tolerance and not args.time_zone:
        raise Refused.invalid("say --name, --risk-tolerance or --time-zone")
    if args.time_zone and args.time_zone not in available_timezones():
        raise Refused.invalid(
            f"there is no time zone {args.time_zone!r}{did_you_mean(args.time_zone, available_timezones())}",
            hint="names look like Europe/Lisbon or UTC",
        )
    row = await tx.the_one(
        SQL["set_company"], {"name": args.name, "risk": args.risk_tolerance, "zone": args.time_zone}, into=CompanyRow
    )
    return _company(row)


def _company(row: CompanyRow) -> TenantShown:
    return TenantShown(slug=row.slug, name=row.name, risk_tolerance=row.risk_tolerance, time_zone=row.time_zone)


VERBS = (create, show, set_)
