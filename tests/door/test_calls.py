"""A call's way through the door."""

from __future__ import annotations


async def test_a_created_task_is_found_by_its_slug(hq):
    made = await hq.do("task.create", title="Call Ana", priority="now")

    shown = await hq.do("task.show", ref=made["slug"])

    assert shown["props"] == {"title": "Call Ana", "priority": "now", "status": "todo"}
    assert {link["edge"] for link in shown["links"]} == {"driven_by", "accountable"}


async def test_every_call_is_a_row_in_the_ledger_also_a_refused_one(hq):
    await hq.do("task.create", title="One")
    await hq.call("task.show", ref="nowhere")

    rows = await hq.do("action.list", reads=True)

    assert [(r["verb"], r["status"]) for r in rows["items"][:2]] == [("task.show", "refused"), ("task.create", "ok")]


async def test_the_result_contract_has_the_same_keys_for_success_and_failure(hq):
    good, bad = await hq.call("task.create", title="x"), await hq.call("task.show", ref="y")

    assert (
        set(good.as_dict())
        == set(bad.as_dict())
        == {
            "ok",
            "action",
            "data",
            "audit_event_id",
            "trace_id",
            "error",
            "sequence",
        }
    )
    assert (good.exit_code, bad.exit_code) == (0, 3)


async def test_a_wrong_token_is_refused_and_leaves_no_trace(hq):
    outcome = await hq.call("task.list", _token="hq_founder_nonsense")

    assert outcome.error["code"] == "unauthenticated"
    assert (await hq.do("action.list", reads=True))["items"][0]["verb"] != "task.list"


async def test_a_stranger_hears_only_that_whatever_else_is_wrong(hq):
    for args in ({}, {"title": ""}, {"titel": "x"}):
        assert (await hq.call("task.create", _token="nonsense", **args)).error["code"] == "unauthenticated"
    reader = (await hq.do("auth.token", agent="reader", scopes=["read"]))["token"]
    assert (await hq.call("task.create", titel="x", _token=reader)).error["code"] == "forbidden"


async def test_what_was_not_allowed_is_in_the_ledger_with_who_tried_and_why(hq):
    reader = (await hq.do("auth.token", agent="reader", scopes=["read"]))["token"]
    blind = (await hq.do("auth.token", agent="blind", scopes=["write"]))["token"]
    await hq.call("task.create", title="x", _token=reader, _reason="curious")
    await hq.call("task.list", _token=blind, _reason="to see")
    await hq.call("task.list", _token=reader, _actor="user:founder", _reason="pretending")

    rows = (await hq.do("action.list", reads=True, status="refused"))["items"]

    assert [(r["verb"], r["actor"], r["reason"]) for r in rows] == [
        ("task.list", "agent:reader", "pretending"),
        ("task.list", "agent:blind", "to see"),
        ("task.create", "agent:reader", "curious"),
    ]


async def test_the_same_key_acts_once(hq):
    first = await hq.call("task.create", title="Pay rent", _key="k1")
    again = await hq.call("task.create", title="Pay rent", _key="k1")

    assert again.replayed and again.data == first.data and again.action_id == first.action_id
    assert again.sequence == first.sequence
    assert len((await hq.do("task.list"))["items"]) == 1


async def test_the_same_key_with_other_arguments_is_a_conflict(hq):
    await hq.call("task.create", title="Pay rent", _key="k1")

    outcome = await hq.call("task.create", title="Pay tax", _key="k1")

    assert outcome.error["code"] == "idempotency_conflict"


async def test_the_same_words_are_the_same_arguments_also_once_they_name_something(hq):
    """A role of two words is a node by the time its hire is asked after."""
    await hq.do("agent.load")
    chief = await hq.agent("chief")
    wanted = {"name": "Rowan", "title": "Travel planner", "role": "travel planner", "_token": chief, "_key": "k1"}
    waiting = await hq.call("agent.hire", **wanted)
    await hq.do("approval.approve", ref=waiting.data["approval"])

    again = await hq.call("agent.hire", **wanted)

    assert again.ok and again.replayed and again.data["slug"] == "rowan", again.error


async def test_a_move_the_type_does_not_have_is_refused_and_says_which_there_are(hq):
    deal = await hq.do("engagement.create", name="Site")

    outcome = await hq.call("engagement.stage", ref=deal["slug"], to="delivery")

    assert outcome.error["code"] == "conflict"
    assert "proposal, partner, declined" in outcome.error["hint"]


async def test_text_that_cannot_be_stored_is_refused_with_the_field(hq):
    outcome = await hq.call("task.create", title="a\x00b")

    assert outcome.error["code"] == "invalid"
    assert "title" in outcome.error["message"]


async def test_nothing_is_half_done_when_a_call_fails_at_its_end(hq):
    entity = await hq.do("entity.create", name="Acme")

    outcome = await hq.call("task.create", title="Broken", owner=entity["slug"])

    assert outcome.error["code"] == "invalid"
    assert (await hq.do("task.list"))["items"] == []


async def test_an_external_id_is_taken_once(hq):
    await hq.do("contact.create", name="Ana", external="crm:17")

    outcome = await hq.call("contact.create", name="Ana again", external="crm:17")

    assert outcome.error["code"] == "conflict"


async def test_a_task_has_exactly_one_driver_and_a_new_one_takes_its_place(hq):
    ana = await hq.do("contact.create", name="Ana")
    task = await hq.do("task.create", title="Call", owner="founder")

    await hq.do("task.assign", ref=task["slug"], to=ana["slug"])
    refused = await hq.call("graph.unlink", source=task["slug"], edge="driven_by", target=ana["slug"])

    links = (await hq.do("task.show", ref=task["slug"]))["links"]
    assert [link["slug"] for link in links if link["edge"] == "driven_by"] == [ana["slug"]]
    assert refused.error["code"] == "conflict"


async def test_secrets_are_not_in_the_ledger(hq):
    issued = await hq.do("auth.token", device="phone")
    await hq.do("vault.set", name="api/key", value="sk-very-secret")

    rows = (await hq.do("action.list"))["items"]
    shown = [str(await hq.do("action.show", id=row["action"])) for row in rows]

    assert not any(issued["token"] in text or "sk-very-secret" in text for text in shown)


async def test_ref_is_the_name_of_the_thing_whatever_its_field_is_called(hq):
    await hq.do("agent.create", name="scout", role="Scout")
    session = (await hq.do("agent.send", agent="scout", text="Hi"))["session"]

    assert (await hq.do("session.show", ref=session))["agent"] == "scout"
    assert (await hq.do("agent.status", ref="scout")) == (await hq.do("agent.status", agent="scout"))
    text = await hq.call("memory.search", ref="what is no name")
    assert text.error["code"] == "invalid", "a text is no name"
    both = await hq.call("session.show", id=session, ref=session)
    assert both.error["code"] == "invalid"
