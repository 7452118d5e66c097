"""The two roles hq works as: made by the owner of the database, named in the files of the schema as {app} and {reader}."""

from __future__ import annotations

from typing import LiteralString, cast

import psycopg
from psycopg import sql

from hq.database.address import Address
from hq.errors import Refused


def ensure_roles(conn: psycopg.Connection, address: Address) -> None:
    _ensure_role(conn, address, address.app_role, address.app_password, address.app_url)
    _ensure_role(conn, address, address.reader_role, address.reader_password, address.reader_url)


def for_roles(text: str, address: Address) -> sql.Composed:
    """Statements of the schema, with the names of this database's roles."""
    for name, role in (("{app}", address.app_role), ("{reader}", address.reader_role)):
        text = text.replace(name, '"' + role.replace('"', '""') + '"')
    return sql.SQL(cast(LiteralString, text.replace("{", "{{").replace("}", "}}"))).format()


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
    except (psycopg.errors.DuplicateObject, psycopg.errors.UniqueViolation):
        if found:
            raise
        _ensure_role(conn, address, name, password, url)  # roles are the server's: another database's start made it
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
