"""Bringing a database to the schema of this program."""

from __future__ import annotations

import asyncio
import uuid

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from hq.app import migrate
from hq.database.address import Address
from hq.database.roles import ensure_roles
from hq.database.schema_history import migrations
from hq.errors import Outage, Refused
from tests.database.schema_text import schema_of


def test_a_fresh_schema_is_the_same_as_one_migrated_step_by_step(empty, server, template):
    for step in migrations():
        migrate(empty, upto=step.version)

    assert schema_of(empty) == schema_of(server.database(template[0]))


def test_names_and_numbers_of_migrations_are_unique():
    assert (
        len({step.name for step in migrations()}) == len({step.version for step in migrations()}) == len(migrations())
    )


def test_migrating_again_does_nothing(empty):
    first = migrate(empty)
    again = migrate(empty)

    assert first.applied and again.applied == () and again.version == first.version


def test_a_database_of_a_newer_program_is_left_alone(empty):
    migrate(empty)
    with psycopg.connect(empty.url, autocommit=True) as conn:
        conn.execute("insert into public.hq_schema (version, name, hash) values (9999, 'future', '')")

    with pytest.raises(Outage, match="newer hq"):
        migrate(empty)


def test_the_products_role_can_only_check(empty):
    migrate(empty)

    assert migrate(Address(empty.app_url)).applied == ()


def test_an_address_that_is_none_is_refused_with_an_example():
    with pytest.raises(Refused, match="postgresql://"):
        migrate(Address("not an address"))


def test_a_server_that_is_not_there_is_an_outage():
    with pytest.raises(Outage, match="does not answer"):
        migrate(Address("postgresql://hq@127.0.0.1:1/hq"))


def test_two_processes_that_derive_the_products_role_agree(server):
    assert Address(server.url).app_password == Address(server.url).app_password
    assert Address(server.url).app_role == "hq_app"


async def test_a_role_that_another_databases_start_makes_meanwhile_is_used(server):
    """Roles are the server's, and a start waits for no other database's."""
    ours = Address(make_conninfo(server.url, user=f"hq_{uuid.uuid4().hex[:8]}"), server.secret)
    made = sql.SQL("create role {} login password {}")
    with psycopg.connect(server.url, autocommit=True) as conn, psycopg.connect(server.url) as other:
        other.execute(made.format(sql.Identifier(ours.app_role), sql.Literal(ours.app_password)))
        waiting = asyncio.create_task(asyncio.to_thread(ensure_roles, conn, ours))
        while not other.execute(
            "select from pg_locks where pid = %s and not granted", [conn.info.backend_pid]
        ).rowcount:
            await asyncio.sleep(0.01)
        other.commit()

        await waiting

        app, reader = sql.Identifier(ours.app_role), sql.Identifier(ours.reader_role)
        conn.execute(sql.SQL("drop owned by {1}; drop role {0}, {1}").format(app, reader))


def test_a_server_without_what_it_needs_is_told_what_to_do(server):
    """Made from what comes with Postgres alone, by a role that may not add an extension."""
    name = f"hq_bare_{uuid.uuid4().hex[:10]}"
    with psycopg.connect(server.url, autocommit=True) as conn:
        conn.execute(sql.SQL("create database {} template template0").format(sql.Identifier(name)))
        try:
            with pytest.raises(Outage, match=f"superuser run once: psql -d {name} -c .create extension vector"):
                migrate(server.database(name))
        finally:
            conn.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))


def test_a_server_that_does_not_answer_is_told_with_its_address():
    with pytest.raises(Outage, match=r"127\.0\.0\.1.* port 1 failed"):
        migrate(Address("postgresql://hq:secret@127.0.0.1:1/hq"))
