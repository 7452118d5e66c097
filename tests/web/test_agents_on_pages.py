"""The founder reads any agent's conversation: who works here, how each is, and what was said and done, as it happens."""

from __future__ import annotations

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import expect

from tests.support.paying import route

PHONE = {"width": 390, "height": 844}
ADD = ("hq_task", {"action": "create", "title": "Call Ana"})
WRONG = ("hq_task", {"action": "show", "ref": "nothing-of-that-name"})
DONE = 'All **done**.\n\n<task-complete reason="ok; memory_entry_count=0"/>'


async def test_who_is_retired_leaves_the_page_and_stays_in_its_past(desk):
    await desk.play.agent("scout")
    before = desk.hq.clock.now().isoformat()
    desk.hq.clock.advance(hours=1)
    await desk.hq.do("agent.update", ref="scout", status="retired")
    context = await desk.context()

    page = await desk.open(context, "/agents")
    await expect(page.get_by_role("link", name="operator")).to_be_visible()
    await expect(page.get_by_role("link", name="scout")).to_have_count(0)

    then = await desk.open(context, f"/agents?at={before.replace('+', '%2B')}")
    await expect(then.get_by_role("link", name="scout")).to_be_visible()
    assert desk.complaints == []


async def test_from_the_agents_to_one_of_them_to_what_was_said(desk):
    await desk.play.agent("scout")
    await desk.hq.do("mission.create", title="Look around")
    await desk.hq.do("mission.assign", ref="look-around", to="scout")
    await desk.play.runner([ADD, WRONG, DONE]).run_once()
    page = await desk.open(await desk.context(), "/agents")

    await page.get_by_role("link", name="scout").click()
    await expect(page.locator(".status").first).to_contain_text("asleep")
    await expect(page.get_by_text("Look around").first).to_be_visible()
    await expect(page.locator("dt", has_text="Cost today")).to_be_visible()
    await page.locator(".sessions a").first.click()

    said = page.locator(".line.assistant .text strong")  # twice: its mission is open, and it was told so once
    await expect(said).to_have_text(["done", "done"])
    calls = page.locator(".call")
    await expect(calls).to_have_count(2)
    await expect(calls.first.locator("pre").first).to_be_hidden()
    await calls.first.locator("summary").click()
    await expect(calls.first.locator("pre").last).to_contain_text('"slug": "call-ana"')
    await expect(page.locator(".step-problem")).to_contain_text("there is no task")  # a failure is never folded away
    await expect(page.locator(".standing .tag")).to_have_text("done")
    assert desk.complaints == []


async def test_a_session_is_read_while_it_runs_and_what_is_open_stays_open(desk):
    await desk.play.agent("scout")
    await desk.hq.do("agent.send", agent="scout", text="Begin, please")
    session = (await desk.hq.do("session.list", agent="scout"))["items"][0]["session"]
    page = await desk.open(await desk.context(), f"/sessions/{session}")
    await expect(page.locator(".standing .tag")).to_have_text("queued")
    for name in ("Acme", "Acme Inc"):
        await desk.hq.do("entity.create", name=name)
    asks = ("hq_entity", {"action": "merge", "loser": "acme-inc", "into": "acme"})
    await desk.play.runner([ADD, asks, DONE]).run_once()

    await expect(page.locator(".standing")).to_contain_text("waiting")
    await expect(page.locator(".line.user .text")).to_have_text("Begin, please")
    calls = page.locator(".call")
    await calls.nth(1).locator("summary").click()
    await expect(page.locator(".note").last).to_have_text("Waits for your approval")
    approval = (await desk.hq.do("approval.list"))["items"][0]["slug"]
    await desk.hq.do("approval.approve", ref=approval)
    await route(desk.hq)
    await desk.play.runner([ADD, asks, DONE]).run_once()

    await expect(page.locator(".standing .tag")).to_have_text("done")
    await expect(calls.nth(1)).to_have_attribute("data-state", "done")
    await expect(calls.nth(1)).to_have_attribute("open", "")
    await expect(calls.first).not_to_have_attribute("open", "")
    assert desk.complaints == []


async def test_a_long_session_begins_at_its_end_and_goes_back_when_asked(desk):
    await desk.play.agent("scout")
    many = [("hq_task", {"action": "create", "title": f"Task number {n}"}) for n in range(80)]
    session, _ = await desk.play.run([many[:40], many[40:], DONE])
    page = await desk.open(await desk.context(), f"/sessions/{session}")
    await expect(page.get_by_text("Task number 79", exact=True)).to_be_visible()
    await expect(page.get_by_text("Task number 0", exact=True)).to_have_count(0)

    await page.get_by_role("button", name="Show earlier steps").click()

    await expect(page.get_by_text("Task number 0", exact=True)).to_have_count(1)
    about = await page.locator(".call .about").all_inner_texts()
    assert [text for text in about if text] == [f"Task number {n}" for n in range(80)]


async def test_the_pages_go_back_in_time(desk):
    hq = desk.hq
    await desk.play.agent("scout")
    session, _ = await desk.play.run([DONE], text="The first thing")
    before = hq.clock.now().isoformat()
    hq.clock.advance(hours=1)
    await desk.play.run([DONE], text="The second thing")
    await hq.do("agent.update", ref="scout", role="Chief scout")
    context = await desk.context()

    page = await desk.open(context, "/agents/scout")
    await expect(page.locator(".sessions .title")).to_have_text(["The second thing", "The first thing"])
    then = await desk.open(context, f"/agents/scout?at={before.replace('+', '%2B')}")
    await expect(then.locator(".sessions .title")).to_have_text(["The first thing"])
    await expect(then.locator(".head p").first).to_have_text("Scout")
    await expect(then.locator(".past")).to_contain_text("As it was at")
    await then.locator(".sessions a").click()
    await expect(then.get_by_text("All done.")).to_be_visible()
    await then.get_by_role("link", name="Back to now").click()
    await expect(then.locator(".past")).to_have_count(0)
    early = (hq.clock.now().replace(year=2020)).isoformat().replace("+", "%2B")
    gone = await context.request.get(f"{desk.url}/sessions/{session}?at={early}", headers={"accept": "text/html"})
    assert gone.status == 404 and "There is nothing here" in await gone.text()


async def test_the_conversation_and_the_inbox_go_back_too_and_nothing_can_be_pressed_there(desk):
    hq = desk.hq
    await hq.do("ceo.quiet", hours="off")
    await hq.do("chat.say", text="Good morning")
    yes = {"key": "yes", "label": "Yes, do"}
    chief = await hq.agent("chief")
    card = (await hq.do("card.send", kind="choice", title="Shall I?", buttons=[yes], _token=chief))["id"]
    before = hq.clock.now().isoformat().replace("+", "%2B")
    hq.clock.advance(hours=1)
    await hq.do("card.press", card=card, button="yes")
    await hq.do("chat.say", text="Good evening")
    context = await desk.context()

    now = await desk.open(context, "/inbox")
    await expect(now.get_by_text("Nothing waits for you")).to_be_visible()
    for path in ("/", "/inbox"):
        then = await desk.open(context, f"{path}?at={before}")
        await expect(then.locator(".past")).to_contain_text("As it was at")
        await expect(then.locator(".card h2")).to_have_text("Shall I?")
        await expect(then.locator(".card")).to_have_attribute("data-state", "open")
        await expect(then.get_by_role("button", name="Yes, do")).to_have_count(0)
    talk = await desk.open(context, f"/?at={before}")
    await expect(talk.get_by_text("Good morning")).to_be_visible()
    await expect(talk.get_by_text("Good evening")).to_have_count(0)
    await expect(talk.get_by_role("textbox")).to_have_count(0)
    await hq.do("chat.say", text="Good night")
    await talk.get_by_role("link", name="Back to now").click()
    await expect(talk.get_by_text("Good night")).to_be_visible()
    await expect(talk.get_by_role("textbox", name="Message")).to_be_visible()
    assert desk.complaints == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_they_are_readable_by_everyone_on_a_phone_too(desk, scheme):
    name = "a" * 100
    made = await desk.hq.do("agent.create", name=name, role="Somebody with a title that is rather long " * 2)
    rtl = "שלום עולם مرحبا 🎉 " + "averylongwordwithoutanybreak" * 20
    odd = ("hq_task", {"action": "create", "title": rtl[:200]})
    session, _ = await desk.play.run([odd, WRONG, f"| a | b |\n|---|---|\n| {rtl} | 2 |\n\n```\n{'code ' * 80}\n```\n{DONE}"],
                                     text=rtl, agent=made["slug"])  # fmt: skip
    for viewport in (PHONE, {"width": 1280, "height": 860}):
        context = await desk.context(viewport=viewport, color_scheme=scheme)
        for path in ("/agents", f"/agents/{made['slug']}", f"/sessions/{session}"):
            page = await desk.open(context, path)
            assert await page.evaluate("document.documentElement.scrollWidth") <= viewport["width"], path
            for fold in await page.locator("details").all():
                await fold.evaluate("fold => { fold.open = true; }")
            found = await Axe().run(page)
            assert found.violations_count == 0, f"{path} {found.generate_report()}"
            await page.close()
    assert desk.complaints == []
