"""Organisations are apart: nobody gives work to an agent of another, but who leads the company, or them."""

from __future__ import annotations

from typing import Any

import pytest

from hq.app import registry


@pytest.fixture
async def two(hq):
    """Ann and bob work here, eve elsewhere; nobody works nowhere in particular. Each has a mission to give."""
    await hq.do("agent.load")
    here = (await hq.do("org.create", name="Here", purpose="Work"))["slug"]
    there = (await hq.do("org.create", name="There", purpose="Work"))["slug"]
    for name, home in (("ann", here), ("bob", here), ("eve", there), ("nobody", None)):
        await hq.do("agent.create", name=name, role="Writer of letters")
        if home:
            await hq.do("graph.link", source=name, edge="in_organisation", target=home)
    return hq


@pytest.fixture
async def there(two) -> str:
    return next(each["slug"] for each in (await two.do("org.list"))["items"] if each["name"] == "There")


async def test_a_mission_is_assigned_within_the_organisation_only(two):
    ann = await two.agent("ann")
    await two.do("mission.create", title="Write letters", _token=ann)

    across = await two.call("mission.assign", ref="write-letters", to="eve", _token=ann)
    within = await two.call("mission.assign", ref="write-letters", to="bob", _token=ann)

    assert across.error["code"] == "cross_scope_violation" and "another organisation" in across.error["message"]
    assert across.error["details"]["ask"] == "ceo" and "hq agent send ceo" in across.error["hint"]
    assert within.ok, within.error


async def test_who_serves_all_of_them_and_the_founder_assign_across(two):
    chief = await two.agent("chief")
    await two.do("org.create", name="Office", purpose="Lead")
    await two.do("mission.create", title="One", _token=chief)
    await two.do("mission.create", title="Two")

    assert (await two.do("mission.assign", ref="one", to="eve", _token=chief))["agent"] == "eve"
    assert (await two.do("mission.assign", ref="two", to="eve"))["agent"] == "eve"


async def test_who_works_in_none_in_particular_takes_and_gives_work_anywhere(two):
    ann, nobody = await two.agent("ann"), await two.agent("nobody")
    await two.do("mission.create", title="One", _token=ann)
    await two.do("mission.create", title="Two", _token=nobody)

    assert (await two.do("mission.assign", ref="one", to="nobody", _token=ann))["agent"] == "nobody"
    assert (await two.do("mission.assign", ref="two", to="eve", _token=nobody))["agent"] == "eve"


async def test_where_nobody_is_named_the_one_who_fits_is_looked_for_at_home(two):
    ann = await two.agent("ann")
    await two.do("agent.update", ref="bob", role="Cook")
    await two.do("agent.update", ref="ann", role="Cook")
    await two.do("agent.update", ref="nobody", role="Cook")
    await two.do("mission.create", title="Letters to write", _token=ann)

    given = await two.call("mission.assign", ref="letters-to-write", _token=ann)

    assert given.error["code"] == "conflict" and "nobody here can do" in given.error["message"]
    assert (await two.do("mission.assign", ref="letters-to-write"))["agent"] == "eve"


async def test_a_mission_is_not_made_in_another_organisation(two, there):
    made = await two.call("mission.create", title="Theirs", organisation=there, _token=await two.agent("ann"))

    assert made.error["code"] == "cross_scope_violation"
    assert (await two.call("mission.create", title="Theirs", organisation=there)).ok


async def test_a_part_is_delegated_within_the_organisation_only(two):
    await two.do("mission.create", title="Write")
    await two.do("mission.assign", ref="write", to="ann")
    part = {"ref": "write", "title": "Letters to write", "reason": "help"}

    across = await two.call("mission.delegate", **part, to="eve", _token=await two.agent("ann"))
    within = await two.call("mission.delegate", **part, to="bob", _token=await two.agent("ann"))

    assert across.error["code"] == "cross_scope_violation"
    assert within.error["code"] == "waiting", within.error


async def test_nobody_hands_off_for_another_and_nobody_to_another_organisation(two):
    ann = await two.agent("ann")
    for name in ("ann", "bob"):
        await two.do("agent.send", agent=name, text="work")

    others = await two.call("agent.handoff", agent="bob", _token=ann)
    across = await two.call("agent.handoff", agent="ann", to="eve", _token=ann)
    own = await two.call("agent.handoff", agent="ann", to="bob", _token=ann)

    assert [each.error["code"] for each in (others, across)] == ["cross_scope_violation"] * 2
    assert own.error["code"] == "conflict", "its context is not full, which is another matter"


async def test_a_task_is_given_within_the_organisation_only(two):
    ann = await two.agent("ann")
    await two.do("task.create", title="Call", _token=ann)

    for verb, given in (
        ("task.assign", {"ref": "call", "to": "eve"}),
        ("task.update", {"ref": "call", "owner": "eve"}),
        ("task.create", {"title": "Other", "owner": "eve"}),
        ("graph.link", {"source": "call", "edge": "driven_by", "target": "eve"}),
    ):
        refused = await two.call(verb, **given, _token=ann)
        assert refused.error and refused.error["code"] == "cross_scope_violation", verb
    for verb, given in (
        ("task.assign", {"ref": "call", "to": "bob"}),
        ("task.update", {"ref": "call", "owner": "ann"}),
        ("task.create", {"title": "Other", "owner": "bob"}),
    ):
        assert (await two.call(verb, **given, _token=ann)).ok, verb


async def test_a_worker_crosses_no_wall_that_its_agent_does_not(two):
    await two.do("agent.update", ref="ann", tools=["agent_broadcast"])
    worker = (await two.do("auth.token", worker="ann", scopes=["read", "write"]))["token"]

    sent = await two.call("agent.send", agent="eve", text="do this", _token=worker)
    said = await two.call("thread.say", agent="eve", text="do this", _token=worker)
    told = await two.call("agent.broadcast", group="@all", text="hello", _token=worker)

    assert sent.error["code"] == "cross_scope_violation" and "another organisation" in sent.error["message"]
    assert said.error["code"] == "cross_scope_violation"
    assert "eve" not in {item["agent"] for item in told.data["items"]}
    assert (await two.call("agent.send", agent="ann", text="done", kind="report", _token=worker)).ok


@pytest.mark.parametrize("kind", ["agent", "worker", "service"])
async def test_only_who_is_above_interrupts(two, kind):
    token = (await two.do("auth.token", **{kind: "ann"}, scopes=["read", "write"]))["token"]

    refused = await two.call("agent.send", agent="bob", text="stop", kind="interrupt", hard=True, _token=token)

    assert refused.error["code"] == "cross_scope_violation" and "above bob" in refused.error["message"]
    assert (await two.call("agent.send", agent="bob", text="stop", kind="interrupt")).ok


async def test_another_s_task_list_is_not_imported_anew_and_nothing_is_put_under_another_s_mission(two):
    ann, bob = await two.agent("ann"), await two.agent("bob")
    listed = "# Login\n\n## 1. Backend\n\n- [ ] 1.1 Write it\n"
    first = await two.do("mission.import", document=listed, spec_ref="login", _token=ann)

    other = await two.call("mission.import", document=listed.replace("Write", "Drop"), spec_ref="login", _token=bob)
    under = await two.call("mission.import", document=listed, spec_ref="more", parent=first["slug"], _token=bob)
    part = await two.call("mission.create", title="Mine", parent=first["slug"], _token=bob)
    again = await two.do("mission.import", document=listed.replace("Write", "Check"), spec_ref="login", _token=ann)

    assert [each.error["code"] for each in (other, under, part)] == ["cross_scope_violation"] * 3
    assert again["updated"] == 1


def _of_an_organisation() -> list[tuple[str, dict[str, Any]]]:
    """Verbs that touch an organisation which need not be named, with an example of each."""
    return [
        (
            each.name,
            {key: value for key, value in each.examples[0].args.items() if key != "org"} if each.examples else {},
        )
        for each in registry()
        for touch in each.touches
        if touch.arg == "org" and not each.args.model_fields["org"].is_required()
    ]


async def test_the_only_organisation_is_no_less_closed_where_it_is_not_named(hq):
    await hq.do("agent.load")
    here = (await hq.do("org.create", name="Here", purpose="Work"))["slug"]
    for name in ("ann", "eve"):
        await hq.do("agent.create", name=name, role="Writer of letters", tools=["org_measure"])
    await hq.do("graph.link", source="ann", edge="in_organisation", target=here)
    ann, eve = await hq.agent("ann"), await hq.agent("eve")

    told = {}
    for name, args in _of_an_organisation():
        named, unsaid = await hq.call(name, **args, org=here, _token=eve), await hq.call(name, **args, _token=eve)
        told[name] = (named.code, unsaid.code)

    assert {"org.measure", "org.export", "org.update"} <= set(told)
    assert {name: codes for name, codes in told.items() if codes[0] != codes[1]} == {}
    assert told["org.measure"] == told["org.export"] == ("cross_scope_violation", "cross_scope_violation")
    assert (await hq.do("org.measure", value=5, _token=ann))["slug"] == here, "who works there says it without a name"


async def test_objectives_and_projects_of_another_organisation_are_neither_changed_nor_read(two, there):
    """Row O12."""
    here = next(each["slug"] for each in (await two.do("org.list"))["items"] if each["name"] == "Here")
    await two.do("agent.update", ref="ann", tools=["objective", "project"])
    ann = await two.agent("ann")
    await two.do("objective.create", current_text="Canary", organisation=there)
    await two.do("project.create", name="Raven", organisation=there)
    await two.do("objective.create", current_text="Ours", organisation=here)

    for verb, given in (
        ("objective.update", {"ref": "canary", "organisation": here}),
        ("objective.archive", {"ref": "canary"}),
        ("objective.measure", {"ref": "canary", "value": 1}),
        ("objective.create", {"current_text": "Mine", "organisation": there}),
        ("objective.show", {"ref": "canary"}),
        ("objective.report", {"ref": "canary"}),
        ("project.create", {"name": "Mine", "organisation": there}),
        ("project.update", {"ref": "raven", "status": "paused"}),
        ("project.archive", {"ref": "raven"}),
        ("project.show", {"ref": "raven"}),
    ):
        refused = await two.call(verb, **given, _token=ann)
        assert refused.error["code"] == "cross_scope_violation", (verb, refused.error)
        assert "another organisation" in refused.error["message"]
    assert (await two.call("objective.measure", ref="ours", value=1, _token=ann)).ok
    assert (await two.call("objective.show", ref="canary", _token=await two.agent("chief"))).ok


async def test_missions_of_another_organisation_are_not_read_from_here_without_a_grant(two):
    """Row O12."""
    ann = await two.agent("ann")
    await two.do("mission.create", title="Secret letters")
    await two.do("mission.assign", ref="secret-letters", to="eve")

    for verb in ("brief", "files", "changes", "download"):
        refused = await two.call(f"mission.{verb}", ref="secret-letters", _token=ann)
        assert "another organisation" in refused.error["message"], (verb, refused.error)
    raised = await two.call("escalation.raise", summary="Stop?", mission="secret-letters", _token=ann)
    assert "another organisation" in raised.error["message"]
    assert (await two.call("mission.brief", ref="secret-letters", _token=await two.agent("eve"))).ok

    await two.do("grant.add", actor="agent:ann", verb="mission.brief")
    assert (await two.call("mission.brief", ref="secret-letters", _token=ann)).ok


@pytest.mark.parametrize("kind", ["agent", "worker", "service"])
async def test_who_has_no_organisation_reaches_none(two, there, kind):
    token = (await two.do("auth.token", **{kind: "stranger"}, scopes=["read", "write"]))["token"]
    await two.do("objective.create", current_text="Canary", organisation=there)
    await two.do("objective.create", current_text="Everybody's")

    for verb, given in (
        ("objective.update", {"ref": "canary", "current_text": "Mine"}),
        ("objective.measure", {"ref": "canary", "value": 1}),
        ("objective.archive", {"ref": "canary"}),
        ("objective.create", {"current_text": "Mine", "organisation": there}),
        ("objective.show", {"ref": "canary"}),
    ):
        if verb == "objective.show" and kind == "service":
            continue  # a service looks at what its token lets it
        refused = await two.call(verb, **given, _token=token)
        assert refused.error and refused.code in ("cross_scope_violation", "forbidden"), (verb, refused.error)
    assert (await two.call("objective.show", ref="everybody-s", _token=token)).ok


async def test_a_worker_of_who_serves_all_organisations_reaches_them(two, there):
    await two.do("objective.create", current_text="Canary", organisation=there)
    worker = (await two.do("auth.token", worker="chief", scopes=["read"]))["token"]

    assert (await two.call("objective.show", ref="canary", _token=worker)).ok
