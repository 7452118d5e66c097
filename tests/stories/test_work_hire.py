"""A hire for a mission (F8): one yes hires, seats and assigns, and the mission begins; seats are named by what a model is shown."""

from __future__ import annotations

from tests.support.play import Told, house  # noqa: F401
from tests.support.story_worker import worker

HIRE = {"name": "Forge", "role": "developer", "title": "Developer", "about": "Builds web apps."}


async def test_f8_one_yes_hires_seats_and_assigns_and_the_mission_begins(house):  # noqa: F811
    hq = house.hq
    await hq.do("org.create", template="software-team")
    await hq.do("mission.create", title="Something else", priority="critical", deliverables=["file:a.txt"])
    await hq.do("mission.create", title="Flight tracker", deliverables=["file:index.html"])
    chief = await hq.agent("chief", scopes=["read", "write"])
    asked = await hq.call("agent.hire", **HIRE, mission="flight-tracker", _token=chief)

    await hq.do("approval.approve", ref=asked.data["approval"])

    shown = await hq.do("mission.show", ref="flight-tracker")
    assert shown["props"]["status"] == "assigned"
    [session] = (await hq.do("session.list", agent="forge"))["items"]
    mind = Told(['Well. <task-complete reason="done" memory_entry_count="0"/>'])
    await worker(house, mind).run_once()
    ask, *_ = mind.asked
    assert "On a mission." in ask.instructions, "it is told by its files from the first call on"
    assert "Flight tracker" in str(ask.messages) and session["trigger"] == "mission flight-tracker"


async def test_f8_a_vacant_seat_of_that_title_is_taken(house):  # noqa: F811
    hq = house.hq
    await hq.do("org.create", template="software-team")
    vacant = {each["title"]: each["position_id"] for each in (await hq.do("org.vacancies"))["items"]}

    hired = await hq.do("agent.hire", **HIRE)
    other = await hq.do("agent.hire", name="Anvil", role="developer")

    assert hired["position_id"] == vacant["Developer"]
    assert other["position_id"] not in vacant.values() and other["title"] == "Developer 2"


async def test_f8_the_ceo_is_shown_the_vacant_seats_by_their_number(house):  # noqa: F811
    await house.hq.do("org.create", template="software-team")
    vacant = {each["title"]: each["position_id"] for each in (await house.hq.do("org.vacancies"))["items"]}
    mind = Told(["Hello."])
    await house.hq.do("chat.say", agent="chief", text="Hello.")
    await worker(house, mind).run_once()

    now = mind.asked[0].now
    assert f"{vacant['Developer']} Developer (" in now, now


async def test_f8_nobody_is_hired_for_what_somebody_has(house):  # noqa: F811
    hq = house.hq
    await hq.do("mission.create", title="Flight tracker", deliverables=["file:index.html"])
    await hq.do("mission.assign", ref="flight-tracker", to="operator")

    refused = await hq.call("agent.hire", **HIRE, mission="flight-tracker")

    assert refused.code == "conflict" and "assigned" in refused.message
