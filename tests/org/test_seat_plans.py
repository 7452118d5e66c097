"""Seats in a large company: who sits where is looked up by index, whatever else there is and whoever sat there before."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from psycopg.rows import tuple_row

from hq.agents.owners import SQL as AGENTS
from hq.messages.addresses import ANY
from hq.messages.addresses import SQL as MESSAGES
from hq.org.authority import SQL as ORG

SEATS = 2_000
GROW = """
create temp table grown as
select i, gen_random_uuid() as agent, gen_random_uuid() as persona, gen_random_uuid() as seat, gen_random_uuid() as held
  from generate_series(1, %(seats)s) i;

insert into graph.nodes (tenant_id, id, type, slug, number, title, status, props, producer_id, valid_from, created_at,
                         updated_at, made_seq, seq, action_id)
select t.tenant_id, n.id, n.type, 'grown-' || n.type || '-' || i, 1000 + i, 'grown', n.status, '{"kind": "team"}', t.producer_id,
       t.valid_from, t.created_at, t.updated_at, t.made_seq, t.seq, t.action_id
  from (select * from graph.nodes where type = 'agent' limit 1) t
 cross join grown
 cross join lateral (values (agent, 'agent', 'active'), (persona, 'persona', 'active'), (seat, 'position', null),
                            (held, 'position_assignment', case when i %% 2 = 0 then 'active' else 'ended' end))
                    n (id, type, status);

insert into graph.edges (tenant_id, id, type, from_id, to_id, slot, live, valid_from, producer_id, created_at, updated_at,
                         made_seq, seq, action_id)
select t.tenant_id, gen_random_uuid(), e.type, e.source, e.target, true, true, t.valid_from, t.producer_id, t.created_at,
       t.updated_at, t.made_seq, t.seq, t.action_id
  from (select * from graph.edges where type = 'fills' limit 1) t
 cross join grown
 cross join lateral (values ('embodies', agent, persona), ('held_by', held, persona), ('fills', held, seat)) e (type, source, target);
analyze graph.nodes;
analyze graph.edges;
"""


@pytest.fixture
async def large(own_hq) -> Any:
    await own_hq.do("org.create", template="software-team")
    for name, seat in (("Robbo", 1), ("Gavin", 3), ("Forge", 5)):
        await own_hq.do("agent.hire", name=name, position_id=seat)
    with psycopg.connect(own_hq.address.url, autocommit=True, cursor_factory=psycopg.ClientCursor) as owner:
        owner.execute(GROW, {"seats": SEATS})
    return own_hq


@contextmanager
def asking(hq, tenant: str) -> Iterator[psycopg.Cursor[Any]]:
    """As the product: with its role, for one company."""
    with psycopg.connect(hq.address.app_url, row_factory=tuple_row) as conn, conn.cursor() as cursor:
        cursor.execute(
            "select set_config('hq.tenant', %s, true), set_config('hq.now', %s, true)", (tenant, str(hq.clock.now()))
        )
        yield cursor


def rows_read(plan: dict[str, Any]) -> float:
    """Rows that the plan fetched from tables, those that it threw away too."""
    own = plan["Actual Rows"] + plan.get("Rows Removed by Filter", 0) + plan.get("Rows Removed by Index Recheck", 0)
    mine = own * plan["Actual Loops"] if "Relation Name" in plan else 0
    return mine + sum(rows_read(each) for each in plan.get("Plans", ()))


async def test_a_seat_is_found_by_index_from_either_end(large):
    tenant = (await large.do("auth.whoami"))["tenant_id"]
    asked = {
        "sitting": (ORG["sitting"], {"agent": "forge"}),
        "leads": (AGENTS["leads"], {"agent": "robbo", "others": ["forge"]}),
        "belongs": (AGENTS["belongs"], {"agent": "forge", "organisation": tenant}),
        "place": (MESSAGES["place"], {"agent": "forge"}),
        "persona": (MESSAGES["personas"], {"persona": "pm-gavin-3"}),
    }
    with asking(large, tenant) as cursor:
        seat = cursor.execute("select id from graph.nodes where slug = 'developer-5'").fetchone()
        assert seat is not None
        asked["seat"] = (MESSAGES["seats"], {**ANY, "ids": [seat[0]]})
        for name, (query, values) in asked.items():
            answer = cursor.execute("explain (analyze, format json) " + query, values).fetchone()
            assert answer is not None
            assert (read := rows_read(answer[0][0]["Plan"])) < 200, f"{name} read {read:.0f} rows"
