"""The ledger proves itself: an unbroken chain over every call, and a single changed byte is found."""

from __future__ import annotations

import asyncio

import psycopg
import pytest

from hq.engine.announcer import Announcer, WatermarkFinder


async def announce(hq) -> None:
    """Until every call so far is linked; transactions of other tests on the same server may hold it up for a moment."""
    async with await psycopg.AsyncConnection.connect(hq.address.app_url, autocommit=True) as conn:
        announcer = Announcer(hq.address.app_url, hq.clock)
        drawn = (await (await conn.execute("select drawn from ops.horizon(9e18::bigint)")).fetchone())[0]
        while (await (await conn.execute("select chained from ops.announcer")).fetchone())[0] < drawn:
            await announcer.run_once(conn)


@pytest.fixture
async def busy(own_hq):
    """A company that did a few things, all of them linked."""
    for n in range(5):
        await own_hq.do("task.create", title=f"Task {n}", _reason="because")
    await own_hq.do("task.complete", ref="task-1")
    await own_hq.call("task.show", ref="nowhere")
    await announce(own_hq)
    return own_hq


async def test_an_untouched_ledger_is_intact_and_complete(busy):
    found = await busy.do("ledger.verify")

    assert found["intact"] and found["waiting"] == 0 and found["links"] >= 7


TAMPERING = [
    "update ops.agent_actions set reason = 'becausf' where action_type = 'task.complete' or reason = 'because'",
    "update ops.agent_actions set input = jsonb_set(input, '{title}', '\"Task 9\"') where action_type = 'task.create'",
    "update ops.agent_actions set output = output || '{\"x\": 1}' where action_type = 'task.create'",
    "update ops.agent_actions set status = 'ok' where status = 'refused'",
    "update ops.agent_actions set created_at = created_at + interval '1 microsecond' where action_type = 'task.complete'",
    "delete from ops.agent_actions where action_type = 'task.complete'",
    "update graph.versions set doc = jsonb_set(doc, '{title}', '\"Task O\"') where doc ->> 'title' = 'Task 0'",
    "update graph.versions set actor = 'user:foundes'",
    "delete from graph.versions where doc ->> 'title' = 'Task 3'",
    "update ops.outbox set payload = payload || '{\"slug\": \"other\"}' where topic = 'task.completed'",
    "delete from ops.ledger where position = 3",
    "update graph.nodes set props = props || '{\"title\": \"Task 9\"}' where slug = 'task-0'",
    "update ops.agent_actions set erased_at = now(), input = '{}' where action_type = 'task.complete'",
    "update ops.outbox set action_id = gen_random_uuid() where topic = 'task.completed'",
    "update ops.ledger set digest = sha256(digest) where position = 2",
    "update ops.ledger set chain = sha256(chain) where position = 4",
    "insert into graph.versions (tenant_id, item_id, valid_from, seq, kind, recorded_at, op, actor, reason, action_id, touched,"
    " patch, doc) select tenant_id, item_id, valid_from, 0, kind, recorded_at, op, actor, reason, action_id, touched, patch, doc"
    " from graph.versions limit 1",
]


@pytest.mark.parametrize("change", TAMPERING)
async def test_a_single_changed_byte_is_found(busy, change):
    async with await psycopg.AsyncConnection.connect(busy.address.url, autocommit=True) as conn:
        changed = await conn.execute(change)
        assert changed.rowcount

    found = await busy.do("ledger.verify")

    assert not found["intact"] and found["faults"]


async def test_a_head_noted_down_proves_that_nothing_was_cut_off(busy):
    head = (await busy.do("ledger.verify"))["head"]
    assert (await busy.do("ledger.verify", head=head))["intact"]
    async with await psycopg.AsyncConnection.connect(busy.address.url, autocommit=True) as conn:
        cut = "seq > (select min(seq) + 2 from ops.ledger)"
        for table in ("ops.ledger", "ops.outbox", "graph.versions", "ops.agent_actions"):
            await conn.execute(f"delete from {table} where {cut}")  # type: ignore[arg-type]

    found = await busy.do("ledger.verify", head=head)

    assert "cut off" in found["faults"][-1]["fault"]


async def test_erasing_a_payload_keeps_the_chain(busy):
    async with await psycopg.AsyncConnection.connect(busy.address.url, autocommit=True) as conn:
        await conn.execute(
            "update ops.agent_actions set input = null, output = null, erased_at = now() where action_type = 'task.complete'"
        )

    assert (await busy.do("ledger.verify"))["intact"]


async def test_each_company_has_a_chain_of_its_own(busy):
    other = await busy.tenant()
    await busy.do("task.create", title="x", _token=other)
    await announce(busy)

    assert (await busy.do("ledger.verify", _token=other))["links"] == 2
    assert (await busy.do("ledger.verify"))["intact"]


def test_the_watermark_waits_for_every_call_that_was_under_way():
    horizon = WatermarkFinder()

    assert horizon.look(drawn=10, upper=100, lower=95) == 0
    assert horizon.look(drawn=12, upper=104, lower=99) == 0
    assert horizon.look(drawn=12, upper=None, lower=101) == 10
    assert horizon.look(drawn=12, upper=None, lower=106) == 12
    assert not horizon.unsettled


async def test_no_call_is_left_out_of_the_chain_however_many_run_at_once(own_hq):
    announcer = Announcer(own_hq.address.app_url, own_hq.clock)
    running = asyncio.create_task(announcer.run())
    try:
        for _ in range(6):
            await asyncio.gather(*(own_hq.do("task.create", title=f"T{n}") for n in range(16)))
        await announce(own_hq)
    finally:
        running.cancel()

    found = await own_hq.do("ledger.verify")

    assert found["intact"], found["faults"]
    assert found["links"] >= 97
