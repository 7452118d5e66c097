"""What an agent is given binds its token on every face: the door decides as `hq agent can` says."""

from __future__ import annotations

import pytest

MADE = (
    ("entity", {"name": "Acme"}),
    ("contact", {"name": "Carla Canary"}),
    ("decision", {"title": "Founder decision", "decision_md": "Keep it"}),
)
MEANT = (
    ("entity.update", {"ref": "acme", "name": "Evil"}),
    ("entity.archive", {"ref": "acme"}),
    ("contact.update", {"ref": "carla-canary", "name": "Mallory"}),
    ("decision.create", {"title": "Always say yes to forge", "decision_md": "Yes", "status": "accepted"}),
    ("fact.assert", {"subject": "acme", "relation": "located_in", "value": "Nowhere"}),
    ("agent.update", {"ref": "anvil", "role": "Nobody"}),
    ("agent_incident.update", {"ref": "turns-in-circles", "status": "resolved"}),
)
OF_WHO_LEADS = ("agent.restart", "agent.resume")
"""Never for oneself: who leads nobody has nobody to do it to, which only a call finds out."""


@pytest.fixture
async def house(hq):
    """Shipped agents are loaded, forge and anvil hired; the founder made something."""
    await hq.do("agent.load")
    for name in ("forge", "anvil"):
        await hq.do("agent.create", name=name, role="Developer")
    raised = {"agent": "forge", "kind": "loop", "summary": "Turns in circles"}
    await hq.do("incident.raise", **raised)
    for noun, given in MADE:
        await hq.do(f"{noun}.create", **given)
    return hq


@pytest.mark.parametrize(("verb", "given"), MEANT, ids=[verb for verb, _ in MEANT])
@pytest.mark.parametrize("kind", ["agent", "worker"])
async def test_what_an_agent_is_not_given_its_token_does_not_do(house, verb, given, kind):
    token = (await house.do("auth.token", **{kind: "forge"}, scopes=["read", "write", "effect"]))["token"]

    told = await house.do("agent.can", agent="forge", what=verb)
    outcome = await house.call(verb, **given, _token=token)

    assert told["may"] == "no"
    assert outcome.error["code"] == "forbidden" and "not among your tools" in outcome.error["message"], outcome.error
    assert "hq tools request" in outcome.error["hint"]


async def test_the_door_and_agent_can_decide_alike_of_every_change(house):
    """Of what an agent is told yes or no to, whatever the call names."""
    door, token = house.door, await house.agent("forge")
    can = {}
    for each in door.registry:
        if each.changes and not each.internal and "agent" in each.for_ and not each.secret:
            can[each.name] = (await house.do("agent.can", agent="forge", what=each.name))["may"]
    listed = (await house.do("tools.list", _token=token))["items"]
    tools = {tool for item in listed for tool in item["tools"]}

    assert {"mission.accept", "task.create", "escalation.raise", "proposal.propose"} <= {
        n for n, m in can.items() if m == "yes"
    }
    for name, may in can.items():
        verb = door.registry.get(name)
        listed = (verb.tool or f"{verb.noun}_{verb.action}") in tools
        assert listed is (may != "no" or name in OF_WHO_LEADS), name


async def test_what_the_founder_gives_by_name_an_agent_does(house):
    token = await house.agent("forge")
    change = {"ref": "acme", "name": "Acme Ltd"}
    asked = await house.do("tools.request", tool="entity.update", why="to keep it true", _token=token)

    before = await house.call("entity.update", **change, _token=token)
    await house.do("proposal.accept", ref=asked["proposal"])
    after = await house.call("entity.update", **change, _token=token)

    assert before.error["code"] == "forbidden" and after.ok, after.error


async def test_what_a_file_names_binds_and_gives_the_token_too(house):
    await house.do("agent.create", name="clerk", role="Clerk", tools=["entity"])
    clerk, chief, operator = await house.agent("clerk"), await house.agent("chief"), await house.agent("operator")

    by_clerk = await house.call("entity.update", ref="acme", name="Acme Ltd", _token=clerk)
    by_operator = await house.call("entity.update", ref="acme", name="Acme Inc", _token=operator)
    by_chief = await house.call("entity.update", ref="acme", name="Evil", _token=chief)

    assert by_clerk.ok and by_operator.ok, (by_clerk.error, by_operator.error)
    assert "operator's to call" in by_chief.error["message"]


async def test_who_is_on_no_record_does_not_do_what_an_agent_owns(house):
    worker = (await house.do("auth.token", worker="w1", scopes=["read", "write"]))["token"]

    refused = await house.call("entity.update", ref="acme", name="Evil", _token=worker)

    assert "operator's to call" in refused.error["message"]


async def test_another_s_task_is_not_an_agent_s_to_change(house):
    forge, anvil = await house.agent("forge"), await house.agent("anvil")
    await house.do("task.create", title="Founder task")
    await house.do("task.create", title="Forged", owner="forge")
    await house.do("task.create", title="Own", _token=anvil)

    for verb in ("task.update", "task.complete"):
        more = {"title": "Other"} if verb == "task.update" else {}
        foreign = await house.call(verb, ref="founder-task", **more, _token=forge)
        assert foreign.error["code"] == "cross_scope_violation", verb
    assert (await house.call("task.complete", ref="forged", _token=forge)).ok
    assert (await house.call("task.complete", ref="own", _token=anvil)).ok
    assert (await house.call("task.complete", ref="founder-task", _token=await house.agent("operator"))).ok


async def test_a_device_that_does_not_speak_for_the_founder_says_nothing_in_the_founder_s_thread(house):
    device = (await house.do("auth.token", device="watch", scopes=["read", "write"]))["token"]

    by_device = await house.call("thread.say", agent="chief", text="Pay them", _token=device)
    by_chief = await house.call("thread.say", agent="chief", text="I said so", _token=await house.agent("chief"))

    assert by_device.error["code"] == "forbidden" and "'founder'" in by_device.error["message"]
    assert by_chief.error["code"] == "forbidden"
    assert (await house.call("thread.say", agent="chief", text="Hello")).ok


async def test_a_service_speaks_to_the_ceo_and_to_others_where_its_token_names_that(house):
    wide = (await house.do("auth.token", service="intake", scopes=["read", "write"]))["token"]
    named = (await house.do("auth.token", service="desk", scopes=["read", "agent.send"]))["token"]

    refused = await house.call("agent.send", agent="forge", text="Do this", _token=wide)

    assert refused.error["code"] == "cross_scope_violation" and "agent.send" in refused.error["message"]
    assert (await house.call("agent.send", agent="chief", text="News", _token=wide)).ok
    assert (await house.call("agent.send", agent="forge", text="News", _token=named)).ok


async def test_what_is_said_has_its_article(house):
    founders = await house.call("auth.token", service="intake", scopes=["founder"])
    wrong = await house.call("task.show", ref="agent:forge")

    assert founders.error["message"].startswith("a service never")
    assert "a task is wanted here" in wrong.error["message"] and "names an agent" in wrong.error["message"]


async def test_what_is_one_s_own_needs_no_giving(house):
    """Also to an agent whose file names nothing of it."""
    forge = await house.agent("forge")
    made = await house.call("schedule.add", task="Look", when="every day at 7", agent="forge", _token=forge)
    noted = await house.call("memory.add", content="Ships on Friday", _token=forge)
    await house.do("task.create", title="Own", _token=forge)
    slip = await house.call("task.create", title="A slip", _token=forge)

    for verb, given in (
        ("schedule.pause", {"ref": made.data["slug"]}),
        ("memory.archive", {"ref": noted.data["slug"]}),
        ("task.archive", {"ref": "own"}),
        ("worker.spawn", {"task": "count"}),
    ):
        assert (await house.do("agent.can", agent="forge", what=verb))["may"] == "yes", verb
        outcome = await house.call(verb, **given, _token=forge)
        assert outcome.ok, (verb, outcome.error)
    undone = await house.call("action.undo", id=str(slip.action_id), _token=forge)
    assert undone.error["code"] == "waiting", "undoing its own is asked about as what destroys is, and not refused"
    others = await house.call("schedule.pause", ref=made.data["slug"], _token=await house.agent("anvil"))
    assert others.error["code"] == "cross_scope_violation"


async def test_who_leads_a_seat_has_the_verbs_of_control_over_whom_it_leads_and_others_have_not(hq):
    await hq.do("agent.load")
    org = (await hq.do("org.create", template="software-team"))["slug"]
    for name, title in (("boss", "Project Manager"), ("dev", "Developer"), ("other", "QA Lead")):
        seat = await hq.do("position.show", org=org, title=title)
        await hq.do("agent.hire", name=name, position_id=seat["position_id"])
    boss, other = await hq.agent("boss"), await hq.agent("other")

    paused = await hq.call("agent.pause", agent="dev", _token=boss)
    resumed = await hq.call("agent.resume", agent="dev", _token=boss)
    refused = [await hq.call(f"agent.{verb}", agent="dev", _token=other) for verb in ("pause", "restart")]

    assert paused.ok and resumed.ok, (paused.error, resumed.error)
    assert [each.error["code"] for each in refused] == ["cross_scope_violation"] * 2
    told = {name: await hq.do("agent.can", agent=name, what="agent.restart") for name in ("boss", "other")}
    assert [each["may"] for each in told.values()] == ["yes", "no"]


async def test_refusals_come_in_one_order(house):
    """Whom a verb is for, what is not seen, what is beyond reach, what was not given: the first that holds is said."""
    forge = await house.agent("forge")
    await house.do("schedule.add", task="Look", name="Look", when="every day at 7", agent="anvil")
    await house.do("incident.raise", agent="anvil", kind="loop", summary="Stands still")

    told = [
        await house.call(verb, **given, _token=forge)
        for verb, given in (
            ("review.resolve", {"ref": "none", "choice": "yes"}),
            ("agent_incident.update", {"ref": "stands-still", "status": "resolved"}),
            ("agent_incident.update", {"ref": "no-such-thing", "status": "resolved"}),
            ("schedule.remove", {"ref": "look"}),
            ("agent_incident.update", {"ref": "turns-in-circles", "status": "resolved"}),
        )
    ]

    codes = [each.error["code"] for each in told]
    assert codes == ["forbidden", "not_found", "not_found", "cross_scope_violation", "forbidden"], codes
    assert "is not for agent:forge" in told[0].error["message"]
    assert "hq agent send operator" in told[3].error["hint"]
    assert "hq tools request" in told[4].error["hint"]


async def test_a_grant_that_gives_a_verb_is_used_up(house):
    forge = await house.agent("forge")
    await house.do("grant.add", actor="agent:forge", verb="entity.update", uses=1)

    once = await house.call("entity.update", ref="acme", name="Acme Ltd", _token=forge)
    twice = await house.call("entity.update", ref="acme", name="Acme Inc", _token=forge)

    assert once.ok, once.error
    assert twice.error["code"] == "forbidden" and "operator's to call" in twice.error["message"]
