"""Seats: who sits where is one fact, the assignment, and all that follows from a seat follows it at once."""

from __future__ import annotations

import pytest

from .conftest import seated


async def drawn(hq, org: str) -> list[str]:
    return [line.strip("│├└─ ") for line in (await hq.do("org.tree", org=org))["tree"].splitlines()]


@pytest.fixture
async def director(hq, team) -> str:
    return await seated(hq, "Paula", team.slug, "AR Director")


async def asked_by_chief(hq) -> str:
    asked = await hq.call("role.create", name="cook", _token=await hq.agent("chief"))
    return asked.data["approval"]


END = {
    "archived": ("persona.archive", {"slug": "ar-director-paula-2", "unassign": True}),
    "unassigned": ("org.unassign", {"position_id": 2}),
    "displaced": ("org.assign", {"position_id": 2, "persona_slug": "pm-gavin-3", "reassign": True}),
    "removed": ("position.remove", {"position_id": 2, "unassign": True}),
    "imported": (
        "org.import",
        {
            "document": "organisation: {organisation_id: 1}\n"
            "positions: [{position_id: 2, assignment: {persona_slug: pm-gavin-3}}]",
            "force": True,
        },
    ),
}


async def test_a_change_of_the_organisation_waits_for_the_director_too(hq, team, director):
    asked = await asked_by_chief(hq)

    (mine,) = (await hq.do("ask.list", _token=director))["items"]
    (founders,) = (await hq.do("ask.list"))["items"]

    assert mine["slug"] == founders["slug"] == asked
    assert mine["to"] == ["founder", "role:ar-director"]
    of_chief = (await hq.do("ask.list", _token=await hq.agent("chief")))["items"]
    assert [each["slug"] for each in of_chief] == [asked], "the CEO is told what waits for the founder"


@pytest.mark.parametrize("how", END)
async def test_whose_assignment_ended_approves_nothing_more_from_that_seat(hq, team, director, how):
    asked = await asked_by_chief(hq)
    verb, args = END[how]
    await hq.do(verb, **args)

    decided = await hq.call("org.decide", ref=asked, _token=director)
    changed = await hq.call("position.update", position_id=5, level=4, _token=director)

    assert decided.error["code"] == "not_found", "it is no longer there for it"
    assert changed.error["code"] == "waiting", "it has to ask like anybody"
    assert "cook" not in str(await hq.do("role.list"))


async def test_the_seat_of_an_archived_persona_is_vacant_for_everybody_and_takes_the_next(hq, team, director):
    await hq.do("persona.archive", slug="ar-director-paula-2", unassign=True)
    seat = await team.seat("AR Director")
    assert "AR Director [ar-director, cross-cutting]: vacant" in await drawn(hq, team.slug)
    assert seat["agents"] == [] and "persona_slug" not in seat
    assert [row.get("seat") for row in (await hq.do("agent.roster"))["items"] if row["agent"] == "paula"] == [None]
    assert (await hq.do("org.whoami", persona_slug="ar-director-paula-2"))["positions"] == []

    await hq.do("agent.hire", name="Ada", position_id=2)

    asked = await asked_by_chief(hq)
    assert (await team.seat("AR Director"))["agents"] == ["ada"]
    assert (await hq.call("org.decide", ref=asked, _token=await hq.agent("ada"))).ok


async def test_what_ends_an_assignment_says_which_agents_have_no_seat_now(hq, team, director):
    unassigned = await hq.call("org.unassign", position_id=2)
    assert unassigned.data["agents"] == ["paula"]

    await hq.do("action.undo", id=str(unassigned.action_id))
    archived = await hq.do("persona.archive", slug="ar-director-paula-2", unassign=True)

    assert archived["agents"] == ["paula"]


async def test_taking_the_end_of_an_assignment_back_gives_the_seat_back(hq, team, director):
    asked = await asked_by_chief(hq)
    ended = await hq.call("persona.archive", slug="ar-director-paula-2", unassign=True)

    await hq.do("action.undo", id=str(ended.action_id))

    assert (await team.seat("AR Director"))["agents"] == ["paula"]
    assert (await hq.call("org.decide", ref=asked, _token=director)).ok


async def test_whoever_is_put_into_a_seat_leads_from_it_and_who_left_it_does_not(hq, team):
    manager = await seated(hq, "Gavin", team.slug, "Project Manager")
    await hq.do("agent.hire", name="Forge", position_id=5)
    await hq.do("agent.hire", name="Ada", org=team.slug, title="Tester", role="qa")
    ada = await hq.agent("ada")
    assert (await hq.call("agent.attach", agent="forge", _token=manager)).ok

    await hq.do("org.unassign", position_id=7)
    await hq.do("org.assign", position_id=3, persona_slug="qa-ada-5", reassign=True)

    assert (await hq.call("agent.attach", agent="forge", _token=manager)).error["code"] == "cross_scope_violation"
    assert (await hq.call("agent.attach", agent="forge", _token=ada)).ok


async def test_mail_for_a_seat_finds_who_is_assigned_to_it(hq, team):
    forge = await seated(hq, "Forge", team.slug, "Developer")
    await hq.do("agent.hire", name="Gavin", position_id=3)
    await hq.do("agent.hire", name="Ada", org=team.slug, title="Tester", role="qa")
    first = await hq.do("agent.send", agent="manager", text="Done", _token=forge)

    await hq.do("org.assign", position_id=3, persona_slug="qa-ada-5", reassign=True)
    second = await hq.do("agent.send", agent="manager", text="Done", _token=forge)
    await hq.do("org.unassign", position_id=3)
    third = await hq.do("agent.send", agent="manager", text="Done", _token=forge)

    to = [(await hq.do("agent.read", message=each["message"]))["items"][0]["to"] for each in (first, second, third)]
    assert to == ["agent:gavin", "agent:ada", "manager"], "an empty seat keeps it until somebody sits there"


async def test_of_several_seats_the_one_given_last_is_where_an_agent_is_met(hq, team, director):
    await hq.do("org.create", template="economy")
    await hq.do("org.assign", position_id=8, persona_slug="ar-director-paula-2")

    roster = {row["agent"]: row for row in (await hq.do("agent.roster"))["items"]}

    assert roster["paula"]["organisation"] == "economy-economy-2"
    for position in (5, 9):
        assert (await hq.call("position.update", position_id=position, level=4, _token=director)).ok, "directs both"


async def test_a_persona_that_an_agent_is_already_is_not_hired_once_more(hq, team, director):
    refused = await hq.call("agent.hire", name="Ada", position_id=5, persona_slug="ar-director-paula-2")

    assert refused.error["code"] == "conflict" and "paula is ar-director-paula-2" in refused.error["message"]
    assert "hq org assign" in refused.error["hint"]


async def test_who_was_succeeded_has_no_seat_when_it_comes_back(hq, team, director):
    await hq.do("agent.succeed", agent="paula", by="Ada")
    asked = await asked_by_chief(hq)

    await hq.do("agent.resume", agent="paula")

    assert (await team.seat("AR Director"))["agents"] == ["ada"]
    assert (await hq.call("org.decide", ref=asked, _token=director)).error["code"] == "not_found"
    assert (await hq.call("org.decide", ref=asked, _token=await hq.agent("ada"))).ok


@pytest.mark.parametrize("first", ["agents", "office", "hire"])
async def test_founding_seats_the_chief_and_the_operator_in_whatever_order(hq, first):
    if first == "agents":
        await hq.do("agent.load")
    if first == "hire":
        await hq.do("agent.hire", name="Forge", title="Helper", role="helper")
    else:
        await hq.do("org.create", template="solo-founder")
    await hq.do("agent.load")

    tree = await drawn(hq, "Office")
    chief, operator = [await hq.do("position.show", position_id=number) for number in (1, 3)]
    assert "Chief of Staff [chief-of-staff]: chief" in tree and "Operations [operations]: operator" in tree
    assert (chief["agents"], operator["agents"]) == (["chief"], ["operator"])


async def test_founding_a_second_office_leaves_the_chief_where_it_sits(hq):
    await hq.do("agent.load")
    await hq.do("org.create", template="solo-founder")
    await hq.do("org.create", template="solo-founder", name="Second")

    assert "Chief of Staff [chief-of-staff]: vacant" in await drawn(hq, "Second")
    assert "Chief of Staff [chief-of-staff]: chief" in await drawn(hq, "Office")


async def test_the_founding_is_undone_with_who_sat_there(hq):
    await hq.do("agent.load")
    founded = await hq.call("org.create", template="solo-founder")

    await hq.do("action.undo", id=str(founded.action_id))

    assert (await hq.do("org.list"))["items"] == []
    assert [row.get("seat") for row in (await hq.do("agent.roster"))["items"]] == [None, None]


async def test_an_unseated_chief_is_not_seated_again_by_reading_its_files(hq):
    await hq.do("agent.load")
    await hq.do("org.create", template="solo-founder")
    await hq.do("org.unassign", position_id=1)

    await hq.do("agent.load")

    assert "Chief of Staff [chief-of-staff]: vacant" in await drawn(hq, "Office")


async def test_a_chief_that_gets_another_name_has_it_in_the_chart_too(hq):
    await hq.do("onboard.answer", ceo="Ada", skip=["company"])
    await hq.do("org.create", template="solo-founder")
    assert "Chief of Staff [chief-of-staff]: Ada" in await drawn(hq, "Office")

    await hq.do("onboard.answer", ceo="Grace", skip=["company"])

    assert "Chief of Staff [chief-of-staff]: Grace" in await drawn(hq, "Office")


async def test_a_seat_of_its_own_does_not_part_the_chief_from_the_other_organisations(hq, team):
    await hq.do("agent.load")
    await hq.do("org.create", template="solo-founder")
    forge = await seated(hq, "Forge", team.slug, "Developer")
    chief, operator = await hq.agent("chief"), await hq.agent("operator")

    assert (await hq.call("agent.send", agent="forge", text="How is it?", _token=chief)).ok
    assert (await hq.call("agent.send", agent="forge", text="How is it?", _token=operator)).ok
    assert (await hq.call("agent.send", agent="chief", text="Fine", _token=forge)).ok
    told = await hq.do("agent.broadcast", group="@all", text="Hello", _token=chief)
    assert {each["agent"] for each in told["items"]} == {"operator", "forge"}


async def test_who_sat_where_is_known_of_any_moment(hq, team, director, clock):
    before = clock.now()
    clock.advance(hours=1)
    await hq.do("org.unassign", position_id=2)

    then = await hq.do("position.show", position_id=2, _at=before.isoformat())

    assert then["agents"] == ["paula"] and (await team.seat("AR Director"))["agents"] == []


async def test_there_is_no_second_way_to_say_who_sits_where(hq, team):
    await hq.do("agent.hire", name="Forge", position_id=5)
    director = (await team.seat("AR Director"))["slug"]

    linked = await hq.call("graph.link", source="forge", edge="sits_in", target=director)
    updated = await hq.call("agent.update", ref="forge", position=director)

    assert linked.error["code"] == updated.error["code"] == "invalid"
    assert (await team.seat("AR Director"))["agents"] == []


async def test_whose_persona_is_archived_is_given_no_mission(hq, team):
    await seated(hq, "Dev", team.slug, "Developer")
    persona = (await team.seat("Developer"))["persona_slug"]
    for title in ("Develop the page", "Develop the shop"):
        await hq.do("mission.create", title=title)
    assert (await hq.do("mission.assign", ref="develop-the-page"))["agent"] == "dev"
    await hq.do("persona.archive", slug=persona, unassign=True)

    given = await hq.call("mission.assign", ref="develop-the-shop")

    assert given.error["code"] == "conflict" and "nobody here can do develop-the-shop" in given.error["message"]
