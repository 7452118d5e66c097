"""Using the pages: what is typed is kept, who reads is left in peace, and who is cut off is told."""

from __future__ import annotations

from playwright.async_api import expect

PHONE = {"width": 390, "height": 844}


async def test_what_is_typed_is_there_after_a_reload_and_gone_once_it_is_said(desk):
    page = await desk.open(await desk.context())
    box = page.get_by_label("Message Chief")
    await box.fill("Half a thought")
    await page.reload()
    await expect(box).to_have_value("Half a thought")

    await page.get_by_role("button", name="Send").click()

    await expect(page.locator(".line.user .text")).to_have_text("Half a thought")
    await expect(box).to_be_focused()
    await expect(box).to_have_value("")
    await page.reload()
    await expect(page.locator(".line.user time")).to_be_visible()
    await expect(box).to_have_value("")


async def test_what_was_said_is_not_there_to_be_said_again_where_the_page_is_left_before_the_answer(desk):
    page = await desk.open(await desk.context())
    box = page.get_by_label("Message Chief")
    await box.fill("Half a thought")

    async with page.expect_navigation():
        await page.evaluate("document.querySelector('#composer').requestSubmit(); setTimeout(() => location.reload())")

    await expect(page.locator(".line.user time")).to_be_visible()
    await expect(box).to_have_value("")


async def test_who_reads_what_was_before_is_left_there_and_told_of_what_is_new(desk):
    for n in range(8):
        await desk.hq.do("chat.say", text=f"question {n}\n" * 6)
        await desk.play.runner([f"answer {n}\n\n" * 4]).run_once()
    page = await desk.open(await desk.context(viewport=PHONE))
    place = "document.querySelector('.scroll').scrollTop"
    await expect(page.get_by_text("New messages")).to_be_hidden()
    await page.evaluate(f"{place} = 100")
    await page.wait_for_function(f"{place} === 100")

    await desk.hq.do("chat.say", text="From elsewhere")

    await expect(page.get_by_role("button", name="New messages")).to_be_visible()
    assert await page.evaluate(place) == 100
    await page.get_by_role("button", name="New messages").click()
    await expect(page.get_by_text("From elsewhere")).to_be_in_viewport()
    await expect(page.get_by_text("New messages")).to_be_hidden()


async def test_who_is_cut_off_is_told_on_a_phone_too_and_comes_back_by_itself(desk):
    context = await desk.context(viewport=PHONE)
    await context.route("**/stream*", lambda route: route.abort())
    page = await context.new_page()
    await page.goto(desk.url)

    await expect(page.get_by_text("No connection to hq")).to_be_visible()
    await context.unroute("**/stream*")

    await expect(page.get_by_text("No connection to hq")).to_be_hidden()
    await desk.hq.do("chat.say", text="Said while away")
    await expect(page.get_by_text("Said while away")).to_be_visible()


async def test_the_pip_of_the_ceo_turns_when_the_stream_is_lost_and_back_when_it_returns(desk):
    context = await desk.context()
    await context.route("**/stream*", lambda route: route.abort())
    page = await context.new_page()
    await page.goto(desk.url)
    pip, why = page.locator("[data-pip]").first, page.locator("[data-why]").first

    await expect(pip).to_have_attribute("data-state", "lost", timeout=10_000)
    await expect(why).to_have_text("no connection")
    await context.unroute("**/stream*")

    await expect(pip).to_have_attribute("data-state", "ready")
    await expect(why).to_have_text("ready")


async def test_a_long_list_of_work_is_shown_to_its_end(desk):
    for n in range(103):
        await desk.hq.do("task.create", title=f"Task number {n}")
    page = await desk.open(await desk.context(), "/work")
    await expect(page.locator(".count")).to_have_text("100+")

    await page.get_by_role("button", name="Show more").click()

    await expect(page.locator(".rows .title")).to_have_count(103)
    await expect(page.get_by_role("button", name="Show more")).to_have_count(0)
    assert desk.complaints == []


async def test_the_way_through_a_page_by_keyboard(desk):
    page = await desk.open(await desk.context(), "/agents")
    await page.keyboard.press("Tab")
    await expect(page.get_by_text("Skip to the page")).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(page.locator("#main")).to_be_focused()
    await page.keyboard.press("Tab")  # what scrolls
    await page.keyboard.press("Tab")
    await expect(page.get_by_role("link", name="chief")).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name="chief")).to_be_visible()
