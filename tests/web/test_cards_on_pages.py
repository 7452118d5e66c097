"""Cards the CEO puts before the founder, on the pages: seen live, answered once, on every device."""

from __future__ import annotations

import asyncio
import re

from axe_playwright_python.async_playwright import Axe
from playwright.async_api import expect

PHONE = {"width": 390, "height": 844}


async def card(desk, **more) -> str:
    """Something that is to be decided."""
    await desk.hq.do("ceo.quiet", hours="off")
    hire = {"key": "hire", "label": "Hire", "verb": "agent.create", "args": {"name": "quill", "role": "Writer"}}
    said = {
        "kind": "hire",
        "title": "I would hire a writer",
        "text": "**Three** texts wait.",
        "facts": [{"name": "role", "value": "Writer"}],
        "buttons": [hire | {"main": True}, {"key": "no", "label": "Not now"}],
    }
    return (await desk.hq.do("card.send", **said | more))["id"]


NAMES = [{"key": "a", "label": "The Weekly"}, {"key": "b", "label": "Field Notes"}]


async def test_a_card_comes_into_the_conversation_and_is_pressed_once_on_two_devices(desk):
    desktop = await desk.open(await desk.context())
    phone = await desk.open(await desk.context(viewport=PHONE))
    await card(desk)
    yes = [page.get_by_role("button", name="Hire") for page in (desktop, phone)]
    for page, button in zip((desktop, phone), yes, strict=True):
        await expect(button).to_be_visible()
        await expect(page.locator(".line .card strong").last).to_have_text("Three")
        await expect(page.locator("[data-badge]")).to_contain_text("1")
        await expect(page.locator(".pip[data-state=waiting]").first).to_be_attached()

    handles = [await each.element_handle() for each in yes]  # by now, for whoever is first makes the other's button go
    await asyncio.gather(*(each.evaluate("button => { button.click(); button.click(); }") for each in handles if each))

    for page in (desktop, phone):
        await expect(page.locator(".card .became")).to_have_text("Hire ✓")
        await expect(page.locator("[data-badge]")).to_be_hidden()
    made = [a for a in (await desk.hq.do("action.list"))["items"] if a["verb"] == "agent.create"]
    assert len(made) == 1
    assert desk.complaints == []


async def test_what_a_button_could_not_do_is_said_and_can_be_tried_again(desk):
    await desk.hq.do("mission.create", title="Count the birds")
    go = {"key": "go", "label": "Go on", "verb": "mission.resume", "args": {"ref": "count-the-birds"}}
    await card(desk, buttons=[go])
    page = await desk.open(await desk.context(), "/inbox")

    await page.get_by_role("button", name="Go on").click()
    await expect(page.locator(".card .problem")).to_contain_text("backlog")
    await desk.hq.do("review.create", question_text="Which name?", options=[{"key": "a", "label": "The Weekly"}])
    await expect(page.get_by_role("button", name="The Weekly")).to_be_visible()  # all cards were drawn anew
    await expect(page.locator(".card .problem").filter(visible=True)).to_contain_text("backlog")
    await expect(page.get_by_role("button", name="Go on")).to_be_enabled()

    await page.reload()
    await desk.hq.do("mission.assign", ref="count-the-birds", to="operator")
    await desk.hq.do("mission.pause", ref="count-the-birds", why="It rains.")
    await page.get_by_role("button", name="Go on").click()
    await expect(page.get_by_role("button", name="Go on")).to_be_hidden()
    shown = await desk.hq.do("mission.show", ref="count-the-birds")
    assert shown["props"]["status"] == "assigned"


async def decided_elsewhere(desk, context):
    """A page of the inbox that was cut off while what it shows was answered."""
    asked = await desk.hq.do("review.create", question_text="Which name?", options=NAMES)
    await context.route("**/stream*", lambda route: route.abort())
    page = await context.new_page()
    await page.goto(f"{desk.url}/inbox")
    await expect(page.get_by_role("button", name="The Weekly")).to_be_visible()
    await desk.hq.do("ask.answer", ask=asked["slug"], option="a")
    return page


async def test_another_answer_that_came_first_is_told(desk):
    context = await desk.context()
    page = await decided_elsewhere(desk, context)

    await page.get_by_role("button", name="Field Notes").click()

    told = page.locator(".card .problem")
    await expect(told).to_contain_text(re.compile(r"answered already by founder, \d+:\d\d( [AP]M)?: The Weekly"))
    await expect(page.get_by_role("button", name="Field Notes")).to_be_disabled()
    await page.get_by_role("button", name="Dismiss").click()
    await expect(page.locator(".card")).to_have_count(0)


async def test_who_lost_the_race_over_a_button_in_the_conversation_is_told_who_was_first(desk):
    asked = await desk.hq.do("review.create", question_text="Which name?", options=NAMES)
    await desk.hq.do("ceo.quiet", hours="off")
    await desk.hq.do("card.send", kind="choice", ask=asked["slug"])
    page = await desk.open(await desk.context())
    held = asyncio.Event()

    async def late(route):
        """The press is under way while the other answer, and the news of it, come in."""
        async with page.expect_response("**/part/cards*"):
            await desk.hq.do("ask.answer", ask=asked["slug"], option="a")
        await route.continue_()
        held.set()

    await page.route("**/api/card/press", late)
    await page.get_by_role("button", name="Field Notes").click()

    await held.wait()
    await expect(page.locator("#lines .card .problem")).to_contain_text("answered already by founder")
    await expect(page.locator("#lines .card .problem")).to_contain_text("The Weekly")


async def test_what_was_answered_meanwhile_is_gone_once_there_is_a_connection_again(desk):
    context = await desk.context()
    page = await decided_elsewhere(desk, context)

    await context.unroute("**/stream*")

    await expect(page.locator(".card")).to_have_count(0)


async def test_what_an_agent_asks_is_answered_in_words(desk):
    operator = await desk.hq.agent("operator")
    await desk.hq.call("agent.ask", agent="founder", text="Blue or green?", _token=operator)
    page = await desk.open(await desk.context(), "/inbox")

    await page.get_by_label("Your answer").fill("Green.")
    await page.get_by_role("button", name="Answer").click()

    await expect(page.get_by_text("Nothing waits for you")).to_be_visible()
    sent = await desk.hq.do("agent.inbox", agent="operator")
    assert [item["text"] for item in sent["items"]] == ["Green."]


async def test_cards_can_be_read_by_everybody(desk):
    await card(
        desk, severity="warning", buttons=[{"key": "in", "label": "Go to approvals", "link": "/inbox", "main": True}]
    )
    page = await desk.open(await desk.context(viewport=PHONE))
    await expect(page.get_by_role("link", name="Go to approvals")).to_be_visible()

    found = await Axe().run(page)

    assert found.response["violations"] == []


async def test_l5_what_the_ceo_said_meanwhile_is_unread_on_every_other_page_until_it_is_looked_at(desk):
    page = await desk.open(await desk.context(), "/work")
    unread = page.locator("[data-unread-badge]")
    await expect(unread).to_be_hidden()

    await card(desk, kind="report", buttons=[])

    await expect(unread).to_contain_text("1")
    await expect(page.locator("[data-badge]")).to_be_hidden()  # it is told, nothing waits
    await page.get_by_role("link", name="CEO chat").click()
    await expect(page.locator(".line .card").last).to_be_visible()
    await expect(page.locator("[data-unread-badge]")).to_be_hidden()
    async with page.expect_response("**/api/chat/read"):
        pass
    await page.goto(f"{desk.url}/work")
    await expect(page.locator("[data-unread-badge]")).to_be_hidden()
    assert desk.complaints == []
