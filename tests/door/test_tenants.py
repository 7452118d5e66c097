"""One company never sees, changes or finds a thing of another: over every verb, and as the product's own role."""

from __future__ import annotations

import asyncio

import psycopg
import pytest

from hq.app import open_door, registry
from tests.support.company import Hq

NAME = "zanzibar"  # what an intruder may know: slugs and names
SECRET = "quetzal"  # what no answer may contain


@pytest.fixture(scope="module")
def theirs(shared, template, tmp_path_factory) -> str:
    """Another company's founder's token. It stays as it is, which is what is tested, and so one is enough."""

    async def found() -> str:
        async with open_door(shared, vault_file=tmp_path_factory.mktemp("theirs") / "vault.key", pool_size=2) as door:
            return await one_of_everything(Hq(door, shared, template[1], door.clock))  # type: ignore[arg-type]

    return asyncio.run(found())


async def one_of_everything(hq) -> str:
    """Each named so that it can be recognised anywhere."""
    token = await hq.tenant()
    for noun, args in {
        "entity": {"name": SECRET},
        "contact": {"name": SECRET},
        "engagement": {"name": SECRET},
        "project": {"name": SECRET},
        "feature": {"title": SECRET},
        "task": {"title": SECRET},
        "event": {"kind": "action", "summary": SECRET},
        "document": {"title": SECRET},
        "decision": {"title": SECRET},
        "memo": {"title": SECRET, "content_md": SECRET},
        "conversation": {"title": SECRET},
        "producer": {"name": SECRET, "kind": "project"},
        "review": {"question_text": SECRET},
    }.items():
        await hq.do(f"{noun}.create", _token=token, slug=f"{NAME}-{noun}", **args)
    await hq.do("interaction.log", _token=token, channel="email", subject=SECRET, slug=f"{NAME}-interaction")
    await hq.do("proposal.propose", _token=token, kind=SECRET)
    await hq.do("fact.assert", _token=token, subject=NAME, relation="city", value=SECRET)
    await hq.do("grant.add", _token=token, actor=f"agent:{NAME}", verb="task.create", _reason=SECRET)
    await hq.do("vault.set", _token=token, name=NAME, value=SECRET)
    await hq.do("auth.token", _token=token, agent=NAME)
    await hq.do("freeze.set", _token=token, scope=f"project:{NAME}-project", _reason=SECRET)
    return token


def calls(verb, ids: dict[str, str]) -> list[dict]:
    """Every way to name something of theirs in this verb's arguments."""
    fields = verb.args.model_fields
    known = [ids.get(verb.noun, ids["entity"]), ids["action"]]
    names = [f"{NAME}-{verb.noun}", NAME, f"agent:{NAME}", f"project:{NAME}-project", *known]
    refs = [n for n, f in fields.items() if "str" in str(f.annotation) and "Literal" not in str(f.annotation)]
    required = {n: _filled(n) for n, f in fields.items() if f.is_required()}
    return [{**required, field: name} for field in refs for name in names] or [required]


def _filled(name: str):
    return {"options": [], "kind": "chat", "direction": "inbound"}.get(name, NAME)


@pytest.mark.slow
@pytest.mark.parametrize("noun", sorted({verb.noun for verb in registry()}))
async def test_no_verb_shows_or_changes_anything_of_another_company(hq, theirs, noun):
    before = await everything(hq, theirs)
    ids = await ids_of(hq, theirs)

    for verb in (v for v in registry() if v.noun == noun):
        for args in calls(verb, ids):
            outcome = await hq.call(verb.name, **args)
            assert SECRET not in str(outcome), (verb.name, args, outcome)

    assert await everything(hq, theirs) == before


async def everything(hq, token: str) -> list[tuple]:
    return await as_tenant(
        hq, token,
        "select id::text, slug, props::text, archived_at, seq from graph.nodes"
        " union all select id::text, scope, '', lifted_at, 0 from ops.freezes"
        " union all select name, version::text, '', null, 0 from ops.vault"
        " union all select id::text, name, scopes::text, revoked_at, 0 from ops.credentials order by 1",
    )  # fmt: skip


async def ids_of(hq, token: str) -> dict[str, str]:
    """One of each type of node, and of what was done."""
    rows = await as_tenant(
        hq,
        token,
        "select type, min(id::text) from graph.nodes group by type"
        " union all select 'action', min(id::text) from ops.agent_actions",
    )
    return dict(rows)


async def as_tenant(hq, token: str, query: str) -> list[tuple]:
    tenant = (await hq.do("auth.whoami", _token=token))["tenant_id"]
    async with await psycopg.AsyncConnection.connect(hq.address.app_url) as conn:
        await conn.execute("select set_config('hq.tenant', %s, false)", [tenant])
        return await (await conn.execute(query)).fetchall()


TABLES = [
    "graph.nodes",
    "graph.edges",
    "graph.versions",
    "graph.history_nodes",
    "ops.agent_actions",
    "ops.outbox",
    "ops.ledger",
    "ops.principals",
    "ops.credentials",
    "ops.freezes",
    "ops.vault",
    "ops.effects",
    "ops.tenants",
    "graph.counters",
]


@pytest.mark.parametrize("table", TABLES)
async def test_without_a_tenant_the_products_role_sees_no_rows(hq, theirs, table):
    async with await psycopg.AsyncConnection.connect(hq.address.app_url) as conn:
        rows = await conn.execute(f"select count(*) from {table}")

        assert await rows.fetchone() == (0,)


@pytest.mark.parametrize("change", [
    "update graph.nodes set title = 'x'", "delete from graph.nodes", "insert into graph.edges select * from graph.edges",
    "update graph.versions set doc = '{}'", "delete from ops.agent_actions", "update ops.agent_actions set actor = 'x'",
    "update ops.ledger set digest = ''", "delete from ops.outbox", "update ops.credentials set scopes = '{founder}'",
    "truncate ops.ledger", "drop table ops.ledger", "set role hq", "alter table graph.nodes disable row level security",
])  # fmt: skip
async def test_the_products_role_cannot_go_around_the_functions(hq, change):
    async with await psycopg.AsyncConnection.connect(hq.address.app_url) as conn:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            await conn.execute(change)


async def test_the_products_role_is_neither_superuser_nor_above_isolation(hq):
    async with await psycopg.AsyncConnection.connect(hq.address.app_url) as conn:
        row = await (
            await conn.execute(
                "select rolsuper, rolbypassrls, rolcreaterole, rolcreatedb from pg_roles where rolname = current_user"
            )
        ).fetchone()

        assert row == (False, False, False, False)


async def test_a_new_table_without_isolation_would_be_noticed(hq):
    async with await psycopg.AsyncConnection.connect(hq.address.url) as conn:
        rows = await conn.execute(
            "select c.oid::regclass::text from pg_class c join pg_namespace n on n.oid = c.relnamespace"
            " where n.nspname in ('graph', 'ops') and c.relkind in ('r', 'p') and not c.relrowsecurity"
        )

        assert [row[0] for row in await rows.fetchall()] == ["ops.announcer"]
