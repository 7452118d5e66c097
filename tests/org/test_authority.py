"""What a seat may do is held at the door: changes of the organisation, spending, the hard stop."""

from __future__ import annotations

import pytest

from .conftest import seated

CHANGES = [
    ("position.create", {"title": "Cook", "role": "developer"}),
    ("position.update", {"position_id": 5, "level": 4}),
    ("org.assign", {"position_id": 5, "persona_slug": "pm-gavin-3"}),
    ("role.create", {"name": "cook"}),
    ("persona.create", {"name": "Ada", "role": "developer"}),
    ("persona.write_skill", {"slug": "pm-gavin-3", "body": "x"}),
    ("org.import", {"document": "organisation: {organisation_id: 1, description: Mine}"}),
    ("org_intent.write", {"body": "## Protect\n- Me"}),
    ("org.update", {"description": "Mine"}),
]


@pytest.mark.parametrize(("verb", "args"), CHANGES, ids=lambda part: part if isinstance(part, str) else "")
async def test_an_agents_change_of_the_organisation_waits(hq, team, verb, args):
    before, agent = await team.document(), await hq.agent("chief")

    outcome = await hq.call(verb, **args, _token=agent)

    assert outcome.error["code"] == "waiting"
    assert await team.document() == before


async def test_the_ar_director_decides_and_the_change_is_made(hq, team):
    director = await seated(hq, "Paula", team.slug, "AR Director")
    agent = await hq.agent("chief")
    asked = await hq.call("position.update", position_id=5, title="Builder", _token=agent, _reason="We build")

    waiting = (await hq.do("org.proposals", _token=director))["items"]
    decided = await hq.do("org.decide", ref=asked.data["approval"], _token=director)

    assert [(row["verb"], row["requester"], row["why"]) for row in waiting] == [("position.update", "agent:chief", "We build")]  # fmt: skip
    assert decided["result"]["data"]["title"] == "Builder"
    made = (await hq.do("action.list", verb="position.update"))["items"][0]
    assert (made["status"], made["actor"]) == ("ok", "agent:paula"), "by the seat, through the door"
    assert (await team.seat("Builder"))["position_id"] == 5
    assert (await hq.do("org.proposals"))["items"] == []


async def test_who_asked_hears_what_the_director_decided(hq, team):
    director, agent = await seated(hq, "Paula", team.slug, "AR Director"), await hq.agent("chief")
    asks = [("position.update", {"position_id": 5, "title": "Builder"}), ("role.create", {"name": "cook"})]
    for (verb, args), decision in zip(asks, ("yes", "no"), strict=True):
        asked = await hq.call(verb, **args, _token=agent, _key=verb)
        await hq.do("org.decide", ref=asked.data["approval"], decision=decision, _token=director)

    built, cooked = [await hq.call(verb, **args, _token=agent, _key=verb) for verb, args in asks]

    assert built.data["title"] == "Builder" and cooked.error["code"] == "forbidden"
    told = (await hq.do("sql.query", query="select topic from hq.events"))["items"]
    assert {"approval.done", "approval.rejected"} <= {row["topic"] for row in told}


async def test_a_no_is_a_no(hq, team):
    director, agent = await seated(hq, "Paula", team.slug, "AR Director"), await hq.agent("chief")
    asked = await hq.call("role.create", name="cook", _token=agent)

    await hq.do("org.decide", ref=asked.data["approval"], decision="no", note="We order in", _token=director)

    assert "cook" not in str(await hq.do("role.list"))
    assert (await hq.call("org.decide", ref=asked.data["approval"], _token=director)).error["code"] == "conflict"


async def test_without_a_director_the_founder_decides(hq, team):
    asked = await hq.call("role.create", name="cook", _token=await hq.agent("chief"))

    await hq.do("approval.approve", ref=asked.data["approval"])

    assert "cook" in str(await hq.do("role.list"))


async def test_nobody_else_decides_and_nobody_their_own(hq, team):
    agent, other = await hq.agent("chief"), await seated(hq, "Forge", team.slug, "Developer")
    asked = await hq.call("role.create", name="cook", _token=agent)

    assert (await hq.call("org.decide", ref=asked.data["approval"], _token=other)).error["code"] == "not_found"
    assert (await hq.call("org.decide", ref=asked.data["approval"], _token=agent)).error["code"] == "forbidden"


async def test_a_change_that_no_longer_fits_is_not_made(hq, team):
    director, agent = await seated(hq, "Paula", team.slug, "AR Director"), await hq.agent("chief")
    asked = await hq.call("persona.update", slug="pm-gavin-3", name="Gav", _token=agent)
    await hq.do("persona.update", slug="pm-gavin-3", description="New")

    stale = await hq.call("org.decide", ref=asked.data["approval"], _token=director)

    assert stale.error["code"] == "stale"
    assert (await hq.do("persona.show", slug="pm-gavin-3"))["name"] == "Gavin"


async def test_the_ar_director_changes_its_own_organisation_and_no_other(hq, team):
    director = await seated(hq, "Paula", team.slug, "AR Director")
    await hq.do("org.create", template="economy")

    await hq.do("position.update", position_id=5, level=4, _token=director)
    other = await hq.call("position.update", position_id=8, level=4, _token=director)
    founding = await hq.call("org.create", name="Mine", purpose="x", _token=director)

    assert other.error["code"] == "cross_scope_violation"
    assert founding.error["code"] == "waiting"


@pytest.mark.parametrize(
    ("verb", "args", "says"),
    [
        ("position.update", {"position_id": 8, "level": 4}, "agent:paula does not direct this organisation"),
        ("org.create", {"name": "Another", "purpose": "x"}, "org.create is the founder's to decide"),
    ],
)
async def test_the_ar_director_allows_only_what_it_may_do_by_itself(hq, team, verb, args, says):
    director, chief = await seated(hq, "Paula", team.slug, "AR Director"), await hq.agent("chief")
    await hq.do("org.create", template="economy")
    asked = (await hq.call(verb, **args, _token=chief)).data["approval"]

    for said in (("org.decide", {"ref": asked}), ("ask.answer", {"ask": asked, "option": "yes"})):
        decided = await hq.call(said[0], **said[1], _token=director)
        assert not decided.ok and says in decided.error["message"]

    assert (await hq.do("ask.show", ask=asked))["state"] == "open"
    assert (await hq.do("approval.approve", ref=asked))["result"]["ok"]


async def test_an_agent_adds_to_its_own_experience_and_to_no_others(hq, team):
    gavin = await seated(hq, "Gavin", team.slug, "Project Manager")

    await hq.do("persona.append_experience", slug="pm-gavin-3", body="- Ask early", _token=gavin)
    other = await hq.call("persona.append_experience", slug="architect-robbo-1", body="x", _token=gavin)

    assert other.error["code"] == "cross_scope_violation"
    assert (await hq.do("org.whoami", _token=gavin))["persona_slug"] == "pm-gavin-3"


@pytest.fixture
async def trader(hq) -> str:
    """Its seat: 100 at once, 250 a session, a hard stop below 9,000."""
    await hq.do("org.create", template="economy")
    return await seated(hq, "Trader", "Economy", "Trader")


async def test_a_seat_spends_within_its_authority_and_asks_beyond(hq, trader):
    within = await hq.call("expense.spend", amount=100, description="Data", _token=trader)
    beyond = await hq.call("expense.spend", amount=100.01, description="Data", _token=trader)
    foreign = await hq.call("expense.spend", amount=1, currency="EUR", description="Data", _token=trader)

    assert within.ok
    assert beyond.error["code"] == foreign.error["code"] == "waiting"
    links = await hq.do("graph.links", ref=within.data["slug"])
    assert ("spent_by", "Trader") in {(link["edge"], link["title"]) for link in links["items"]}


async def test_what_a_session_spends_adds_up(hq, trader, clock):
    for _ in range(2):
        await hq.do("expense.spend", amount=100, description="Data", _token=trader)

    over = await hq.call("expense.spend", amount=51, description="Data", _token=trader)
    assert over.error["code"] == "waiting"
    await hq.do("expense.spend", amount=50, description="Data", _token=trader)

    clock.advance(days=1)
    await hq.do("expense.spend", amount=100, description="Data", _token=trader)


async def test_a_yes_lets_one_payment_through(hq, trader):
    asked = await hq.call("expense.spend", amount=5000, description="Server", _token=trader)

    done = await hq.do("approval.approve", ref=asked.data["approval"])

    assert done["result"]["ok"]


async def test_aggressive_tolerance_does_not_widen_a_seat(hq, trader):
    await hq.do("tenant.set", risk_tolerance="aggressive")

    assert (await hq.call("expense.spend", amount=101, description="x", _token=trader)).error["code"] == "waiting"


async def test_an_agent_without_a_seat_or_without_authority_asks_for_every_cent(hq, team):
    nobody, architect = await hq.agent("chief"), await seated(hq, "Robbo", team.slug, "Principal Architect")

    for token in (nobody, architect):
        assert (await hq.call("expense.spend", amount=1, description="x", _token=token)).error["code"] == "waiting"


async def test_below_the_hard_stop_everything_stops_but_speaking_up(hq, trader):
    monitor = await seated(hq, "Monitor", "Economy", "Risk Monitor", tools=["org_measure"])

    measured = await hq.do("org.measure", org="Economy", value=8500, _token=monitor)
    stopped = await hq.call("task.create", title="Trade", _token=trader)

    assert measured["stopped"] == ["Trader"]
    assert stopped.error["code"] == "hard_stop" and "8500 USD, below its hard stop of 9000" in stopped.error["message"]
    assert (await hq.call("expense.spend", amount=1, description="x", _token=trader)).error["code"] == "hard_stop"
    assert (await hq.call("proposal.propose", kind="escalation", body="We are down", _token=trader)).ok
    assert (await hq.call("org.tree", org="Economy", _token=trader)).ok

    await hq.do("org.measure", org="Economy", value=9500)
    assert (await hq.call("task.create", title="Trade", _token=trader)).ok


async def test_the_chart_is_not_linked_by_hand_and_no_agent_seats_itself(hq, team):
    agent = await seated(hq, "Forge", team.slug, "Developer")
    director = (await team.seat("AR Director"))["slug"]

    by_founder = await hq.call("graph.link", source=director, edge="reports_to", target=director)
    being = await hq.call("graph.link", source="forge", edge="embodies", target="ar-director-paula-2", _token=agent)

    assert (by_founder.error["code"], being.error["code"]) == ("invalid", "cross_scope_violation")
    assert (await team.seat("AR Director"))["agents"] == []


async def test_taking_a_change_back_is_a_change(hq, team):
    done = await hq.call("position.update", position_id=5, title="Builder")

    undoing = await hq.call("action.undo", id=str(done.action_id), _token=await hq.agent("chief"))

    assert undoing.error["code"] == "waiting"
    assert (await team.seat("Builder"))["position_id"] == 5


async def test_what_later_changes_need_is_not_taken_back(hq, team):
    renamed = await hq.call("position.update", position_id=5, title="Builder")
    await hq.do("position.create", title="Developer", role="developer")
    vacated = await hq.call("org.unassign", position_id=1)
    await hq.do("org.assign", position_id=1, persona_slug="pm-gavin-3")
    before = await team.document()

    twice = await hq.call("action.undo", id=str(renamed.action_id))
    two = await hq.call("action.undo", id=str(vacated.action_id))

    assert twice.error["code"] == two.error["code"] == "blocked"
    assert "there is already a seat" in twice.error["message"] and "two personas" in two.error["message"]
    assert await team.document() == before


async def test_what_always_holds_is_asked_of_an_undo_of_an_undo_too(hq, team):
    renamed = await hq.call("role.update", role="pm", name="lead")
    back = await hq.call("action.undo", id=str(renamed.action_id))
    again = await hq.call("action.undo", id=str(back.action_id))
    await hq.do("role.create", name="pm")

    twice = await hq.call("action.undo", id=str(again.action_id))

    assert twice.error["code"] == "blocked" and "two roles 'pm'" in twice.error["message"]


async def test_a_seat_that_has_to_stop_does_not_lift_its_own_stop_and_no_outsider_sets_one(hq, trader):
    await hq.do("agent.create", name="stray", role="STRAY", tools=["org_measure"])
    stray = await hq.agent("stray")
    await hq.do("agent.update", ref="trader", tools=["org_measure"])
    await hq.do("org.measure", org="Economy", value=8500)

    lifted = await hq.call("org.measure", org="Economy", value=999_999, _token=trader)
    meddled = await hq.call("org.measure", org="Economy", value=-1, _token=stray)

    assert lifted.error["code"] == meddled.error["code"] == "cross_scope_violation"


async def test_no_colleague_lifts_a_stop_and_who_leads_the_seat_does(hq, trader):
    monitor = await seated(hq, "Monitor", "Economy", "Risk Monitor", tools=["org_measure"])
    await hq.do("org.measure", org="Economy", value=8500)

    lifted = await hq.call("org.measure", org="Economy", value=999_999, _token=monitor)
    lower = await hq.call("org.measure", org="Economy", value=8400, _token=monitor)

    assert lifted.error["code"] == "cross_scope_violation" and "have to stop" in lifted.error["message"]
    assert lower.ok, lower.error
    assert (await hq.call("task.create", title="Trade", _token=trader)).error["code"] == "hard_stop"


async def test_what_takes_an_organisation_or_a_seat_away_the_director_does_not_allow(hq, team):
    director, chief = await seated(hq, "Paula", team.slug, "AR Director"), await hq.agent("chief")
    seat = await hq.do("position.show", org=team.slug, title="Developer")
    asked = [
        await hq.call("org.archive", org=team.slug, _token=chief),
        await hq.call("position.remove", position_id=seat["position_id"], _token=chief),
    ]

    for each in asked:
        assert each.error["code"] == "waiting", each.error
        for verb, code, given in (
            ("ask.answer", "not_found", {"ask": each.data["approval"], "option": "yes"}),
            ("org.decide", "forbidden", {"ref": each.data["approval"]}),
        ):
            refused = await hq.call(verb, **given, _token=director)
            assert refused.error["code"] == code, (verb, refused.error)
        assert (await hq.do("ask.show", ask=each.data["approval"]))["state"] == "open"
