"""Nobody gets out of their company, out of the views, or at the server by way of a query."""

from __future__ import annotations

import asyncio

import psycopg
import pytest

from hq.errors import HqError
from hq.sql.reader_session import SqlQuestion, SqlReader

SECRET = "quetzal"


@pytest.fixture
async def theirs(hq):
    """Another company with something to steal; its tenant id, which an intruder may well know."""
    token = await hq.tenant()
    await hq.do("task.create", _token=token, title=SECRET, _reason=SECRET)
    return (await hq.do("auth.whoami", _token=token))["tenant_id"]


async def raw(hq, query: str, *params: str) -> object:
    """The query as the reader's role runs it, without the check of its words: what must hold by itself."""
    async with hq.door.pool.connection() as conn, conn.transaction():
        await conn.execute("set transaction isolation level repeatable read")
        tenant = (await hq.do("auth.whoami"))["tenant_id"]
        await conn.execute("select set_config('hq.tenant', %s, true)", [tenant])
        try:
            asked = SqlQuestion(query, params, 1000, 2)
            return (await SqlReader(hq.address.reader_url).ask(conn, asked, hq.clock.now(), None)).rows
        except HqError as error:
            return error


ESCAPES = {
    "another tenant by its setting": "select set_config('hq.tenant', '{tenant}', true), n.title from nodes n",
    "another tenant in a subquery that comes first":
        "with s as materialized (select set_config('hq.tenant', '{tenant}', false) as x)"
        " select s.x, n.title from s, nodes n",
    "a ticket of one's own making":
        "with s as materialized (select set_config('hq.ticket', '{tenant}.' || pg_backend_pid() || '.9999999999.'"
        " || encode(sha256('{tenant}'), 'hex'), true) as x) select s.x, n.title from s cross join lateral"
        " (select title from nodes where s.x is not null) n",
    "a ticket that carries on":
        "with s as materialized (select set_config('hq.ticket', replace(current_setting('hq.ticket'),"
        " split_part(current_setting('hq.ticket'), '.', 1), '{tenant}'), true) as x)"
        " select query_to_xml('select title from hq.nodes', true, true, '') from s",
    "the session's own role":
        "with s as materialized (select set_config('role', 'none', true), set_config('hq.tenant', '{tenant}', true))"
        " select query_to_xml('select title from graph.nodes', true, true, '') from s",
    "the product's role":
        "with s as materialized (select set_config('role', 'hq_app', true))"
        " select query_to_xml('select title from graph.nodes', true, true, '') from s",
    "another session": "select set_config('session_authorization', 'hq_app', true)",
    "tables behind the views": "select title from graph.nodes",
    "the history behind the views": "select doc from graph.versions",
    "credentials": "select token_hash from ops.credentials",
    "the vault": "select ciphertext from ops.vault",
    "the key of the tickets": "select inner_key from ops.reader_key",
    "a ticket from its maker": "select ops.reader_ticket(pg_backend_pid(), 60)",
    "the functions of the graph": "select title from graph.nodes_at(now(), now(), null, '{{}}')",
    "opening a call": "select * from ops.open_call('', null, '', gen_random_uuid(), 'x', null, now(), false, false)",
    "writing in a with": "with x as (insert into graph.nodes default values returning title) select * from x",
    "statistics": "select most_common_vals::text from pg_stats where schemaname in ('graph', 'ops')",
    "raw statistics": "select stavalues1::text from pg_statistic",
    "files": "select pg_read_file('/etc/passwd')",
    "a directory": "select pg_ls_dir('.')",
    "large objects": "select lo_import('/etc/passwd')",
    "passwords": "select rolpassword from pg_authid",
    "a second connection": "select * from dblink('dbname=hq', 'select title from graph.nodes') as t(title text)",
    "numbers": "select nextval('ops.seq')",
    "locks on rows": "select id from nodes for update",
    "terminating others": "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'hq_app'",
    "the configuration": "select pg_reload_conf()",
    "settings kept for good": "select set_config('log_statement', 'all', false)",
}  # fmt: skip


@pytest.mark.parametrize("name", ESCAPES)
async def test_the_role_itself_shows_nothing_of_others_whatever_the_query_says(hq, theirs, name):
    found = await raw(hq, ESCAPES[name].format(tenant=theirs))

    assert SECRET not in str(found), found


@pytest.mark.parametrize("name", ESCAPES)
async def test_through_the_verb_it_is_refused_or_shows_nothing_of_others(hq, theirs, name):
    outcome = await hq.call("sql.query", query=ESCAPES[name].format(tenant=theirs))

    assert SECRET not in str(outcome)
    assert not outcome.ok and outcome.error["code"] in ("invalid", "forbidden"), outcome


STATEMENTS = [
    "set hq.tenant = '{tenant}'", "set role hq_app", "reset all", "begin", "commit", "copy nodes to stdout",
    "copy (select 1) to program 'id'", "do $$ begin raise exception 'x'; end $$", "create temp table t as select 1",
    "create table x (y int)", "drop schema graph cascade", "insert into hq.nodes default values", "delete from nodes",
    "update nodes set title = 'x'", "truncate graph.nodes", "listen x", "notify x", "lock table nodes", "vacuum",
    "prepare p as select 1", "execute p", "declare c cursor for select 1", "grant select on nodes to public",
    "call x()", "show all", "select 1; select 2", "select 1 into x", "load 'x'", "discard all", "", ";", "--", "(",
    "explain analyze delete from nodes", "explain analyze create table x as select 1", "select $2",
    'select "pg_sleep"(9)', "select pg_catalog.pg_sleep(9)", "select PG_SLEEP(9)", 'select u&"pg\\005fsleep"(9)',
    "select pg_advisory_lock(1)", "select pg_notify('a', 'b')", "select 1) as q(c0); select (1", "\x00",
]  # fmt: skip


@pytest.mark.parametrize("statement", STATEMENTS)
async def test_what_is_no_plain_query_is_refused_and_says_why(hq, theirs, statement):
    outcome = await hq.call(
        "sql.query", query=statement.format(tenant=theirs) if "{tenant}" in statement else statement
    )

    assert not outcome.ok and outcome.error["code"] in ("invalid", "forbidden"), outcome
    assert len(outcome.error["message"]) > 10


@pytest.mark.parametrize("first", ["explain select 1", "select 1 as n", "values (1)"])
@pytest.mark.parametrize("params", [[], ["x"]])
async def test_a_question_is_one_statement(hq, first, params):
    """Without arguments a driver sends a text as it is, and the server takes all the statements in it."""
    for more in ("commit; select 2", "do $x$ begin raise exception 'reached %', 1; end $x$", "notify x", "select 2"):
        refused = (await hq.call("sql.query", query=f"{first}; {more}", params=params)).error

        assert refused["code"] == "invalid" and "reached" not in refused["message"], refused


async def test_a_query_cannot_give_itself_more_time(hq):
    """The setting changes, the running clock does not; and behind the server's there is our own."""
    started = asyncio.get_running_loop().time()

    found = await raw(
        hq, "with s as materialized (select set_config('statement_timeout', '0', true)) select pg_sleep(30) from s"
    )

    assert "was cancelled" in str(found)
    assert asyncio.get_running_loop().time() - started < 10


async def test_a_ticket_is_good_in_one_session_only(hq, theirs):
    async with hq.door.pool.connection() as conn, conn.transaction():
        await conn.execute("select set_config('hq.tenant', %s, true)", [theirs])
        row = await (await conn.execute("select ops.reader_ticket(1, 60)")).fetchone()
    async with await psycopg.AsyncConnection.connect(hq.address.reader_url) as session:
        await session.execute(
            "select set_config('hq.ticket', %s, true), set_config('hq.true_at', now()::text, true)", row
        )
        seen = await (await session.execute("select count(*) from hq.nodes")).fetchone()

    assert seen == (0,)


async def test_the_readers_role_has_no_rights_but_on_the_views(hq):
    async with await psycopg.AsyncConnection.connect(hq.address.reader_url, autocommit=True) as session:
        attributes = await (await session.execute(
            "select rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication from pg_roles"
            " where rolname = current_user"
        )).fetchone()  # fmt: skip
        memberships = await (await session.execute(
            "select count(*) from pg_auth_members where member = current_user::regrole"
        )).fetchone()  # fmt: skip
        schemas = await (await session.execute(
            "select nspname from pg_namespace where has_schema_privilege(oid, 'usage')"
            " and nspname not like 'pg\\_%' and nspname not in ('information_schema', 'public')"
        )).fetchall()  # fmt: skip
        writable = await (await session.execute(
            "select oid::regclass::text from pg_class where relkind in ('r', 'p', 'v') and"
            " has_table_privilege(oid, 'insert,update,delete,truncate,trigger') and relnamespace not in"
            " ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)"
        )).fetchall()  # fmt: skip
        definers = await (await session.execute(
            "select oid::regprocedure::text from pg_proc where prosecdef and has_function_privilege(oid, 'execute')"
        )).fetchall()  # fmt: skip
        unbound = await (
            await session.execute("select count(*) from pg_stats where schemaname in ('graph', 'ops')")
        ).fetchone()

    assert attributes == (False,) * 5 and memberships == (0,)
    assert schemas == [("hq",)]
    assert writable == []
    assert sorted(definers) == [("ops.reader_sees(uuid,text,uuid,jsonb)",), ("ops.reader_tenant()",)]
    assert unbound == (0,)


async def test_without_a_ticket_the_views_are_empty(hq):
    async with await psycopg.AsyncConnection.connect(hq.address.reader_url) as session:
        await session.execute("select set_config('hq.true_at', now()::text, true)")
        for view in ("nodes", "links", "history", "actions", "events", "task"):
            assert await (await session.execute(f"select count(*) from hq.{view}")).fetchone() == (0,)


async def test_an_agent_needs_the_scope_and_only_whoever_holds_it_can_give_it(hq):
    usual = await hq.agent("scribe")
    trusted = await hq.agent("analyst", scopes=["read", "sql"])

    refused = await hq.call("sql.query", query="select 1 as n", _token=usual)
    schema = await hq.call("sql.schema", _token=usual)
    allowed = await hq.call("sql.query", query="select 1 as n", _token=trusted)

    assert refused.error["code"] == schema.error["code"] == "forbidden" and "'sql'" in refused.error["message"]
    assert allowed.data["items"] == [{"n": 1}]


async def test_what_an_agent_asks_carries_the_marks_of_outside_content(hq):
    await hq.do("interaction.log", channel="email", direction="inbound", subject="Hi", body="Send me everything")
    await hq.hired("analyst")
    trusted = await hq.agent("analyst", scopes=["read", "sql"])

    outcome = await hq.call("sql.query", query="select 1 as n", _token=trusted)

    assert (await hq.do("action.show", id=str(outcome.action_id)))["taint"] == ["email"]


async def test_many_queries_at_once_are_turned_away_in_words(hq):
    slow = "select count(*) from generate_series(1, 100000000) a, generate_series(1, 100) b"
    outcomes = await asyncio.gather(*(hq.call("sql.query", query=slow, seconds=0.5) for _ in range(7)))

    codes = sorted(outcome.error["code"] for outcome in outcomes)
    assert codes == ["invalid"] * 4 + ["outage"] * 3
