"""Reads as known at a sequence: the same as looking through all that was known, and no longer for what was said since."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import Any, LiteralString

import psycopg
import pytest
from psycopg import AsyncConnection

from hq.app import catalogue
from hq.graph.moment import FAR, AsOf
from hq.graph.store import Graph
from hq.graph.view import NodeFilter

# Every item, at every change point it has, as known at every call: the row that `version_at` gives, and by hand.
BY_HAND = """
with asked as (
    select i.item_id, p.valid_from as true_at, s.seq
      from (select distinct item_id from graph.versions where tenant_id = %(tenant)s) i
      join (select distinct item_id, valid_from from graph.versions where tenant_id = %(tenant)s) p using (item_id)
     cross join (select distinct seq from graph.versions where tenant_id = %(tenant)s) s
)
select count(*), count(*) filter (where found.key is distinct from right_one.key)
  from asked a
  left join lateral (select (v.valid_from, v.seq)::text as key
                       from graph.version_at(%(tenant)s, a.item_id, a.true_at, 'infinity', a.seq, '{}') v) found on true
  left join lateral (select (v.valid_from, v.seq)::text as key from graph.versions v
                      where v.tenant_id = %(tenant)s and v.item_id = a.item_id and v.seq <= a.seq
                      order by v.valid_from > a.true_at, case when v.valid_from > a.true_at then v.valid_from end,
                               v.valid_from desc, v.seq desc
                      limit 1) right_one on true
"""
LATER = """
insert into graph.versions (tenant_id, item_id, valid_from, seq, kind, recorded_at, op, actor, action_id, touched, patch, doc)
select v.tenant_id, v.item_id, v.valid_from + n * interval '1 second', v.seq + n, v.kind,
       v.recorded_at + n * interval '1 second', 'update', v.actor, v.action_id, v.touched, v.patch, v.doc
  from graph.versions v, generate_series(1, 3000) n
 where v.tenant_id = %(tenant)s and v.item_id = %(item)s
"""


def tenant_of(conn: psycopg.Connection, item: str) -> Any:
    row = conn.execute("select tenant_id from graph.versions where item_id = %s limit 1", [item]).fetchone()
    assert row is not None
    return row[0]


@pytest.mark.parametrize("seed", range(4))
async def test_what_was_known_at_any_call_is_what_looking_through_all_of_it_finds(hq, clock, seed):
    """Said late, said ahead, taken back, and by clocks that differ."""
    rng = random.Random(seed)
    tasks = [await hq.do("task.create", title=f"T{n}") for n in range(2)]
    made: list[str] = []
    for n in range(40):
        clock.advance(minutes=rng.choice([-4, 0, 1, 30, 600]))
        from_ = rng.choice([None, None, None, -3, -0.1, 0.2, 4])
        when = {} if from_ is None else {"valid_from": (clock.now() + timedelta(days=from_)).isoformat()}
        said = await hq.call("task.update", ref=rng.choice(tasks)["slug"], title=f"{rng.randrange(5)} {n}", **when)
        made += [str(said.action_id)] if said.ok else []
        if rng.random() < 0.15 and made:
            await hq.call("action.undo", id=rng.choice(made))

    with psycopg.connect(hq.address.url) as conn:
        asked, wrong = conn.execute(BY_HAND, {"tenant": tenant_of(conn, tasks[0]["id"])}).fetchone() or (0, 0)

    assert asked > 1000 and wrong == 0


class Looked(Graph):
    """Keeps how each read was answered."""

    plans: list[Any]

    async def _rows_of(self, query: LiteralString, values: Any) -> list[Any]:
        row = await (await self.conn.execute("explain (analyze, format json) " + query, values)).fetchone()
        assert row is not None
        self.plans.append(row[0][0]["Plan"])
        return []


def passed_over(plan: dict[str, Any]) -> float:
    """Rows that were fetched and were not wanted."""
    here = plan.get("Rows Removed by Filter", 0) * plan.get("Actual Loops", 1)
    return here + sum(passed_over(part) for part in plan.get("Plans", ()))


async def test_what_was_said_since_is_not_looked_at(own_hq):
    task = await own_hq.do("task.create", title="Hot")
    for n in range(20):
        await own_hq.do("task.create", title=f"Later {n}")
    with psycopg.connect(own_hq.address.url, autocommit=True) as owner:
        tenant = tenant_of(owner, task["id"])
        (seq,) = owner.execute("select seq from graph.versions where item_id = %s", [task["id"]]).fetchone() or (0,)
        owner.execute(LATER, {"tenant": tenant, "item": task["id"]})
        owner.execute("analyze graph.versions, graph.nodes")

    async with await AsyncConnection[Any].connect(own_hq.address.app_url) as conn:
        await conn.execute("select set_config('hq.tenant', %s, true)", [str(tenant)])
        now = datetime.now(UTC) + timedelta(days=999)
        graph = Looked(conn, catalogue(), now, None, AsOf(now, FAR, seq))
        graph.plans = []
        await graph.find(NodeFilter(ids=[task["id"]], types=["task"]))
        await graph.find(NodeFilter(types=["task"], limit=50))

    assert [passed_over(plan) < 50 for plan in graph.plans] == [True, True]
