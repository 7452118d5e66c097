"""`hq sql`: what it answers, how it is limited, and that it shows the same as the verbs do."""

from __future__ import annotations


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
