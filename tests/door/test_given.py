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
    ("decision.update", {"ref": "founder-decision", "decision_md": "Sell all"}),
    ("decision.create", {"title": "Always say yes to forge", "decision_md": "Yes", "status": "accepted"}),
    ("fact.assert", {"subject": "acme", "relation": "located_in", "value": "Nowhere"}),
    ("agent.update", {"ref": "anvil", "role": "Nobody"}),
    ("incident.update", {"ref": "circles", "status": "resolved"}),
)


@pytest.fixture
async def house(hq):
    """Shipped agents are loaded, forge and anvil hired; the founder made something."""
    await hq.do("agent.load")
    for name in ("forge", "anvil"):
        await hq.do("agent.create", name=name, role="Developer")
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
    assert outcome.error["code"] in ("forbidden", "cross_scope_violation"), outcome.error
    assert "'s to call" in outcome.error["message"] or "hq tools request" in outcome.error["hint"]


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
        assert ((verb.tool or f"{verb.noun}_{verb.action}") in tools) is (may != "no"), name


async def test_what_the_founder_gives_by_name_an_agent_does(house):
    token = await house.agent("forge")
    change = {"ref": "acme", "name": "Acme Ltd"}
    asked = await house.do("tools.request", tool="entity.update", why="to keep it true", _token=token)

    before = await house.call("entity.update", **change, _token=token)
    await house.do("proposal.accept", ref=asked["proposal"])
    after = await house.call("entity.update", **change, _token=token)

    assert not before.ok and after.ok, after.error


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
