"""A home from before jobs: its beats, schedules and duties come over with their times, and nothing fires twice."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

import psycopg
import pytest

from hq.app import migrate
from hq.database.schema_history import migrations
from tests.support.databases import empty

__all__ = ["empty"]
BEFORE = 22
DUE, LAST = datetime(2026, 1, 2, 7, tzinfo=UTC), datetime(2026, 1, 1, 7, tzinfo=UTC)


@pytest.fixture
def home(empty):
    """With one of everything, as version 22 kept it."""
    migrate(empty, upto=BEFORE)
    tenant, node = uuid4(), uuid4()
    with psycopg.connect(empty.url, autocommit=True) as conn:
        conn.execute(
            "insert into ops.tenants (id, slug, name, risk_tolerance, created_at, time_zone)"
            " values (%s, 'acme', 'Acme', 'balanced', %s, 'Europe/Lisbon')",
            [tenant, LAST],
        )
        for id, status in ((node, "active"), (uuid4(), "paused")):
            conn.execute(
                "insert into graph.nodes (tenant_id, id, producer_id, type, slug, title, status, props, valid_from,"
                " created_at, updated_at, made_seq, seq, action_id) values (%s, %s, %s, 'schedule', %s, 'Round', %s,"
                """ '{"cron": "0 7 * * *", "timezone": "Europe/Lisbon"}', %s, %s, %s, 1, 1, %s)""",
                [tenant, id, id, f"round-{status}", status, LAST, LAST, LAST, uuid4()],
            )
        conn.execute("insert into ops.schedules values (%s, %s, %s, %s)", [tenant, node, DUE, LAST])
        for cron, enabled in (("0 7 * * *", True), ("0 22 * * *", False), ("@resume", True)):
            conn.execute(
                "insert into ops.beats (tenant_id, agent, cron, says, enabled, due_at, last_at, after_work, seen)"
                " values (%s, 'chief', %s, 'morning', %s, %s, %s, true, 17)",
                [tenant, cron, enabled, DUE, LAST],
            )
        for name, upto in (("route", 41), ("heartbeat", 42), ("capture", 43), ("morning-brief", 0)):
            conn.execute(
                "insert into ops.duties (tenant_id, name, upto, ran_at, did) values (%s, %s, %s, %s, 'something')",
                [tenant, name, upto, LAST],
            )
    return empty


def test_everything_comes_over_with_its_time_and_how_far_it_came(home):
    migrate(home)

    with psycopg.connect(home.url) as conn:
        jobs = conn.execute(
            "select name, kind, cron, zone, state, next_at, last_at, upto, seen from ops.jobs order by name"
        ).fetchall()
        runs = conn.execute("select job, did, status from ops.job_runs order by job").fetchall()
        gone = conn.execute("select to_regclass('ops.beats'), to_regclass('ops.schedules'), to_regclass('ops.duties')")
        assert gone.fetchone() == (None, None, None)
    lisbon = "Europe/Lisbon"
    assert jobs == [
        ("beat:chief:1", "beat", "0 22 * * *", lisbon, "paused", DUE, LAST, 0, 17),
        ("beat:chief:2", "beat", "0 7 * * *", lisbon, "on", DUE, LAST, 0, 17),
        ("capture", "house", None, None, "on", None, LAST, 43, 0),
        ("heartbeat", "house", None, None, "on", None, LAST, 42, 0),
        ("morning-brief", "house", None, None, "on", None, LAST, 0, 0),
        ("resume:chief", "resume", None, None, "on", DUE, None, 0, 0),
        ("route", "house", None, None, "on", None, LAST, 41, 0),
        ("schedule:round-active", "schedule", "0 7 * * *", lisbon, "on", DUE, LAST, 0, 0),
        ("schedule:round-paused", "schedule", "0 7 * * *", lisbon, "paused", None, None, 0, 0),
    ]
    assert runs == [(name, "something", "done") for name in ("capture", "heartbeat", "morning-brief", "route")]
    assert migrations()[-1].version > BEFORE
