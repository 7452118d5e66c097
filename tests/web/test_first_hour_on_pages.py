"""The first hour on the pages: what a new founder does, and what stands there while things happen."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import expect
from pydantic_ai.messages import ModelResponse, TextPart

from hq.minds.mind import Reply, TokenUsage
from tests.web.test_payoff_on_pages import built

PHONE = {"width": 390, "height": 844}
FITS = "document.documentElement.scrollHeight <= innerHeight"


async def test_a_report_leaves_the_conversation_with_one_scrollbar(desk):
    mission = await built(desk)
    for n in range(6):
        await desk.hq.do("chat.say", text=f"question {n}\n" * 12)
    await desk.hq.do("card.send", kind="report", title="Flight log 2 is done", about=mission)

    page = await desk.open(await desk.context())

    await expect(page.get_by_role("link", name="Open")).to_be_visible()
    assert await page.evaluate(FITS)


async def test_a_mission_that_is_watched_until_it_is_done_says_so_and_takes_a_change_at_once(desk):
    hq = desk.hq
    await hq.do("agent.create", name="forge", role="Developer")
    mission = (await hq.do("mission.create", title="Notes", deliverables=["file:notes.md"]))["slug"]
    await hq.do("mission.assign", ref=mission, to="forge")
    await hq.do("mission.accept", ref=mission)
    page = await desk.open(await desk.context(), f"/missions/{mission}")
    await expect(page.locator("#stands")).to_have_text("in progress · forge")

    [space] = (await hq.do("workspace.list", mission=mission))["items"]
    tree = Path((await hq.do("workspace.begin", ref=space["slug"], session="hand"))["path"])
    await asyncio.to_thread((tree / "notes.md").write_text, "# Notes")
    for step in ("save", "merge"):
        await hq.do(f"workspace.{step}", ref=space["slug"], session="hand")
    await hq.do("mission.submit", ref=mission, outcome="The notes are there.")

    await expect(page.locator("#stands")).to_have_text("done · forge")
    await page.get_by_role("link", name="Ask for a change").click()
    await expect(page.get_by_label("What should be different?")).to_be_focused()
    await page.get_by_label("What should be different?").fill("Shorter")
    await page.get_by_role("button", name="Have it changed").click()
    await page.wait_for_url("**/missions/change-of-*")
    assert desk.complaints == []


async def test_every_page_leads_to_the_settings_the_house_and_out_on_a_phone_too(desk):
    wide, phone = [await desk.open(await desk.context(**how)) for how in ({}, {"viewport": PHONE})]
    await phone.get_by_role("button", name="More").click()

    for page in (wide, phone):
        for link in ("Settings", "House"):
            await expect(page.get_by_role("link", name=link)).to_be_in_viewport()
        await expect(page.get_by_role("button", name="Log out")).to_be_in_viewport()
    assert (await Axe().run(phone)).violations_count == 0
    await phone.get_by_role("link", name="Settings").click()
    await expect(phone.get_by_label("Provider")).to_be_visible()


class Offering:
    """A mind that puts a card before the founder while it is still at work, and goes on once the page shows that."""

    name = "offering"

    def __init__(self, desk, page) -> None:
        self.desk, self.page = desk, page

    async def answer(self, ask, *, on_text=None) -> Reply:
        await self.desk.hq.do("card.offer_freeze", _token=await self.desk.hq.agent("chief"))
        await expect(self.page.locator("#cards").get_by_role("heading", name="Stop everything?")).to_be_visible()
        return Reply(ModelResponse(parts=[TextPart("Press it.")]), self.name, TokenUsage(1, 1), None, 1.0)


async def test_what_the_ceo_puts_before_the_founder_while_it_speaks_stands_there_once(desk):
    await desk.hq.do("ceo.quiet", hours="off")
    page = await desk.open(await desk.context())
    await desk.hq.do("chat.say", text="Stop everything")

    await desk.play.runner(Offering(desk, page)).run_once()

    await expect(page.locator(".line .card")).to_have_count(1)
    await expect(page.locator("#cards .card")).to_have_count(0)
    assert "`" not in await page.locator("main").inner_text()


@pytest.mark.parametrize("path", ["/", "/inbox", "/work", "/agents", "/house"])
async def test_where_everything_is_stopped_every_page_lets_it_go_on(desk, path):
    page = await desk.open(await desk.context(), path)
    go_on = page.get_by_role("button", name="Let it go on")
    await expect(go_on).to_be_hidden()

    await desk.hq.do("freeze.set")
    await expect(go_on).to_be_visible()
    await page.reload()
    assert (await Axe().run(page)).violations_count == 0
    await go_on.click()

    await expect(go_on).to_be_hidden()
    assert (await desk.hq.do("freeze.list"))["items"] == [] and desk.complaints == []


async def test_a_mission_shows_what_it_waits_for_and_takes_the_answer(desk):
    hq = desk.hq
    await hq.do("agent.create", name="forge", role="Developer")
    mission = (await hq.do("mission.create", title="Notes", deliverables=["file:notes.md"]))["slug"]
    await hq.do("mission.assign", ref=mission, to="forge")
    chief = await hq.agent("chief")
    page = await desk.open(await desk.context(), f"/missions/{mission}")
    await hq.call("escalation.raise", mission=mission, summary="Which colour?", _token=chief)

    await page.get_by_label("Your answer").fill("Green.")
    await page.get_by_role("button", name="Answer").click()

    await expect(page.get_by_label("Your answer")).to_have_count(0)
    assert (await hq.do("ask.list", to="all"))["items"] == []
