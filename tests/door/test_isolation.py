"""Isolation as the catalogue of Postgres has it: over every schema, so that nothing new comes in without it."""

from __future__ import annotations

from typing import LiteralString

import psycopg

NOT_OURS = "('pg_catalog', 'information_schema', 'pg_toast')"
OF_NO_TENANT = {
    "graph.indexer": "how far the index is",
    "graph.models": "which embedders there are",
    "ops.announcer": "how far the announcer is",
    "ops.reader_key": "the key of the tickets of `hq sql`, for its functions alone",
    "public.hq_functions": "which functions are applied",
    "public.hq_schema": "which migrations are applied",
}


def rows(shared, query: LiteralString) -> list[tuple]:
    with psycopg.connect(shared.url) as conn:
        conn.execute("set search_path = pg_catalog")  # so that names come with their schema
        return conn.execute(query).fetchall()


def test_every_table_of_every_schema_is_a_tenants_or_known_not_to_be(shared):
    found = rows(
        shared,
        "select c.oid::regclass::text, exists (select from pg_attribute a"
        "           where a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped and a.attnotnull)"
        "  from pg_class c join pg_namespace n on n.oid = c.relnamespace"
        f" where c.relkind in ('r', 'p', 'f', 'm') and n.nspname not in {NOT_OURS} and not n.nspname ^@ 'pg_temp'",
    )

    assert {table for table, tenants in found if not tenants} == {*OF_NO_TENANT, "ops.tenants"}


def test_every_table_of_a_tenant_shows_and_takes_that_tenants_rows_alone(shared):
    """By one policy for all commands, which holds for whoever reads and for what is written."""
    unbound = rows(
        shared,
        "select c.oid::regclass::text from pg_class c join pg_attribute a on a.attrelid = c.oid"
        " where a.attname = 'tenant_id' and not a.attisdropped and c.relkind in ('r', 'p')"
        "   and not (c.relrowsecurity and exists (select from pg_policy p"
        "       where p.polrelid = c.oid and p.polname = 'tenant' and p.polcmd = '*' and p.polroles = '{0}'"
        "         and pg_get_expr(p.polqual, c.oid) = '(tenant_id = ops.tenant())'"
        "         and pg_get_expr(p.polwithcheck, c.oid) = '(tenant_id = ops.tenant())'))",
    )

    assert unbound == []


def test_no_other_policy_widens_what_a_tenant_sees(shared):
    """Policies are added up: one that holds for everybody would undo the tenant's."""
    with psycopg.connect(shared.url) as conn:
        wider = conn.execute(
            "select p.polrelid::regclass::text, p.polname from pg_policy p where p.polpermissive and p.polname <> 'tenant'"
            "   and p.polroles && array[0::oid, (select r.oid from pg_roles r where r.rolname = %s)]",
            [shared.app_role],
        ).fetchall()

    assert {table for table, _ in wider} <= set(OF_NO_TENANT), wider


def test_row_security_binds_the_roles_of_the_product(shared):
    """An owner passes row security that is not forced, so the product's roles own nothing and are no owner's members.

    It is not forced: functions that run as the owner hold each its tenant in its conditions, as row security would
    keep the search from its indexes.
    """
    roles = [shared.app_role, shared.reader_role]
    with psycopg.connect(shared.url) as conn:
        owned = conn.execute(
            "select c.oid::regclass::text from pg_class c join pg_roles r on r.oid = c.relowner where r.rolname = any(%s)"
            " union all"
            " select p.oid::regprocedure::text from pg_proc p join pg_roles r on r.oid = p.proowner where r.rolname = any(%s)",
            [roles, roles],
        ).fetchall()
        above = conn.execute(
            "select r.rolname, m.roleid::regrole::text from pg_auth_members m join pg_roles r on r.oid = m.member"
            " where r.rolname = any(%s)",
            [roles],
        ).fetchall()

    assert owned == [] and above == []


def test_every_function_that_runs_as_the_owner_has_a_fixed_search_path(shared):
    """`public` holds the types of the extensions; nobody but the owner may put anything there."""
    paths = rows(
        shared,
        "select p.oid::regprocedure::text, (select option from unnest(p.proconfig) option where option ^@ 'search_path=')"
        "  from pg_proc p join pg_namespace n on n.oid = p.pronamespace"
        f" where p.prosecdef and n.nspname not in {NOT_OURS}",
    )
    fixed = {"search_path=pg_catalog, pg_temp", "search_path=pg_catalog, public, pg_temp"}

    assert len(paths) > 50 and [name for name, path in paths if path not in fixed] == []
    with psycopg.connect(shared.url) as conn:
        for role in (shared.app_role, shared.reader_role):
            may = conn.execute("select has_schema_privilege(%s, 'public', 'create')", [role]).fetchone()
            assert may == (False,)


def test_no_function_is_everybodys(shared):
    """But the one that says whose transaction this is; policies ask it for whoever reads."""
    open_to_all = rows(
        shared,
        "select p.oid::regprocedure::text from pg_proc p join pg_namespace n on n.oid = p.pronamespace"
        " where n.nspname in ('graph', 'ops', 'hq') and has_function_privilege('public', p.oid, 'execute')",
    )

    assert open_to_all == [("ops.tenant()",)]


def test_every_view_reads_with_the_rights_of_who_asks(shared):
    views = rows(
        shared,
        "select c.oid::regclass::text, coalesce('security_invoker=true' = any (c.reloptions), false)"
        "  from pg_class c join pg_namespace n on n.oid = c.relnamespace"
        f" where c.relkind = 'v' and n.nspname not in {NOT_OURS} and not exists (select from pg_depend d"
        "       where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')",
    )

    assert len(views) > 20 and [view for view, invoker in views if not invoker] == []
