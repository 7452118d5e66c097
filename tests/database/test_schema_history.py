"""Migrations are known by name and content: homes of earlier programs open, those of others are refused and left as they are."""

from __future__ import annotations

import shutil
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from hq import __version__, app
from hq.app import migrate
from hq.database import functions, schema_history
from hq.database.address import Address
from hq.database.functions import SOURCE
from hq.database.migrate import check, inspect
from hq.database.roles import ensure_roles, for_roles
from hq.database.schema_history import migrations
from hq.errors import Outage
from tests.database.schema_text import schema_of

FUNCTIONS = app.functions()


@pytest.fixture
def files(tmp_path: Path, monkeypatch) -> Path:
    """The files of the schema, for the test to change."""
    shutil.copytree(schema_history.FILES, tmp_path / "schema")
    monkeypatch.setattr(schema_history, "FILES", tmp_path / "schema")
    return tmp_path / "schema"


@pytest.fixture
def source(tmp_path: Path, monkeypatch) -> Path:
    """The files of functions, for the test to change."""
    for path in FUNCTIONS:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(SOURCE / path, tmp_path / path)
    monkeypatch.setattr(functions, "SOURCE", tmp_path)
    return tmp_path


BEFORE = [step for step in migrations() if step.version <= 22]
FIRST_SIX = [step.name for step in BEFORE[:6]]


def home_of_before(address: Address, names: list[str]) -> None:
    """As every hq up to schema 0022 left a database: numbers and names, one number after the other. (Today's functions need today's tables; a home with
    those of then is in test_home_0022.)"""
    texts = {step.name: step.text for step in BEFORE}
    with psycopg.connect(address.url, autocommit=True) as conn:
        ensure_roles(conn, address)
        conn.execute(
            "create table public.hq_schema"
            " (version integer primary key, name text not null, applied_at timestamptz not null default now())"
        )
        conn.execute("create table public.hq_functions (path text primary key, hash text not null)")
        for number, name in enumerate(names, 1):
            conn.execute(for_roles(texts[name], address))
            conn.execute("insert into public.hq_schema (version, name) values (%s, %s)", [number, name])


def rows(address: Address, query: str) -> list[tuple]:
    with psycopg.connect(address.url, autocommit=True) as conn:
        return conn.execute(sql.SQL(query)).fetchall()  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    "names",
    [
        [step.name for step in BEFORE],
        [step.name for step in BEFORE[:14]],
        [*FIRST_SIX, "workspaces", "artifacts"],
        [*FIRST_SIX, "artifacts"],
        [],
    ],
    ids=["0022", "0014", "0007_was_workspaces", "0007_was_artifacts", "cut_off_at_once"],
)
def test_a_home_that_recorded_numbers_is_adopted(empty, names, server, template):
    home_of_before(empty, names)

    migrate(empty)

    assert rows(empty, "select version, name, hash from public.hq_schema order by 1") == [
        (step.version, step.name, step.hash) for step in migrations()
    ]
    assert schema_of(empty) == schema_of(server.database(template[0]))
    assert migrate(empty).applied == ()


def test_a_home_whose_tables_are_others_under_the_same_names_is_refused_and_left_as_it_was(empty):
    home_of_before(empty, FIRST_SIX)
    with psycopg.connect(empty.url, autocommit=True) as conn:
        conn.execute("alter table graph.nodes add column full_text tsvector")
    before = schema_of(empty)

    with pytest.raises(Outage, match=r"an early hq .* nothing was changed; start it with the copy of hq that made it"):
        migrate(empty)

    assert schema_of(empty) == before
    assert len(rows(empty, "select * from public.hq_schema")) == 6


def test_a_home_that_lacks_what_later_migrations_build_on_is_refused(empty):
    home_of_before(empty, FIRST_SIX)
    with psycopg.connect(empty.url, autocommit=True) as conn:
        conn.execute("alter table ops.credentials rename to credential")

    with pytest.raises(Outage, match="an early hq"):
        migrate(empty)


def test_a_migration_that_reads_otherwise_by_now_is_refused(empty, files):
    migrate(empty)
    with (files / "0019_heartbeat.sql").open("a") as file:
        file.write("create table ops.surprise (x integer);\n")

    with pytest.raises(
        Outage, match=r"0019_heartbeat\.sql reads otherwise than 0019_heartbeat \(applied .*put that file back"
    ) as told:
        migrate(empty)
    assert f"start it with hq {__version__}" not in str(told.value)  # that is what runs
    with pytest.raises(Outage, match="reads otherwise"):
        check(Address(empty.app_url), FUNCTIONS)

    assert rows(empty, "select to_regclass('ops.surprise')") == [(None,)]


def test_a_migration_of_another_branch_is_refused_by_its_name(empty, files):
    (files / "0023_theirs.sql").write_text("create table ops.theirs (x integer);")
    migrate(empty)
    (files / "0023_theirs.sql").unlink()
    (files / "0024_ours.sql").write_text("create table ops.ours (x integer);")

    with pytest.raises(Outage, match="0023_theirs"):
        migrate(empty)

    assert rows(empty, "select to_regclass('ops.ours')") == [(None,)]


def test_one_that_lands_later_with_a_smaller_number_is_applied_once(empty, files):
    (files / "0029_last.sql").write_text("create table ops.last (x integer);")
    migrate(empty)
    (files / "0027_late.sql").write_text("create table ops.late (x integer);")

    assert migrate(empty).applied == ("0027_late",)
    assert migrate(empty).applied == ()


def test_a_migration_may_get_another_number(empty, files):
    (files / "0024_ours.sql").write_text("create table ops.ours (x integer);")
    migrate(empty)
    (files / "0024_ours.sql").rename(files / "0031_ours.sql")

    assert migrate(empty).applied == ()
    assert rows(empty, "select version from public.hq_schema where name = 'ours'") == [(31,)]


def test_what_fails_halfway_leaves_nothing_behind(empty, files):
    migrate(empty)
    (files / "0023_fine.sql").write_text("create table ops.fine (x integer);")
    (files / "0024_broken.sql").write_text("create table ops.broken (x nonsense);")

    with pytest.raises(psycopg.Error):
        migrate(empty)

    assert rows(empty, "select to_regclass('ops.fine')") == [(None,)]
    assert inspect(empty.url, FUNCTIONS).missing == ("0023_fine", "0024_broken")


def test_functions_whose_file_moved_are_made_and_those_whose_file_is_gone_are_not(empty, source, monkeypatch):
    (source / "old.sql").write_text(
        "create or replace function ops.stays(_a integer) returns integer language sql return 1;\n"
        "create or replace function ops.goes() returns integer language sql return ops.stays(1);\n"
    )
    monkeypatch.setattr(app, "functions", lambda: (*FUNCTIONS, "old.sql"))
    migrate(empty)
    (source / "new.sql").write_text(
        "create or replace function ops.stays(_a integer, _b text) returns text language sql return _b;\n"
    )
    (source / "old.sql").unlink()
    monkeypatch.setattr(app, "functions", lambda: (*FUNCTIONS, "new.sql"))

    assert set(migrate(empty).applied) == {"old.sql", "new.sql"}
    assert rows(empty, "select oid::regprocedure::text from pg_proc where proname in ('stays', 'goes')") == [
        ("ops.stays(integer,text)",)
    ]
    assert rows(empty, "select path from public.hq_functions order by 1") == sorted(
        [*((p,) for p in FUNCTIONS), ("new.sql",)]
    )


def test_functions_made_by_migrations_are_left(empty, source):
    migrate(empty)
    with (source / "ceo/functions.sql").open("a") as file:
        file.write("-- changed\n")

    assert migrate(empty).applied == ("ceo/functions.sql",)
    assert rows(empty, "select count(*) from pg_proc where oid = to_regprocedure('ops.tenant()')") == [(1,)]


def test_who_may_not_migrate_is_told_who_has_to(empty, source):
    migrate(empty)
    with (source / "ceo/functions.sql").open("a") as file:
        file.write("-- changed\n")

    with pytest.raises(Outage, match="run `hq up` once with the owner's HQ_DATABASE_URL"):
        migrate(Address(empty.app_url))
