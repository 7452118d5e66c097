"""J8, J-9: `hq agent can` explains every right of an agent: where it comes from, and why what it may not is refused."""

from __future__ import annotations

import pytest

from tests.support.play import house  # noqa: F401


@pytest.fixture
async def firm(house):  # noqa: F811
    """Two who were hired, a skill that one has, a helper it may always call on, and a grant."""
    hq = house.hq
    await hq.do("agent.hire", name="Forge", role="Developer", about="Builds web apps in React.")
    await hq.do("agent.hire", name="Scout", role="Research Analyst", about="Compares chart libraries.")
    await hq.do("skill.grant", skill="disk-health", agent="forge")
    await hq.do("graph.link", source="forge", edge="collaborates_with", target="scout")
    await hq.do("grant.add", actor="agent:forge", verb="agent.hire", days=3)
    return hq


async def rights(hq, agent: str, what: str | None = None, **more) -> dict[tuple[str, str], dict]:
    told = await hq.do("agent.can", agent=agent, **({"what": what} if what else {}), **more)
    return {(each["sort"], each["what"]): each for each in told["rights"]}


async def test_j8_every_right_says_where_it_comes_from(firm):
    await firm.do("budget.set", on="forge", usd_hard=4)
    found = await rights(firm, "forge")

    assert {sort for sort, _ in found} == {
        "verb", "skill", "collaborator", "scope", "grant", "budget", "authority",
    }  # fmt: skip
    assert found["skill", "disk-health"]["from"].startswith("granted by user:founder on 20")
    assert found["collaborator", "scout"]["from"] == "standing: granted by ceo"
    assert found["grant", "agent.hire"]["may"] == "yes" and "until" in found["grant", "agent.hire"]["why"]
    assert found["budget", "$4.00 a day"]["from"].startswith("set on it")
    assert found["budget", "200,000 tokens a run"]["from"] == "its file: Budget"
    assert all(right["from"] for right in found.values())


@pytest.mark.parametrize(
    ("agent", "what", "may", "why"),
    [
        ("forge", "mission.create", "yes", ""),
        ("scout", "code.execute", "no", "tools_request"),
        ("forge", "approval.approve", "no", "does not hold the scope 'founder'"),
        ("forge", "entity.update", "no", "tools_request"),
        ("chief", "entity.update", "no", "operator's to call"),
        ("forge", "tools.request", "yes", ""),
        ("scout", "disk-health", "asks", "the first use of it asks the founder"),
        ("forge", "disk-health", "yes", ""),
        ("forge", "scout", "yes", "peer"),
        ("scout", "forge", "asks", "help from it is asked for"),
        ("chief", "agent.hire", "asks", "staffing calls are asked about with a balanced founder"),
        ("chief", "agent.pause", "no", "not chief's"),
    ],
)
async def test_j8_a_question_gets_an_answer_with_the_reason(firm, agent, what, may, why):
    told = await firm.do("agent.can", agent=agent, what=what)

    assert told["may"] == may, told
    assert any(why in right.get("why", "") for right in told["rights"]), told


async def test_j8_what_it_says_is_what_the_door_does(firm):
    token = await firm.agent("chief")
    calls = {
        "entity.create": ({"name": "Acme"}, "no", "cross_scope_violation"),
        "grant.add": ({"actor": "agent:chief", "verb": "email.*"}, "no", "forbidden"),
        "agent.hire": ({"name": "Quill", "role": "writer"}, "asks", "waiting"),
        "mission.create": ({"title": "A part"}, "yes", None),
    }
    for verb, (args, may, code) in calls.items():
        told = await firm.do("agent.can", agent="chief", what=verb)
        outcome = await firm.call(verb, **args, _token=token)
        assert (told["may"], (outcome.error or {}).get("code")) == (may, code), verb


async def test_j8_a_brief_adds_for_its_mission_and_takes_nothing_away(firm):
    await firm.do("mission.create", title="Flight tracker in React", token_budget=50_000)
    await firm.do("mission.assign", ref="flight-tracker-in-react", to="forge", delegation_budget=5_000)

    found = await rights(firm, "forge", mission="flight-tracker-in-react")

    assert found["collaborator", "scout"]["from"] == "standing: granted by ceo"
    assert found["budget", "50,000 tokens in all"]["from"] == "mission flight-tracker-in-react"
    assert found["budget", "5,000 tokens for helpers"]["from"] == "brief of flight-tracker-in-react"
    brief = (await firm.do("mission.brief", ref="flight-tracker-in-react", to="forge"))["brief"]
    assert brief["agents_approved"] == ["scout"], "those it may always call on are not dropped"
    await firm.do("mission.accept", ref="flight-tracker-in-react")
    part = {"title": "Compare chart libraries", "to": "scout", "reason": "to choose one", "tokens": 4_000}
    helped = await firm.call("mission.delegate", ref="flight-tracker-in-react", **part)
    assert helped.ok and helped.data["status"] == "in_progress", "and are not asked for either"


async def test_j8_it_is_told_as_it_was(firm, clock):
    before = await firm.do("agent.can", agent="forge", what="disk-health")
    then = clock.now().isoformat()
    clock.advance(hours=1)
    await firm.do("skill.revoke", skill="disk-health", agent="forge")

    assert (await firm.do("agent.can", agent="forge", what="disk-health"))["may"] == "asks"
    assert await firm.do("agent.can", agent="forge", what="disk-health", _at=then) == before


async def test_j8_nobody_has_heard_of_it(firm):
    refused = await firm.call("agent.can", agent="forge", what="mission.creat")

    assert refused.error["code"] == "not_found" and "mission.create" in refused.error["message"]


async def test_j8_who_rests_may_nothing(firm):
    await firm.do("agent.pause", agent="forge")

    told = await firm.do("agent.can", agent="forge", what="mission.create")

    assert told["may"] == "no" and "paused" in told["rights"][0]["why"]
