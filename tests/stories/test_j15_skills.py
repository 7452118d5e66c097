"""J15, J-4: a mission that needs a skill asks for it once; one yes enables it, gives it to who has the mission, and goes on."""

from __future__ import annotations

import pytest

from tests.support.heart import Heart
from tests.support.play import house  # noqa: F401

LETTER = "---\nname: letter-press\ndescription: Set a letter. Use when one is to be printed.\n---\nSet it.\n"


@pytest.fixture
async def firm(house):  # noqa: F811
    hq = house.hq
    await hq.do("agent.hire", name="Forge", role="Developer", about="Builds and prints things.")
    await hq.do("skill.import", name="letter-press", files=[{"path": "SKILL.md", "content": LETTER}])
    await hq.do("ceo.quiet", hours="off")
    return hq


async def given(hq, token: str | None = None, **more):
    await hq.do("mission.create", title="Print the offer", **more)
    return await hq.call("mission.assign", ref="print-the-offer", to="forge", **({"_token": token} if token else {}))


async def may(hq, skill: str = "letter-press", **more) -> tuple[str, str]:
    told = await hq.do("agent.can", agent="forge", what=skill, **more)
    return told["may"], told["rights"][0]["from"]


async def test_j15_one_yes_enables_what_a_mission_needs_lends_it_and_gives_the_mission_out(firm):
    asked = await given(firm, await firm.agent("chief"), skills=["letter-press"])
    assert asked.error["code"] == "waiting"
    [waits] = (await firm.do("ask.list"))["items"]

    await firm.do("ask.answer", ask=waits["slug"], option="yes")

    shown = await firm.do("mission.show", ref="print-the-offer")
    assert shown["props"]["status"] == "assigned" and (await firm.do("ask.list"))["items"] == []
    assert (await firm.do("skill.show", skill="letter-press"))["status"] == "enabled"
    assert await may(firm, mission="print-the-offer") == ("yes", "brief of print-the-offer")
    assert "forge" in (await firm.do("skill.show", skill="letter-press"))["agents"], "and its workers with it"


async def test_j15_what_a_brief_lends_ends_with_its_mission(firm):
    await given(firm, skills=["letter-press"])
    assert (await firm.do("skill.show", skill="letter-press"))["agents"] == ["forge"]

    await firm.do("mission.fail", ref="print-the-offer", why="no paper")

    assert (await firm.do("skill.show", skill="letter-press"))["agents"] == []
    assert await may(firm) == ("asks", "nobody gave it")


async def test_j15_nobody_hands_on_a_skill_that_is_not_its_own(firm):
    await firm.do("agent.hire", name="Scout", role="Research Analyst", about="Prints and compares things.")
    await firm.do("skill.enable", skill="letter-press")
    forge = await firm.agent("forge")
    await firm.do("mission.create", title="Print a part", _token=forge)

    asked = await firm.call("mission.assign", ref="print-a-part", to="scout", skills=["letter-press"], _token=forge)

    assert asked.error["code"] == "waiting" and "cross-scope" in str(asked.data | asked.error)


async def test_j15_a_skill_that_there_is_not_is_refused_with_the_nearest(firm):
    await firm.do("mission.create", title="Print the offer", skills=["disk-helth"])

    refused = await firm.call("mission.assign", ref="print-the-offer", to="forge")

    assert refused.error["code"] == "not_found" and "disk-health" in refused.error["message"]


@pytest.mark.parametrize(
    ("title", "skill", "button"),
    [
        ("Use the letter press for the offer", "letter-press", "Enable, for forge"),
        ("Look at the disk health of the printer", "disk-health", "Give it to forge"),
    ],
)
async def test_j4_what_a_mission_names_and_its_agent_lacks_is_asked_for_once(firm, title, skill, button):
    heart = Heart(firm)
    await firm.do("mission.create", title=title, slug="it")
    await firm.do("mission.assign", ref="it", to="forge")
    await heart.beat(minutes=1)
    await heart.beat(minutes=1)

    [card] = [each for each in await heart.cards() if each["kind"] == "skill"]
    assert card["buttons"][0]["label"] == button
    await firm.do("card.press", card=card["id"], button="enable")

    assert (await may(firm, skill))[0] == "yes"
    await heart.beat(minutes=1)
    assert len([each for each in await heart.cards() if each["kind"] == "skill"]) == 1
