"""Why something is so: who said it, from what evidence, and what outside words it rests on."""

from __future__ import annotations


async def test_why_names_who_said_what_and_for_what_reason(hq):
    chief = await hq.agent()
    await hq.do("project.create", name="Site", priority="next")
    await hq.do("project.update", ref="site", priority="now", _token=chief, _reason="the customer asked")

    because = (await hq.do("graph.why", ref="site"))["because"]

    newest = next(b for b in because if "priority" in b["said"])
    assert (newest["actor"], newest["reason"], newest["verb"]) == (
        "agent:chief",
        "the customer asked",
        "project.update",
    )


async def test_why_walks_the_evidence(hq):
    await hq.do("contact.create", name="Ana")
    await hq.do("interaction.log", channel="email", subject="Please call", from_="ana")
    await hq.do("task.create", title="Call Ana")
    await hq.do("graph.link", source="call-ana", edge="spawned_from", target="please-call")

    evidence = (await hq.do("graph.why", ref="call-ana"))["evidence"]

    assert [(e["edge"], e["slug"]) for e in evidence] == [("spawned_from", "please-call")]
    assert evidence[0]["tainted_by"] == ["email"]


async def test_why_of_a_call_walks_up_to_the_call_it_came_from(hq):
    chief = await hq.agent()
    await hq.do("entity.create", name="A", slug="a")
    await hq.do("entity.create", name="B", slug="b")
    waiting = await hq.call("entity.merge", loser="a", into="b", _token=chief)
    done = (await hq.do("approval.approve", ref=waiting.data["approval"]))["result"]

    because = (await hq.do("graph.why", ref=done["audit_event_id"]))["because"]

    assert [step["verb"] for step in because] == ["entity.merge", "approval.approve"]


async def test_outside_words_are_marked_and_the_mark_follows_what_they_influence(hq):
    await hq.do("interaction.log", channel="email", subject="Hello")
    outside = await hq.do("graph.describe", ref="hello")
    await hq.do("task.create", title="Mine")
    await hq.do("graph.link", source="mine", edge="spawned_from", target="hello")
    copied = await hq.do("interaction.update", ref="hello", summary_md="They say hello")

    assert outside["taint"] == ["email"]
    assert (await hq.do("graph.describe", ref=copied["slug"]))["taint"] == ["email"]
    assert (await hq.do("task.show", ref="mine"))["taint"] == []


async def test_what_is_written_on_tainted_grounds_is_tainted(hq):
    await hq.call("memo.create", title="Digest", content_md="…", _taint=frozenset({"web"}))

    assert (await hq.do("memo.show", ref="digest"))["taint"] == ["web"]


async def test_every_fact_names_its_producer(hq):
    chief = await hq.agent()
    await hq.do("task.create", title="x", _token=chief)

    assert (await hq.do("graph.describe", ref="x"))["producer"] == "agent-chief"
    health = {row["slug"]: row for row in (await hq.do("producer.health"))["items"]}
    assert health["agent-chief"]["nodes_24h"] == 1


async def test_a_producer_that_should_have_been_heard_from_is_silent(hq, clock):
    await hq.do("producer.create", name="email:sales", kind="conversation_channel", expected_every_minutes=5)

    clock.advance(minutes=10)

    assert (await hq.do("producer.health", ref="email-sales"))["items"][0]["state"] == "silent"


async def test_the_timeline_shows_what_happened_newest_first(hq, clock):
    await hq.do("entity.create", name="Acme")
    for n, kind in enumerate(["milestone", "action"]):
        clock.advance(hours=1)
        await hq.do("event.create", kind=kind, summary=f"E{n}", about="acme")
    clock.advance(hours=1)
    await hq.do("event.create", kind="action", summary="Elsewhere")

    items = (await hq.do("graph.timeline", entity="acme"))["items"]

    assert [item["title"] for item in items] == ["E1", "E0"]


async def test_history_says_how_long_something_was_believed(hq, clock):
    await hq.do("fact.assert", subject="Ana", relation="city", value="Oslo", valid_from="2025-01-01")
    clock.advance(days=3)
    await hq.do("fact.assert", subject="Ana", relation="city", value="Lisbon", valid_from="2025-01-01")

    newest, oldest = (await hq.do("graph.history", ref="ana-city"))["items"]

    assert oldest["believed_until"] == newest["believed_from"] and newest["believed_until"] is None
    assert oldest["said"]["value"] == "Oslo"


async def test_a_thing_is_found_by_name_mistakes_are_pointed_at(hq):
    await hq.do("project.create", name="Site")

    wrong_type = await hq.call("task.show", ref="site")
    unknown_edge = await hq.call("graph.link", source="site", edge="depend_on", target="site")

    assert wrong_type.error["message"] == "a task is wanted here, 'site' is a project"
    assert "did you mean 'depends_on'" in unknown_edge.error["message"]


async def test_two_things_of_one_name_get_two_slugs_that_never_change(hq):
    first, second = (
        await hq.do("memo.create", title="Week", content_md="a"),
        await hq.do("memo.create", title="Week", content_md="b"),
    )
    await hq.do("memo.update", ref=first["slug"], title="Month")

    assert (first["slug"], second["slug"]) == ("week", "week-2")
    assert (await hq.do("memo.show", ref="week"))["title"] == "Month"


async def test_pages_of_a_list_follow_each_other(hq, clock):
    for n in range(5):
        clock.advance(seconds=1)
        await hq.do("memo.create", title=f"M{n}", content_md="x")

    first = await hq.do("memo.list", limit=3)
    second = await hq.do("memo.list", limit=3, after=first["next"])

    assert [r["title"] for r in first["items"] + second["items"]] == ["M4", "M3", "M2", "M1", "M0"]
    assert "next" not in second
