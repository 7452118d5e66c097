"""Services: what a token that was given to a program may do, and that the house's own hand is none of them."""

from __future__ import annotations

import pytest

WIDE = ["read", "write"]
FOR_THE_HOUSE = [
    ("message.expire", {"message": "019dfc66-b817-716a-8756-021456eeb0e3"}),
    ("artifact.expire", {"days": 1}),
    ("ask.remind", {"ask": "approval-x"}),
    ("budget.exceed", {"scope": "tenant", "period": "day", "measure": "usd", "agent": "chief", "asked": 1}),
]


async def service(hq, name: str = "intake", scopes: list[str] = WIDE) -> str:
    return (await hq.do("auth.token", service=name, scopes=scopes))["token"]


async def test_what_a_service_may_do_has_to_be_said(hq):
    unsaid = await hq.call("auth.token", service="intake")

    assert unsaid.error["code"] == "invalid" and "--scope" in unsaid.error["message"]


async def test_nobody_is_given_a_token_of_the_house(hq):
    for name in ("hq", "HQ"):
        assert (await hq.call("auth.token", service=name, scopes=WIDE)).error["code"] == "forbidden"


@pytest.mark.parametrize(("verb", "args"), FOR_THE_HOUSE, ids=[verb for verb, _ in FOR_THE_HOUSE])
async def test_what_the_house_does_no_service_does(hq, verb, args):
    outcome = await hq.call(verb, **args, _token=await service(hq))

    assert outcome.error["code"] == "forbidden", outcome.error


async def test_a_service_commands_no_mission_and_answers_no_escalation(hq):
    await hq.hired("forge")
    await hq.do("mission.create", title="Ship")
    await hq.do("mission.assign", ref="ship", to="forge")
    await hq.call("escalation.raise", summary="Stuck", mission="ship", _token=await hq.agent("forge"))
    token = await service(hq)
    (escalation,) = (await hq.do("escalation.list"))["items"]

    pause = await hq.call("mission.pause", ref="ship", why="x", _token=token)
    answer = await hq.call("escalation.resolve", ref=escalation["slug"], answer="Do it.", _token=token)

    assert (pause.error["code"], answer.error["code"]) == ("forbidden", "forbidden")


async def test_a_service_does_not_resume_pause_fork_or_speak_for_the_ceo(hq):
    await hq.hired("forge")
    token = await service(hq)

    for verb, args in (
        ("agent.pause", {"agent": "forge"}),
        ("agent.resume", {"agent": "forge"}),
        ("agent.restart", {"agent": "forge"}),
        ("session.fork", {"id": "019dfc66-b817-716a-8756-021456eeb0e3", "at": 1}),
        ("card.send", {"kind": "report", "title": "Pay"}),
    ):
        outcome = await hq.call(verb, **args, _token=token)
        assert outcome.error and outcome.error["code"] in ("forbidden", "cross_scope_violation"), (verb, outcome)


async def test_what_an_agent_owns_a_service_does_only_where_its_token_says_so(own_hq):
    await own_hq.do("agent.load")
    wide, named = await service(own_hq), await service(own_hq, "crm", ["read", "write:entity"])

    refused = await own_hq.call("entity.create", name="Acme", _token=wide)
    made = await own_hq.call("entity.create", name="Acme", _token=named)

    assert refused.error["code"] == "cross_scope_violation" and refused.error["details"]["ask"] == "operator"
    assert made.ok, made.error
