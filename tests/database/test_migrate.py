"""Bringing a database to the schema of this program."""

from __future__ import annotations

import uuid

import psycopg
import pytest
from psycopg import sql

from hq.database.address import Address
from hq.database.migrate import migrate, migrations
from hq.errors import Outage, Refused


@pytest.fixture
def empty(server):
    """An empty database."""
    name = f"hq_empty_{uuid.uuid4().hex[:10]}"
    with psycopg.connect(server.url, autocommit=True) as conn:
        conn.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
        yield server.database(name)
        conn.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))


def schema_of(address: Address) -> str:
    """Everything the catalogue of Postgres says of our schemas, in a stable order."""
    with psycopg.connect(address.url) as conn:
        parts = conn.execute(
            """
            select 'column', c.oid::regclass::text, a.attname, format_type(a.atttypid, a.atttypmod) || ' ' || a.attnotnull
                   || coalesce(' ' || pg_get_expr(d.adbin, d.adrelid), '')
              from pg_class c join pg_namespace n on n.oid = c.relnamespace
              join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
              left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
             where n.nspname in ('graph', 'ops') and c.relkind in ('r', 'v', 'p')
            union all
            select 'index', indexrelid::regclass::text, '', pg_get_indexdef(indexrelid) from pg_index i
              join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace
             where n.nspname in ('graph', 'ops')
            union all
            select 'constraint', conrelid::regclass::text, conname, pg_get_constraintdef(c.oid) from pg_constraint c
              join pg_namespace n on n.oid = c.connamespace where n.nspname in ('graph', 'ops')
            union all
            select 'function', p.oid::regprocedure::text, coalesce(p.proacl::text, ''), pg_get_functiondef(p.oid) from pg_proc p
              join pg_namespace n on n.oid = p.pronamespace where n.nspname in ('graph', 'ops')
            union all
            select 'policy', polrelid::regclass::text, polname, pg_get_expr(polqual, polrelid) from pg_policy
            union all
            select 'grant', c.oid::regclass::text, '', coalesce(relacl::text, '') from pg_class c
              join pg_namespace n on n.oid = c.relnamespace where n.nspname in ('graph', 'ops')
            order by 1, 2, 3, 4
            """
        ).fetchall()
    return "\n".join("|".join(map(str, part)) for part in parts)


def test_a_fresh_schema_is_the_same_as_one_migrated_step_by_step(empty, server, template):
    for step in migrations():
        migrate(empty, upto=step.version)

    assert schema_of(empty) == schema_of(server.database(template[0]))


def test_schemas_are_numbered_without_a_gap():
    """One that came in later below the newest would never reach a database that is already there."""
    assert [step.version for step in migrations()] == list(range(1, len(migrations()) + 1))


def test_migrating_again_does_nothing(empty):
    first = migrate(empty)
    again = migrate(empty)

    assert first.applied and again.applied == () and again.version == first.version


def test_a_database_of_a_newer_program_is_left_alone(empty):
    migrate(empty)
    with psycopg.connect(empty.url, autocommit=True) as conn:
        conn.execute("insert into public.hq_schema (version, name) values (9999, 'future')")

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
