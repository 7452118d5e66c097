"""Every part of a search finds its way by an index, as the product's role, for a large and for a small company."""

from __future__ import annotations

import psycopg
import pytest

from hq.app import open_door
from hq.graph.search.service import Embedders
from tests.support.company import Hq
from tests.support.searching import catch_up, slugs

ROWS = 30_000  # enough that the planner would not read them all by choice
TABLES = ["nodes", "passages", "postings", "contexts"]
FILL = """
insert into graph.nodes (tenant_id, id, type, slug, title, occurred_at, props, producer_id, valid_from, created_at,
                         updated_at, made_seq, seq, action_id)
select n.tenant_id, gen_random_uuid(), 'memo', 'filler-' || k, 'Filler ' || k, n.created_at + k * interval '1 second',
       '{"title": "Filler", "content_md": "x"}', n.producer_id, n.valid_from, n.created_at, n.created_at, 1, 1, n.action_id
  from graph.nodes n, generate_series(1, %(rows)s) k where n.slug = 'the-real-one';

insert into graph.passages (tenant_id, source_id, whole, part, hash, body, language, length, thread, at, past, known_from)
select n.tenant_id, n.id, decode(md5(n.slug), 'hex'), 0, decode(md5(n.slug), 'hex'),
       'common filler text number ' || n.slug, 'english', 5, n.tenant_id, n.occurred_at, false, n.created_at
  from graph.nodes n where n.slug like 'filler-%%';

insert into graph.postings
select p.tenant_id, false, graph.term('english', w.word), p.id, 1, 5
  from graph.passages p
 cross join lateral unnest(array['common', 'filler', 'w' || p.id %% 1000, 'x' || p.id %% 10]) w(word)
 where p.body like 'common filler%%';

insert into graph.terms
select p.tenant_id, p.term, count(*) from graph.postings p group by p.tenant_id, p.term
on conflict (tenant_id, term) do update set df = excluded.df;

insert into graph.contexts
select p.tenant_id, (select id from graph.models), p.id,
       l2_normalize(array(select (random() - 0.5 + 0 * p.id)::real from generate_series(1, 256))::vector)::halfvec
  from graph.passages p where p.body like 'common filler%%' and p.id %% 10 = 0;

insert into graph.embedded as e
select c.tenant_id, c.model, count(*) from graph.contexts c group by c.tenant_id, c.model
on conflict (tenant_id, model) do update set vectors = excluded.vectors;

select graph.embedded_upto((select id from graph.models), (select max(id) from graph.passages));

insert into graph.corpora as c values ((select tenant_id from graph.nodes where slug = 'the-real-one'), 'english', %(rows)s, 5 * %(rows)s)
on conflict (tenant_id, language) do update set passages = c.passages + excluded.passages;
"""


def scans(hq: Hq) -> dict[str, int]:
    """How often each table was read from end to end. Counts what sessions did that have ended."""
    with psycopg.connect(hq.address.url) as conn:
        rows = conn.execute(
            "select relname, seq_scan from pg_stat_user_tables where schemaname = 'graph' and relname = any(%s)",
            [TABLES],
        )
        return dict(rows.fetchall())


@pytest.mark.slow
async def test_no_search_reads_a_table_from_end_to_end(own_hq, tmp_path):
    small = await own_hq.tenant()
    await own_hq.do("memo.create", title="The real one", content_md="quartz")
    await own_hq.do("task.create", title="The rare one", description="common filler " + "among much else " * 20, tags=["rare"],
                    valid_from="2000-01-01")  # fmt: skip
    await own_hq.do("task.complete", ref="the-rare-one")
    await own_hq.do("memo.create", title="The small one", content_md="common quartz", _token=small)
    await catch_up(own_hq)
    with psycopg.connect(own_hq.address.url, autocommit=True, cursor_factory=psycopg.ClientCursor) as owner:
        owner.execute(FILL, {"rows": ROWS})
        for table in TABLES:
            owner.execute(f"vacuum (analyze) graph.{table}")
    before = scans(own_hq)

    async with open_door(own_hq.address, vault_file=tmp_path / "key", clock=own_hq.clock, pool_size=1) as door:
        door.services[Embedders] = own_hq.door.services[Embedders]
        hq = Hq(door, own_hq.address, own_hq.token, own_hq.clock)
        for _ in range(8):  # often enough for the server to settle on a plan of its own for any values
            assert (await slugs(hq, "quartz"))[0] == "the-real-one"
            assert (await slugs(hq, "quartz", _token=small))[0] == "the-small-one"
            assert (await slugs(hq, "common", _token=small))[0] == "the-small-one"
            for more in (
                {},
                {"type": ["memo"]},
                {"status": "open"},
                {"since": "1d"},
                {"_at": "1m"},
                {"archived": True},
            ):
                await hq.do("graph.search", query="common filler w17 x3 quarts", **more)

        # Few pass these filters, and none of those is among the best of all.
        for more in (
            {"status": "done"},
            {"tag": ["rare"]},
            {"until": "2000-01-02"},
            {"status": "done", "tag": ["rare"]},
        ):
            found = await hq.do("graph.search", query="common filler", mode="words", **more)
            assert [row["slug"] for row in found["items"]] == ["the-rare-one"], more
            assert found["notes"] == []
        wide = await hq.do("graph.search", query="quartz", mode="words", type=["memo"])
        assert [row["slug"] for row in wide["items"]] == ["the-real-one"]
        assert "only the best" in wide["notes"][0]

    after = scans(own_hq)
    assert {table: after[table] - before[table] for table in after if after[table] != before[table]} == {}
