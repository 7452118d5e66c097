"""Bring a database to the schema of this program: forward-only files once each, functions whenever they changed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import LiteralString, cast

import psycopg
from psycopg import sql

from hq.database.address import Address
from hq.errors import Outage, Refused

HERE = Path(__file__).parent
FUNCTIONS = (
    "graph/functions.sql",
    "graph/search/functions/indexing.sql",
    "graph/search/functions/finding.sql",
    "graph/search/functions/embedding.sql",
    "door/functions.sql",
    "engine/functions.sql",
    "engine/sessions/functions.sql",
    "asks/life.sql",
    "asks/functions.sql",
    "agents/functions.sql",
    "guard/functions.sql",
    "agents/workers/functions.sql",
    "work/functions.sql",
    "channels/webhooks/functions.sql",
    "work/mail/functions.sql",
    "workspace/coding/functions.sql",
    "artifacts/functions.sql",
    "ceo/functions.sql",
    "sql/views.sql",
)
LOCK = 0x68715F6D  # any number, as long as every hq uses the same


@dataclass(frozen=True)
class Migration:
    version: int
    name: str
    text: str


@dataclass(frozen=True)
class Migrated:
    """What a run did."""

    applied: tuple[str, ...]
    version: int


def migrations() -> list[Migration]:
    files = sorted((HERE / "schema").glob("[0-9]*.sql"))
    return [Migration(int(f.stem[:4]), f.stem[5:], f.read_text("utf-8")) for f in files]


def migrate(address: Address, upto: int | None = None) -> Migrated:
    """Apply what is missing. Refuses a database that a newer hq has migrated."""
    if not address.may_migrate:
        return check(address)
    with _connect(address.url) as conn:
        conn.execute("select pg_advisory_lock(%s)", [LOCK])
        _ensure_role(conn, address, address.app_role, address.app_password, address.app_url)
        _ensure_role(conn, address, address.reader_role, address.reader_password, address.reader_url)
        conn.execute(
            "create table if not exists public.hq_schema"
            " (version integer primary key, name text not null, applied_at timestamptz not null default now())"
        )
        conn.execute("create table if not exists public.hq_functions (path text primary key, hash text not null)")
        conn.execute(sql.SQL("grant select on public.hq_schema to {}").format(sql.Identifier(address.app_role)))
        current = _version(conn)
        _refuse_newer(current)
        applied = list(_apply_missing(conn, address, current, upto))
        if _version(conn) == migrations()[-1].version:  # functions belong to the whole schema
            applied += _apply_functions(conn, address)
        return Migrated(tuple(applied), _version(conn))


def check(address: Address) -> Migrated:
    """For a role that may not migrate: the schema must be the one this program knows."""
    with _connect(address.app_url) as conn:
        current = _version(conn)
    _refuse_newer(current)
    if current < migrations()[-1].version:
        raise Outage(
            f"the database is at schema {current}, this hq needs {migrations()[-1].version}; "
            "run `hq up` once with the owner's HQ_DATABASE_URL"
        )
    return Migrated((), current)


def _apply_missing(conn: psycopg.Connection, address: Address, current: int, upto: int | None) -> Iterator[str]:
    for step in migrations():
        if current < step.version <= (upto or step.version):
            with conn.transaction():
                conn.execute(_for_roles(step.text, address))
                conn.execute("insert into public.hq_schema (version, name) values (%s, %s)", [step.version, step.name])
            yield f"{step.version:04d}_{step.name}"


def _apply_functions(conn: psycopg.Connection, address: Address) -> Iterator[str]:
    known = dict(conn.execute("select path, hash from public.hq_functions").fetchall())
    for path in FUNCTIONS:
        text = (HERE.parent / path).read_text("utf-8")
        digest = hashlib.sha256(text.encode()).hexdigest()
        if known.get(path) == digest:
            continue
        with conn.transaction():
            conn.execute(_for_roles(text, address))
            conn.execute(
                "insert into public.hq_functions values (%s, %s) on conflict (path) do update set hash = excluded.hash",
                [path, digest],
            )
        yield path


def _for_roles(text: str, address: Address) -> sql.Composed:
    for name, role in (("{app}", address.app_role), ("{reader}", address.reader_role)):
        text = text.replace(name, '"' + role.replace('"', '""') + '"')
    return sql.SQL(cast(LiteralString, text.replace("{", "{{").replace("}", "}}"))).format()


def _version(conn: psycopg.Connection) -> int:
    try:
        row = conn.execute("select coalesce(max(version), 0) from public.hq_schema").fetchone()
    except psycopg.errors.UndefinedTable:
        return 0
    return row[0] if row else 0


def _refuse_newer(current: int) -> None:
    newest = migrations()[-1].version
    if current > newest:
        raise Outage(
            f"the database was made by a newer hq (its schema is {current}, this program knows {newest}); "
            "install that version or a later one"
        )


def _ensure_role(conn: psycopg.Connection, address: Address, name: str, password: str, url: str) -> None:
    """A role of ours: it logs in, and can neither create nor bypass anything."""
    role = sql.Identifier(name)
    found = conn.execute("select rolsuper or rolbypassrls from pg_roles where rolname = %s", [name]).fetchone()
    if found and found[0]:
        raise Refused.conflict(f"role {name} is a superuser or bypasses row security; hq needs one that does not")
    if found and _logs_in(url):
        return
    verb = sql.SQL("alter" if found else "create")
    try:
        conn.execute(sql.SQL("{} role {} login password {}").format(verb, role, sql.Literal(password)))
        if not found:  # so that the owner may end its connections
            conn.execute(sql.SQL("grant {} to current_user with inherit true").format(role))
        database = sql.Identifier(conn.info.dbname)
        conn.execute(sql.SQL("grant connect on database {} to {}").format(database, role))
    except psycopg.errors.InsufficientPrivilege as error:
        raise Refused.forbidden(
            f"the role in HQ_DATABASE_URL may not create {name}, a role hq works as; "
            f"`alter role {address.owner_role} createrole` lets it, and is needed for the first start only"
        ) from error


def _logs_in(url: str) -> bool:
    try:
        psycopg.connect(url, connect_timeout=10).close()
    except psycopg.OperationalError:
        return False
    return True


def _connect(url: str) -> psycopg.Connection:
    try:
        return psycopg.connect(url, autocommit=True, connect_timeout=10)
    except psycopg.OperationalError as error:
        raise Outage(f"the database does not answer: {str(error).strip().splitlines()[-1]}") from error
