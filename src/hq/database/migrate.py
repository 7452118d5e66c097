"""Bring a database to the schema of this program: each migration once, functions whenever they changed, all or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import psycopg

from hq import __version__
from hq.database.address import Address
from hq.database.functions import apply_functions, stale_functions
from hq.database.queries import beside
from hq.database.roles import ensure_roles, for_roles
from hq.database.schema_history import Migration, SchemaHistory, read_history, what_to_do
from hq.errors import Outage

SQL = beside(__file__)
OLDEST_POSTGRES = 160000
LOCK = 0x68715F6D  # any number, as long as every hq uses the same
NAMES_ONLY = 22
"""The last migration that was recorded by number and name alone."""
TABLES_THEN = "581a136caa9a2df16aa4bdcd7ddd42b0ef75955bfa056e2729af088d7d72029d"
"""The fingerprint of the tables of every database with the migrations up to then, as they read now."""


@dataclass(frozen=True)
class Migrated:
    """What a run did."""

    applied: tuple[str, ...]
    version: int


def migrate(address: Address, functions: Sequence[str], upto: int | None = None) -> Migrated:
    """Apply what is missing, in one transaction. Refuses a database with migrations that are not this program's."""
    if not address.may_migrate:
        return check(address, functions)
    with _connect(address.url) as conn:
        conn.execute("select pg_advisory_lock(%s)", [LOCK])
        if lacks := lacking(conn):
            raise Outage(f"the database could not be made ready: {lacks}")
        ensure_roles(conn, address)
        with conn.transaction():
            return _migrate(conn, address, functions, upto)


def lacking(conn: psycopg.Connection) -> str:
    """What a server has to have before hq can use it, and how it gets that; nothing where it has all."""
    old = conn.info.server_version < OLDEST_POSTGRES
    version = f"it is Postgres {conn.info.parameter_status('server_version')}; hq needs 16 or newer" if old else ""
    return "; ".join(filter(None, (version, _lacks_vectors(conn))))


def _lacks_vectors(conn: psycopg.Connection) -> str:
    row = conn.execute(SQL["vectors"]).fetchone()
    there, installed, may_add = row or (False, False, False)
    if there or may_add:
        return ""
    if not installed:
        return "it lacks the extension pgvector; install it on that server (Debian: postgresql-<version>-pgvector)"
    return (
        f"its role {conn.info.user} may not add the extension pgvector; "
        f'as a superuser run once: psql -d {conn.info.dbname} -c "create extension vector"'
    )


def check(address: Address, functions: Sequence[str]) -> Migrated:
    """For a role that may not migrate: the schema must be the one this program knows."""
    state = inspect(address.app_url, functions)
    if state.missing or state.stale:
        raise Outage(
            f"the database is at schema {state.version}, this hq needs {state.needed}; "
            "run `hq up` once with the owner's HQ_DATABASE_URL"
        )
    return Migrated((), state.version)


@dataclass(frozen=True)
class SchemaState:
    """How a database that this program may use differs from what this program brings."""

    version: int
    needed: int
    missing: tuple[str, ...]
    stale: tuple[str, ...]
    """Files of functions that would be applied again."""
    without_hashes: bool


def inspect(url: str, functions: Sequence[str]) -> SchemaState:
    """Look, and change nothing. Raises where `migrate` would refuse."""
    with _connect(url) as conn:
        history = read_history(conn)
        history.refuse_others()
        known = bool(history.applied) and not history.without_hashes
        return SchemaState(
            version=history.version,
            needed=max(step.version for step in history.brought),
            missing=tuple(map(str, history.missing)),
            stale=tuple(stale_functions(conn, functions)) if known else (),
            without_hashes=history.without_hashes,
        )


def _migrate(conn: psycopg.Connection, address: Address, functions: Sequence[str], upto: int | None) -> Migrated:
    history = read_history(conn)
    history.refuse_others()
    applied: list[str] = []
    if not history.applied:
        conn.execute(for_roles(SQL["begin_history"], address))
    elif history.without_hashes:
        applied += _adopt(conn, address, history)
        history = read_history(conn)
    for step in history.renumbered:
        conn.execute(SQL["renumber_migration"], {"name": step.name, "version": step.version})
    applied += _apply(conn, address, [step for step in history.missing if step.version <= (upto or step.version)])
    history = read_history(conn)
    if not history.missing and (stale := stale_functions(conn, functions)):  # functions belong to the whole schema
        apply_functions(conn, address, functions)
        applied += stale
    return Migrated(tuple(applied), history.version)


def _apply(conn: psycopg.Connection, address: Address, steps: Sequence[Migration]) -> list[str]:
    for step in steps:
        conn.execute(for_roles(step.text, address))
        row = {"name": step.name, "version": step.version, "hash": step.hash, "applied_by": __version__}
        conn.execute(SQL["record_migration"], row)
    return [str(step) for step in steps]


def _adopt(conn: psycopg.Connection, address: Address, history: SchemaHistory) -> list[str]:
    """Take over a home that recorded names alone: it is ours if, with what it lacks of that time, its tables are ours."""
    conn.execute(for_roles(SQL["adopt_history"], address))
    for step in history.brought:
        conn.execute(SQL["adopt_migration"], {"name": step.name, "version": step.version, "hash": step.hash})
    conn.execute(SQL["adopted"])
    try:
        applied = _apply(conn, address, [step for step in history.missing if step.version <= NAMES_ONLY])
    except psycopg.errors.SyntaxErrorOrAccessRuleViolation as error:  # a table or column it builds on is not there
        raise _too_old() from error
    if conn.execute(SQL["fingerprint"]).fetchone() != (TABLES_THEN,):
        raise _too_old()
    return applied


def _too_old() -> Outage:
    return Outage(
        f"the database was made by an early hq whose tables under the names of today's migrations were others; {what_to_do()}"
    )


def _connect(url: str) -> psycopg.Connection:
    try:
        return psycopg.connect(url, autocommit=True, connect_timeout=10)
    except psycopg.OperationalError as error:
        raise Outage(f"the database does not answer: {in_one_line(error)}") from error


def in_one_line(error: psycopg.Error) -> str:
    """What the driver says, with the address it tried, which comes first."""
    return " ".join(str(error).split())
