"""Bootstrap of a fresh embedded server, before hq can use it: a role without superpowers, its database, extensions."""

from __future__ import annotations

import psycopg
from psycopg import sql

from hq.database.embedded.cluster import Cluster

SUPERUSER = "postgres"
OWNER = "hq"
DATABASE = "hq"
EXTENSIONS = ("vector", "pg_trgm", "btree_gin", "unaccent", "pg_stat_statements")


def complete(cluster: Cluster) -> bool:
    """Whether the owner can log in and finds every extension: bootstrap makes these last, so the rest is there too."""
    asked = "select count(*) from pg_extension where extname = any(%s)"
    with psycopg.connect(cluster.url(OWNER, DATABASE), connect_timeout=5) as connection:
        row = connection.execute(asked, [list(EXTENSIONS)]).fetchone()
    return row == (len(EXTENSIONS),)


def bootstrap(cluster: Cluster) -> None:
    """Complete whatever is missing; killed anywhere in between, the next call goes on from there."""
    # Inside template1, because a copy of it waits for everybody else to leave it, and to give `hq`'s own databases
    # extensions that only a superuser may create.
    with _superuser(cluster, "template1") as connection:
        _ensure_owner(connection, cluster.password(OWNER))
        _ensure_extensions(connection)
        _ensure_database(connection)
    with _superuser(cluster, DATABASE) as connection:
        _ensure_extensions(connection)


def _superuser(cluster: Cluster, database: str) -> psycopg.Connection:
    return psycopg.connect(cluster.url(SUPERUSER, database), autocommit=True, connect_timeout=5)


def _ensure_owner(connection: psycopg.Connection, password: str) -> None:
    name = sql.Identifier(OWNER)
    if not connection.execute("select 1 from pg_roles where rolname = %s", [OWNER]).fetchone():
        connection.execute(sql.SQL("create role {}").format(name))
    # Only the verifier travels: pg_stat_statements and the log keep the text of such statements.
    verifier = connection.pgconn.encrypt_password(password.encode(), OWNER.encode(), b"scram-sha-256").decode()
    rights = sql.SQL("alter role {} login nosuperuser createrole createdb password {}")
    connection.execute(rights.format(name, sql.Literal(verifier)))


def _ensure_extensions(connection: psycopg.Connection) -> None:
    for extension in EXTENSIONS:
        connection.execute(sql.SQL("create extension if not exists {}").format(sql.Identifier(extension)))


def _ensure_database(connection: psycopg.Connection) -> None:
    if not connection.execute("select 1 from pg_database where datname = %s", [DATABASE]).fetchone():
        made = sql.SQL("create database {} owner {}").format(sql.Identifier(DATABASE), sql.Identifier(OWNER))
        connection.execute(made)
