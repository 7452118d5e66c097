"""The pages as a founder sees them: live, safe, on any screen."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import expect

from hq.minds.config import PROVIDERS
from tests.support.provider import no_keys, provider, running
from tests.support.speaking import Spoken

__all__ = ["no_keys", "provider", "running"]

PHONE = {"width": 390, "height": 844}
STORY = "**Bold** news:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n<img src=x onerror=alert(1)> [x](javascript:alert(1))"


async def approval(desk) -> str:
    """Something that waits for a yes."""
    await desk.hq.do("entity.create", name="Acme")
    await desk.hq.do("entity.create", name="Acme Inc")
    waits = await desk.hq.call("entity.merge", loser="acme-inc", into="acme", _token=await desk.hq.agent("operator"))
    return waits.data["approval"]


async def test_an_answer_is_read_while_it_is_said_and_can_do_no_harm(desk):
    page = await desk.open(await desk.context())
    await expect(page.get_by_role("heading", name="Say what you want done")).to_be_visible()
    await page.get_by_label("Message Chief").fill("Tell me")
    await page.keyboard.press("Enter")
    await expect(page.locator(".line.user .text")).to_have_text("Tell me")
    await expect(page.locator(".line.user time")).to_be_visible()  # it is kept, not only shown
    mind = Spoken([STORY[:22], STORY[22:]])
    working = asyncio.create_task(desk.play.runner(mind).run_once())

    await expect(page.locator(".line.draft strong")).to_have_text("Bold")
    await expect(page.locator(".head .pip")).to_have_attribute("data-state", "working")
    mind.go_on()
    answer = page.locator(".line.assistant:not(.draft) .text")
    await expect(answer.locator("td")).to_have_text(["1", "2"])
    await working

    await expect(page.locator(".head .pip")).to_have_attribute("data-state", "ready")
    assert await page.locator(".line").count() == 2 and await page.locator(".draft").count() == 0
    assert await answer.locator("img").count() == 0 and "<img src=x" in (await answer.inner_text())
    assert await answer.locator("a").count() == 0
    assert desk.complaints == []


async def test_a_button_pressed_twice_and_on_two_devices_acts_once_and_both_see_it(desk):
    slug = await approval(desk)
    desktop, phone = (
        await desk.open(await desk.context()),
        await desk.open(await desk.context(viewport=PHONE), "/inbox"),
    )
    yes = [page.get_by_role("button", name="Approve: merge entity") for page in (desktop, phone)]
    for each in yes:
        await expect(each).to_be_visible()
    await expect(phone.locator("[data-badge]")).to_contain_text("1")

    handles = [await each.element_handle() for each in yes]  # by now, for whoever is first makes the other's button go
    await asyncio.gather(*(each.evaluate("button => { button.click(); button.click(); }") for each in handles if each))

    for page in (desktop, phone):
        await expect(page.locator(".card")).to_have_count(0)
        await expect(page.locator("[data-badge]")).to_be_hidden()
    merges = [
        a for a in (await desk.hq.do("action.list"))["items"] if a["verb"] == "entity.merge" and a["status"] == "ok"
    ]
    assert len(merges) == 1
    assert (await desk.hq.do("approval.show", ref=slug))["props"]["status"] == "done"


async def test_a_question_is_answered_by_pressing_one_of_its_answers(desk):
    page = await desk.open(await desk.context(), "/inbox")
    await expect(page.get_by_text("Nothing waits for you")).to_be_visible()
    options = [{"key": "a", "label": "The Weekly"}, {"key": "b", "label": "Field Notes"}]
    review = await desk.hq.do("review.create", question_text="Which name?", options=options)

    await page.get_by_role("button", name="Field Notes").click()

    await expect(page.get_by_text("Nothing waits for you")).to_be_visible()
    assert (await desk.hq.do("review.show", ref=review["slug"]))["props"]["choice"] == "b"


@pytest.mark.parametrize("path", ["/", "/inbox"])
async def test_what_could_not_be_done_is_said_on_the_card_until_it_is_dismissed(desk, path):
    slug = await approval(desk)
    page = await desk.open(await desk.context(), path)
    await desk.hq.do("entity.update", ref="acme", name="Acme & Sons")

    await page.get_by_role("button", name="Approve").click()

    problem = page.locator(".card .problem")
    await expect(problem).to_contain_text("acme changed")
    assert (await desk.hq.do("approval.show", ref=slug))["props"]["status"] == "failed"
    await desk.hq.do("review.create", question_text="Which name?", options=[{"key": "a", "label": "The Weekly"}])
    await expect(page.get_by_role("button", name="The Weekly")).to_be_visible()  # all cards were drawn anew
    await expect(problem.filter(visible=True)).to_contain_text("acme changed")
    await page.get_by_role("button", name="Dismiss").click()
    await expect(page.locator(".card")).to_have_count(1)


async def test_an_answer_that_comes_late_does_not_undo_what_is_newer(desk):
    page = await desk.open(await desk.context(), "/inbox")
    other = await desk.open(await desk.context(), "/inbox")
    asked, held, go = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def hold(route) -> None:
        if asked.is_set():
            return await route.continue_()
        asked.set()
        answer = await route.fetch()
        held.set()
        await go.wait()
        return await route.fulfill(response=answer)

    await page.route("**/part/cards*", hold)
    await approval(desk)
    await held.wait()
    await desk.hq.do("review.create", question_text="Which name?", options=[{"key": "a", "label": "The Weekly"}])
    await expect(other.get_by_role("button", name="The Weekly")).to_be_visible()
    async with page.expect_response("**/part/cards*") as late:
        go.set()
    await (await late.value).finished()
    await page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    await expect(page.get_by_role("button", name="The Weekly")).to_be_visible()


async def test_many_tabs_share_one_stream_and_all_hear(desk):
    context = await desk.context()
    tabs = [await desk.open(context) for _ in range(10)]
    async with asyncio.timeout(
        60
    ):  # the page that logged in read the stream too, and its server has yet to see it leave
        while desk.server.hub.readers != 1:
            await asyncio.sleep(0.01)

    await desk.hq.do("chat.say", text="Hello to all")
    for tab in tabs:
        await expect(tab.locator(".line.user .text")).to_have_text("Hello to all")

    await tabs[0].close()  # the one that reads the stream
    await desk.play.runner(["Here I am."]).run_once()
    for tab in tabs[1:]:
        await expect(tab.locator(".line.assistant .text")).to_have_text("Here I am.")


async def test_work_is_listed_and_moves_by_itself(desk):
    page = await desk.open(await desk.context(), "/work")
    await expect(page.get_by_text("No work yet")).to_be_visible()

    await desk.hq.do("task.create", title="Call Ana <b>now</b>")

    await expect(page.locator(".group .title")).to_have_text("Call Ana <b>now</b>")

    await desk.hq.do("mission.create", title="Launch", deadline="2030-01-02T00:00:00Z")

    await expect(page.locator(".group .title")).to_have_text(["Launch", "Call Ana <b>now</b>"])
    await expect(page.locator(".due")).to_have_text("due Wed 02 Jan 2030")


async def test_earlier_messages_come_when_asked_for(desk):
    for n in range(30):
        await desk.hq.do("chat.say", text=f"question {n}")
        await desk.play.runner([f"answer {n}"]).run_once()
    page = await desk.open(await desk.context())
    await expect(page.get_by_text("question 0", exact=True)).to_have_count(0)

    await page.get_by_role("button", name="Show earlier messages").click()

    await expect(page.get_by_text("question 0", exact=True)).to_have_count(1)
    assert await page.locator(".line").count() == 60
    assert await page.locator(".line .text").first.inner_text() == "question 0"


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_every_page_is_readable_by_everyone_on_a_phone_too(desk, scheme):
    await approval(desk)
    await desk.hq.do("task.create", title="A task with quite a long title that has to be broken somewhere " * 3)
    await desk.hq.do("chat.say", text="Tell me " + "averylongwordwithoutanybreak" * 9)
    await desk.play.runner([f"{STORY}\n\n```\n{'code ' * 60}\n```"]).run_once()
    for viewport in (PHONE, {"width": 1280, "height": 860}):
        context = await desk.context(viewport=viewport, color_scheme=scheme)
        for path in ("/", "/inbox", "/work", "/house"):
            page = await desk.open(context, path)
            assert await page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
            found = await Axe().run(page)
            assert found.violations_count == 0, found.generate_report()
            await page.close()
    assert desk.complaints == []


async def test_a_notice_is_readable_too(desk):
    page = await (await desk.context(viewport=PHONE, color_scheme="dark")).new_page()
    await page.goto(f"{desk.url}/errors/frozen")

    await expect(page.get_by_role("heading", name="Frozen")).to_be_visible()
    found = await Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


async def test_the_reader_chooses_dark_and_it_stays(desk):
    context = await desk.context(color_scheme="light")
    page = await desk.open(context)
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    light = await page.evaluate(ground)

    await page.get_by_role("button", name="Change between light and dark").click()
    await page.reload()

    assert await page.evaluate(ground) != light


async def test_a_script_that_got_in_does_not_run(desk):
    page = await desk.open(await desk.context())

    ran = await page.evaluate(
        """() => new Promise(done => setTimeout(() => {
            let ran = 'blocked';
            try { document.querySelector('#lines').innerHTML = '<b>x</b>'; ran = 'innerHTML'; } catch {}
            try { new Function('window.got = 1')(); ran = 'eval'; } catch {}
            const script = document.createElement('script');
            try { script.text = 'window.got = 1'; document.body.append(script); } catch {}
            done(window.got ? 'script' : ran);
        }))"""
    )

    assert ran == "blocked"


async def test_who_is_logged_out_elsewhere_is_asked_to_log_in(desk):
    context = await desk.context()
    page = await desk.open(context)
    await page.get_by_role("button", name="Log out").click()

    await expect(page.get_by_text("hq auth login")).to_be_visible()
    assert (await context.request.get(f"{desk.url}/part/cards")).status == 401


async def test_the_first_questions_set_the_company_up(desk):
    page = await desk.open(await desk.context(), "/onboarding")
    await page.get_by_label("What is the company called?").fill("Lumen")
    await page.get_by_label("What shall your CEO be called?").fill("Ada")
    await page.get_by_label("Provider").select_option("compatible")
    await page.get_by_label("Address of the server").fill("ftp://nowhere")
    await page.get_by_label("Model").fill("mine")
    await page.get_by_label("What shall the company do first?").fill("A flight tracker")
    results = await Axe().run(page)
    assert results.violations_count == 0, results.generate_report()
    await page.get_by_role("button", name="Begin").click()
    await expect(page.get_by_role("alert")).to_contain_text("is not an address")
    await page.get_by_label("Provider").select_option("")
    await page.get_by_role("button", name="Begin").click()

    await expect(page.get_by_role("heading", name="Ada")).to_be_visible()
    await expect(page.locator(".line.user .text")).to_contain_text("A flight tracker")
    assert (await desk.hq.do("tenant.show"))["name"] == "Lumen"
    assert all("422" in complaint for complaint in desk.complaints)  # what the browser says of the refusal

    # Who comes back finds what was answered and what was left out, and changes either; the first mission was given.
    await page.goto(f"{desk.url}/onboarding")
    await expect(page.get_by_label("What is the company called?")).to_have_value("Lumen")
    assert await page.get_by_label("What shall the company do first?").count() == 0
    await page.locator("#q-philosophy").fill("Small steps.")
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("heading", name="Ada")).to_be_visible()
    states = {each["step"]: each["state"] for each in (await desk.hq.do("onboard.show"))["steps"]}
    assert (states["philosophy"], states["provider"]) == ("answered", "skipped")


async def test_a_key_is_pasted_tested_and_never_on_the_page_and_until_it_works_a_card_says_what_is_missing(
    desk, provider, monkeypatch
):
    monkeypatch.setitem(PROVIDERS, "anthropic", replace(PROVIDERS["anthropic"], base_url=provider.url))
    page = await desk.open(await desk.context(), "/onboarding")
    await page.get_by_label("Provider").select_option("anthropic")
    await page.get_by_role("button", name="Save and test").click()
    await expect(page.locator(".tested")).to_contain_text("Anthropic needs a key")

    await page.goto(desk.url)
    await page.get_by_role("heading", name="Anthropic has no key yet").wait_for()
    await page.get_by_role("link", name="Give it a key").click()
    key = page.get_by_label("Key", exact=True)
    await expect(key).to_have_attribute("type", "password")
    provider.fail(401)
    await key.fill("sk-wrong-0123456789")
    await page.get_by_role("button", name="Save and test").click()
    await expect(page.locator(".tested")).to_contain_text("Anthropic refused the key")
    await key.fill("sk-right-0123456789")
    await page.get_by_role("button", name="Save and test").click()
    await expect(page.locator(".tested")).to_contain_text("It answers: anthropic:claude")
    results = await Axe().run(page)
    assert results.violations_count == 0, results.generate_report()

    await expect(key).to_have_value("")
    assert "sk-right-0123456789" in str(provider.seen[-1]["headers"])
    await page.goto(desk.url)
    assert await page.get_by_role("heading", name="Anthropic has no key yet").count() == 0
    await page.goto(f"{desk.url}/onboarding")
    assert "0123456789" not in await page.content()
    assert "0123456789" not in str(await desk.hq.do("action.list", limit=50))
