"""A query as of a moment shows what the verbs show as of that moment: as a law over random histories."""

from __future__ import annotations

import random
from datetime import timedelta

import pytest

LIVE = "select slug, priority from project order by created_at desc, id desc"
LINKS = (
    "select t.slug from links l join nodes f on f.id = l.from_id join nodes t on t.id = l.to_id"
    " where l.type = 'depends_on' and f.slug = $1 and t.archived_at is null order by t.slug"
)


async def some_life(hq, chance: random.Random, slugs: list[str], calls: list[str]) -> None:
    """One random change: now, late or planned; possibly one that is refused."""
    days = chance.choice([None, None, -9, -3, 2, 6])
    since = None if days is None else (hq.clock.now() + timedelta(days=days)).isoformat()
    slug, other = (chance.choice(slugs), chance.choice(slugs)) if slugs else ("", "")
    priority = chance.choice(["focus", "now", "next", "backlog"])
    what = chance.choice(
        ["create", "update", "archive", "restore", "link", "unlink", "undo", "wait"] if slugs else ["create"]
    )
    match what:
        case "create":
            made = await hq.do("project.create", name="P", priority=priority, valid_from=since)
            slugs.append(made["slug"])
        case "update":
            outcome = await hq.call("project.update", ref=slug, priority=priority, valid_from=since)
            calls.append(str(outcome.action_id))
        case "archive" | "restore":
            await hq.call(f"project.{what}", ref=slug)
        case "link" | "unlink":
            await hq.call(f"graph.{what}", source=slug, edge="depends_on", target=other, valid_from=since)
        case "undo" if calls:
            await hq.call("action.undo", id=chance.choice(calls))
        case _:
            hq.clock.advance(hours=chance.randint(1, 80))


async def seen_by_verbs(hq, slugs: list[str], **moment: str) -> tuple:
    listed = (await hq.do("project.list", limit=200, **moment))["items"]
    links = {}
    for slug in slugs:
        shown = await hq.call("project.show", ref=slug, **moment)
        found = (
            [x for x in shown.data["links"] if x["edge"] == "depends_on" and x["direction"] == "to"] if shown.ok else []
        )
        links[slug] = sorted(link["slug"] for link in found)
    return [{"slug": item["slug"], "priority": item["priority"]} for item in listed], links


async def seen_by_sql(hq, slugs: list[str], **moment: str) -> tuple:
    listed = (await hq.do("sql.query", query=LIVE, **moment))["items"]
    links = {}
    for slug in slugs:
        found = (await hq.do("sql.query", query=LINKS, params=[slug], **moment))["items"]
        links[slug] = [link["slug"] for link in found]
    return listed, links


@pytest.mark.parametrize("seed", range(6))
async def test_sql_and_verbs_agree_on_now_and_on_every_moment(hq, seed):
    chance, slugs, calls, moments = random.Random(seed), [], [], []
    for step in range(24):
        await some_life(hq, chance, slugs, calls)
        if step % 6 == 5:
            assert await seen_by_sql(hq, slugs) == await seen_by_verbs(hq, slugs)
            outcome = await hq.call("project.list")
            moments += [{"_at": outcome.sequence}, {"_at": hq.clock.now().isoformat()},
                        {"_at": "2d", "_known_at": outcome.sequence}, {"_at": "1d", "_known_at": "now"}]  # fmt: skip
    hq.clock.advance(days=1)

    for moment in chance.sample(moments, 6):
        assert await seen_by_sql(hq, slugs, **moment) == await seen_by_verbs(hq, slugs, **moment), moment


async def test_a_planned_change_shows_in_the_very_call_after_its_moment(hq, clock):
    """The call itself lets it show, and has not ended when the query runs beside it."""
    await hq.do("project.create", name="Site", priority="next")
    later = (clock.now() + timedelta(days=1)).isoformat()
    await hq.do("project.update", ref="site", priority="focus", valid_from=later)
    clock.advance(days=2)

    assert (await hq.do("sql.query", query="select priority from project"))["items"] == [{"priority": "focus"}]


async def test_the_ledger_the_events_and_the_history_show_what_was_there_then(hq, clock):
    await hq.do("memo.create", title="One", content_md="x")
    before = clock.now().isoformat()
    clock.advance(hours=1)
    await hq.do("memo.update", ref="one", content_md="y")
    queries = {
        "select count(*)::int as n from actions where verb like 'memo.%'": (1, 2),
        "select count(*)::int as n from events where topic like 'memo.%'": (1, 2),
        "select count(*)::int as n from history h join nodes m on m.id = h.node_id where m.type = 'memo'": (1, 2),
    }

    for query, (then, now) in queries.items():
        assert (await hq.do("sql.query", query=query, _at=before))["items"] == [{"n": then}], query
        assert (await hq.do("sql.query", query=query))["items"] == [{"n": now}], query


async def test_a_query_sees_exactly_what_its_sequence_names(hq):
    """It runs in a session of its own, in the snapshot of the call: a write in between is in neither or in both."""
    await hq.do("memo.create", title="One", content_md="x")
    first = await hq.call("sql.query", query="select slug from memo order by slug")
    await hq.do("memo.create", title="Two", content_md="x")

    again = await hq.call("sql.query", query="select slug from memo order by slug", _at=first.sequence)

    assert again.data["items"] == first.data["items"] == [{"slug": "one"}]


async def test_the_plan_of_a_look_up_uses_the_tenants_index_now_and_then(own_hq):
    hq = own_hq
    for query in ("select * from task where slug = 'x'", "select * from links where from_id = gen_random_uuid()"):
        for moment in ({}, {"_at": "1d"}):
            plan = await hq.do("sql.query", query=f"explain {query}", **moment)
            text = "\n".join(line["plan"] for line in plan["items"])
            assert "Index" in text or "Bitmap" in text, text
