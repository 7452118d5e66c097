"""What is looked up over and over costs the same in a large company as in a small one, on a connection that knew both."""

from __future__ import annotations

import psycopg
import pytest
from psycopg import AsyncConnection

from hq.app import catalogue
from hq.engine.announcer import Announcer
from hq.graph.search.index_writer import index_batch
from hq.stream.event import SQL

CALLS = 3_000
GROW = """
insert into ops.agent_actions (tenant_id, seq, id, actor, principal_id, trace_id, action_type, kind, input_hash,
                               output_hash, status, duration_ms, created_at)
select tenant_id, nextval('ops.seq'), gen_random_uuid(), actor, principal_id, trace_id, action_type, kind, input_hash,
       output_hash, status, duration_ms, created_at
  from (select * from ops.agent_actions where kind = 'write' limit 1) a, generate_series(1, %(calls)s);

insert into ops.outbox (tenant_id, seq, ordinal, topic, action_id, payload, created_at)
select a.tenant_id, a.seq, 1, 'bench.ticked', a.id, '{}', a.created_at from ops.agent_actions a
 where not exists (select 1 from ops.outbox o where o.tenant_id = a.tenant_id and o.seq = a.seq);

insert into graph.versions (tenant_id, item_id, valid_from, seq, kind, recorded_at, op, actor, action_id, touched, patch, doc)
select a.tenant_id, gen_random_uuid(), a.created_at, a.seq, 'node', a.created_at, 'insert', a.actor, a.id, '{}', '{}', '{}'
  from ops.agent_actions a
 where not exists (select 1 from graph.versions v where v.tenant_id = a.tenant_id and v.seq = a.seq);
"""
READ = """
select coalesce(sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)), 0) from pg_stat_xact_user_tables
 where schemaname || '.' || relname in ('ops.agent_actions', 'ops.outbox', 'graph.versions')
"""


async def _line(conn: AsyncConnection) -> int:
    row = await (await conn.execute("select chained from ops.announcer")).fetchone()
    assert row is not None
    return row[0]


async def _follow(hq, announcer: Announcer, conn: AsyncConnection) -> None:
    """One call, announced, indexed and told of."""
    behind = await _line(conn)
    await hq.do("task.create", title="Call Ana")
    while await _line(conn) <= behind:
        await announcer.run_once(conn)
    while await index_batch(conn, catalogue(), hq.clock.now()):
        pass
    tenant = (await hq.do("auth.whoami"))["tenant_id"]
    wanted = {"tenant": tenant, "seq": behind, "ordinal": 32767, "line": await _line(conn), "topics": "", "limit": 500}
    rows = await (await conn.execute(SQL["events_after"], wanted)).fetchall()
    assert "task.created" in {row[2] for row in rows}


@pytest.mark.slow
async def test_following_reads_only_what_is_new_on_a_connection_that_knew_the_tables_small(own_hq):
    announcer = Announcer(own_hq.address.app_url, own_hq.clock)
    async with await AsyncConnection.connect(own_hq.address.app_url, autocommit=True, prepare_threshold=1) as conn:
        for _ in range(10):  # often enough for the server to keep a plan
            await _follow(own_hq, announcer, conn)
        with psycopg.connect(own_hq.address.url, autocommit=True, cursor_factory=psycopg.ClientCursor) as owner:
            owner.execute(GROW, {"calls": CALLS})
            last = "(select max(seq) from ops.agent_actions)"
            owner.execute(f"update ops.announcer set chained = {last}, watermark = {last}")
            owner.execute(f"update graph.indexer set indexed = {last}")
        await own_hq.do("task.create", title="Call Bruno")
        tenant = (await own_hq.do("auth.whoami"))["tenant_id"]
        line = await _line(conn)
        async with conn.transaction(force_rollback=True):
            drawn = await (await conn.execute("select drawn from ops.horizon(0)")).fetchone()
            assert drawn is not None
            await conn.execute("select ops.announce(%s, %s, %s)", [drawn[0], 1000, own_hq.clock.now()])
            await index_batch(conn, catalogue(), own_hq.clock.now())
            wanted = {"tenant": tenant, "seq": line, "ordinal": 32767, "line": drawn[0], "topics": "", "limit": 500}
            await conn.execute(SQL["events_after"], wanted)
            read = await (await conn.execute(READ)).fetchone()

    assert read is not None
    assert read[0] < CALLS / 5  # what the calls before read may be counted too
