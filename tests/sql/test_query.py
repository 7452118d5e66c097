"""`hq sql`: what it answers, how it is limited, and that it shows the same as the verbs do."""

from __future__ import annotations

from hq.app import catalogue
from hq.sql import views


async def ask(hq, query: str, *params, **more):
    return await hq.call("sql.query", query=query, params=list(params), **more)


async def rows(hq, query: str, *params, **more) -> list[dict]:
    outcome = await ask(hq, query, *params, **more)
    assert outcome.ok, outcome.error
    return outcome.data["items"]


async def test_a_type_is_a_view_with_its_properties_as_columns(hq):
    await hq.do("task.create", title="Call Ana", priority="now", estimate_minutes=20, tags=["phone"])

    found = await rows(hq, "select title, status, priority, estimate_minutes + 1 as more, tags from task")

    assert found == [{"title": "Call Ana", "status": "todo", "priority": "now", "more": 21, "tags": ["phone"]}]


async def test_columns_come_with_their_types_and_keep_their_order_and_names(hq):
    outcome = await ask(hq, "select 1 as a, 'x' as b, 2.5 as a, null as c, array[1,2] as d, now() is null as e")

    assert outcome.data["items"] == [{"a": 1, "b": "x", "a_2": 2.5, "c": None, "d": [1, 2], "e": False}]
    assert [column["type"] for column in outcome.data["columns"]][:3] == ["int4", "text", "numeric"]


async def test_what_links_two_things_can_be_joined(hq):
    await hq.do("entity.create", name="Acme")
    await hq.do("project.create", name="Site")
    await hq.do("graph.link", source="site", edge="related_to", target="acme")

    found = await rows(
        hq,
        "select f.slug as source, l.type, t.slug as target from links l join nodes f on f.id = l.from_id"
        " join nodes t on t.id = l.to_id where l.type = $1", "related_to",
    )  # fmt: skip

    assert found == [{"source": "site", "type": "related_to", "target": "acme"}]


async def test_history_actions_and_events_can_be_asked(hq):
    await hq.do("task.create", title="Call Ana", _reason="She waits")
    await hq.do("task.complete", ref="call-ana")

    history = await rows(hq, "select h.op, h.reason from hq.history h join nodes n on n.id = h.node_id"
                             " where n.slug = 'call-ana' order by h.version")  # fmt: skip
    calls = await rows(hq, "select verb from actions where kind = 'write' and verb like 'task.%' order by sequence")
    said = await rows(hq, "select topic from events where topic like 'task.%' order by sequence, ordinal")

    assert history == [{"op": "insert", "reason": "She waits"}, {"op": "update", "reason": ""}]
    assert [call["verb"] for call in calls] == ["task.create", "task.complete"]
    assert [event["topic"] for event in said] == ["task.created", "task.completed"]


async def test_archived_and_ended_things_are_nodes_but_not_in_the_view_of_their_type(hq, clock):
    await hq.do("memo.create", title="Old", content_md="x")
    await hq.do("memo.create", title="New", content_md="x")
    await hq.do("memo.archive", ref="old")

    assert await rows(hq, "select slug from memo") == [{"slug": "new"}]
    assert await rows(hq, "select slug, live from nodes where type = 'memo' order by slug") == [
        {"slug": "new", "live": True},
        {"slug": "old", "live": False},
    ]


async def test_values_come_as_parameters_of_whatever_type_is_wanted(hq):
    found = await rows(hq, "select $1::int + 1 as n, $2::boolean as b, $3 as t, $4::date as d, $5::text as nothing",
                       41, True, "it's; drop table", "2026-01-02", None)  # fmt: skip

    assert found == [{"n": 42, "b": True, "t": "it's; drop table", "d": "2026-01-02", "nothing": None}]


async def test_rows_beyond_the_limit_are_left_out_and_it_says_so(hq):
    outcome = await ask(hq, "select n from generate_series(1, 5000) n order by n desc", limit=3)

    assert [row["n"] for row in outcome.data["items"]] == [5000, 4999, 4998]
    assert "--limit" in outcome.data["note"]
    assert "note" not in (await ask(hq, "select 1 as n", limit=1)).data


async def test_the_default_limit_is_a_thousand_rows(hq):
    assert len(await rows(hq, "select n from generate_series(1, 5000) n")) == 1000


async def test_a_result_that_is_too_large_is_cut_and_says_so(hq):
    many = await ask(hq, "select repeat('x', 500000) as text from generate_series(1, 100)")
    one = await ask(hq, "select 1 as text union all select length(repeat('x', 2)) union all select 3")
    huge = await ask(hq, "select repeat('x', 50000000) as text")

    assert 5 < len(many.data["items"]) < 20 and "8388608 bytes" in many.data["note"]
    assert huge.data["items"] == [] and "a row is larger" in huge.data["note"]
    assert one.data["items"] == [{"text": 1}, {"text": 2}, {"text": 3}]


async def test_a_query_that_takes_too_long_is_cancelled_and_says_so(hq):
    outcome = await ask(hq, "select count(*) from generate_series(1, 100000000) a, generate_series(1, 100) b",
                        seconds=0.2)  # fmt: skip

    assert outcome.error["code"] == "invalid"
    assert "took longer than 0.2 s and was cancelled" in outcome.error["message"]


async def test_a_plan_can_be_asked_for(hq):
    plan = await rows(hq, "explain select * from task where slug = 'x'")

    assert any("graph.nodes" in line["plan"] or "nodes" in line["plan"] for line in plan)


async def test_a_mistake_is_explained_with_its_place(hq):
    name = await ask(hq, "select title\n  from tusk")
    syntax = await ask(hq, "select from where")
    open_end = await ask(hq, "select * from")
    value = await ask(hq, "select 1 / (n - n) as x from generate_series(1, 3) n")

    assert name.error["message"] == 'relation "tusk" does not exist (line 2, column 8)'
    assert "hq sql schema" in name.error["hint"]
    assert "(line 1, column 13)" in syntax.error["message"]
    assert open_end.error["message"].startswith("syntax error at end of input")
    assert value.error["message"] == "division by zero"


async def test_odd_values_have_a_form_in_json(hq):
    found = await rows(hq, "select 'infinity'::timestamptz as t, 'nan'::float8 as f, '\\x00ff'::bytea as b,"
                           " interval '1 day' as i, '{\"a\": [1]}'::jsonb as j, 12345678901234567890 as n")  # fmt: skip

    assert found == [
        {"t": "infinity", "f": "NaN", "b": "\\x00ff", "i": "1 day", "j": {"a": [1]}, "n": 12345678901234567890}
    ]


async def test_comments_semicolons_and_parentheses_do_no_harm(hq):
    for query in ("select 1 as n;", "-- why\nselect 1 as n -- so", "/* a */ select 1 as n", "(select 1 as n)",
                  "with x as (select 1 as n) table x", "values (1)"):  # fmt: skip
        assert [list(row.values()) for row in await rows(hq, query)] == [[1]], query


async def test_the_schema_lists_views_and_columns(hq):
    views = (await hq.do("sql.schema"))["items"]
    columns = (await hq.do("sql.schema", view="task"))["items"]
    wrong = await hq.call("sql.schema", view="tasc")

    assert {"nodes", "links", "history", "actions", "events", "task", "contact"} <= {view["view"] for view in views}
    assert {"column": "due", "type": "timestamp with time zone"} in columns
    assert "did you mean 'task'" in wrong.error["message"]


async def test_every_view_of_every_type_can_be_read_now_and_in_the_past(hq):
    for view in (await hq.do("sql.schema"))["items"]:
        assert (await ask(hq, f'select * from hq."{view["view"]}"')).ok
        assert (await ask(hq, f'select * from hq."{view["view"]}"', _at="1d")).ok


async def test_a_query_is_in_the_ledger_and_has_a_sequence(hq):
    outcome = await ask(hq, "select 1 as n")

    call = await hq.do("action.show", id=str(outcome.action_id))
    assert call["input"] == {"query": "select 1 as n"} and call["output"] == {"count": 1}
    assert outcome.sequence


def test_the_views_are_those_of_the_catalogue():
    """`make docs` writes them anew."""
    assert views.FILE.read_text("utf-8") == views.written(catalogue())
