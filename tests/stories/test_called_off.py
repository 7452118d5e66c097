"""Called off: what whoever gave it no longer wants has not failed, and nobody asks to have it tried again."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.heart import Heart, heart, mission
from tests.support.play import house  # noqa: F401
from tests.support.provider_by_hand import Line, answered_by_hand

__all__ = ["heart"]
WHY = "The founder wants no page of its own."


async def at_work(heart: Heart, **by: str) -> tuple[str, str]:
    slug = await mission(heart, "Opening hours page", deliverables=["file:hours.html"], **by)
    await heart.hq.do("agent.create", name="bruna", role="Developer")
    await heart.hq.do("mission.assign", ref=slug, to="bruna")
    bruna = await heart.hq.agent("bruna")
    await heart.hq.do("mission.accept", ref=slug, _token=bruna)
    return slug, bruna


async def buttons(heart: Heart) -> list[tuple[str, list[str]]]:
    return [(card["title"], [each["label"] for each in card["buttons"]]) for card in await heart.cards()]


async def test_the_founders_word_ends_a_mission_and_nothing_asks_to_try_it_again(house):  # noqa: F811
    def speaks(body: dict[str, Any]) -> Line:
        said = str(body["messages"])
        if "mission_fail" in said or "mission fail" in said:
            return Line("It is off.")
        return Line(calls=[("hq", {"command": f'mission fail opening-hours-page --why "{WHY}"'})])

    heart = Heart(house.hq)
    await heart.beat(hours=1)
    slug, _ = await at_work(heart)
    await heart.hq.do("agent.pause", agent="bruna")  # it would say something too
    firm = await answered_by_hand(house, speaks)

    await firm.say("No page for the opening hours after all; drop it.")
    await firm.work()
    await heart.beat(minutes=1)
    await heart.beat(minutes=20)

    props = (await house.hq.do("mission.show", ref=slug))["props"]
    assert (props["status"], props["called_off"], props["status_reason"]) == ("failed", True, WHY)
    assert [card for card in await buttons(heart) if "ours page" in card[0]] == []
    now = (await house.hq.do("context.show", agent="chief"))["text"].partition("<company-now>")[2]
    assert f'opening-hours-page "Opening hours page" called off: "{WHY}"' in now and "Try again" not in now
    told = await house.hq.do("ceo.brief", since="1d")
    assert [each["section"] for each in told["sections"] if each["items"][0]["slug"] == slug] == ["called off"]


async def test_what_is_called_off_without_the_founder_is_told_them_as_that(heart):
    slug, _ = await at_work(heart)

    await heart.hq.do("mission.fail", ref=slug, why=WHY, _token=await heart.hq.agent("chief"))
    await heart.beat(minutes=1)

    assert await buttons(heart) == [("Opening hours page was called off", ["Noted"])]
    [card] = await heart.cards()
    assert card["text"] == WHY and card["severity"] == "info"


async def test_what_its_agent_gives_up_has_failed(heart):
    slug, bruna = await at_work(heart)

    await heart.hq.do("mission.fail", ref=slug, why="I know nothing of it.", _token=bruna)
    await heart.beat(minutes=1)

    assert await buttons(heart) == [("Opening hours page has failed", ["Try again", "Noted"])]
    assert not (await heart.hq.do("mission.show", ref=slug))["props"]["called_off"]


@pytest.mark.parametrize("who", ["chief", "bruna"])
async def test_who_gave_it_hears_which_it_was(heart, who):
    await heart.hq.do("agent.create", name="rita", role="Lead")
    slug, _ = await at_work(heart, _token=await heart.hq.agent("rita"))

    await heart.hq.do("mission.fail", ref=slug, why=WHY, _token=await heart.hq.agent(who))

    [session] = (await heart.hq.do("session.list", agent="rita"))["items"]
    report = str((await heart.hq.do("session.show", id=session["session"]))["trigger"])
    assert f"is {'called off' if who == 'chief' else 'failed'}." in report


async def test_tried_again_it_goes_to_who_had_it_though_it_knows_nothing_of_it(heart):
    slug, bruna = await at_work(heart)
    await heart.hq.do("mission.fail", ref=slug, why="The page would not load.", _token=bruna)
    await heart.beat(minutes=1)
    [card] = await heart.cards()

    pressed = await heart.hq.do("card.press", card=card["id"], button="again")

    assert pressed["result"]["ok"], pressed
    shown = await heart.hq.do("mission.show", ref=slug)
    assert (shown["props"]["status"], shown["now"]["with"]) == ("assigned", "bruna")


async def test_what_cannot_be_tried_again_says_why_on_its_card(heart):
    slug, bruna = await at_work(heart)
    await heart.hq.do("mission.fail", ref=slug, why="The page would not load.", _token=bruna)
    await heart.hq.do("agent.pause", agent="bruna")
    await heart.beat(minutes=1)
    card = next(each for each in await heart.cards() if "has failed" in each["title"])

    for _ in range(2):
        pressed = await heart.hq.do("card.press", card=card["id"], button="again")
        assert not pressed["result"]["ok"]

    card = next(each for each in await heart.cards() if "has failed" in each["title"])
    assert not card.get("pressed"), card
    [why] = [fact["value"] for fact in card["facts"] if fact["name"] == "did not work"]
    assert "nobody here can do" in why
