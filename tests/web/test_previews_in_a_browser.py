"""An app in a real browser: what its pages may not do, and that nothing of it is left there when it is taken back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import pytest_asyncio
from playwright.async_api import expect

from tests.support.firm import staffed
from tests.support.sandboxes import MISSING
from tests.support.shop import Shop
from tests.web.conftest import Desk

pytestmark = pytest.mark.skipif(bool(MISSING), reason=str(MISSING))

SQUATTER = """
import os
from http.server import BaseHTTPRequestHandler, HTTPServer

PAGE = b"<h1>Mine</h1><p id=told></p>"
WORKER = b"self.addEventListener('fetch', e => e.respondWith(new Response('squatted')))"


class App(BaseHTTPRequestHandler):
    def do_GET(self):
        script = self.path == "/sw.js"
        self.send_response(200)
        self.send_header("Content-Type", "text/javascript" if script else "text/html")
        self.send_header("Service-Worker-Allowed", "/")
        self.end_headers()
        self.wfile.write(WORKER if script else PAGE)


HTTPServer(("127.0.0.1", int(os.environ["PORT"])), App).serve_forever()
"""
REGISTERED = """async () => {
    const tried = await navigator.serviceWorker.register('/sw.js').then(() => 'registered', error => error.name)
    return [tried, (await navigator.serviceWorker.getRegistrations()).length]
}"""


@pytest_asyncio.fixture(loop_scope="session")
async def opened(desk: Desk, tmp_path: Path) -> AsyncIterator[Shop]:
    firm = await staffed(desk.hq, tmp_path)
    shop = Shop(firm, await firm.at_work("Flight tracker"))
    shop.previews.serving = True
    yield shop
    await shop.previews.close()


async def test_no_service_worker_is_registered_and_files_taken_back_leave_their_address(desk, opened: Shop):
    await opened.firm.deliver(opened.mission, app__py=SQUATTER.replace("Mine", "Good"))
    [space] = (await opened.hq.do("workspace.list"))["items"]
    good = (await opened.hq.do("workspace.show", ref=space["slug"]))["props"]["snapshot"]
    context = await desk.browser.new_context()
    page = await context.new_page()
    await page.goto(await opened.open())
    first = urlsplit(page.url).netloc

    await opened.firm.deliver(opened.mission, app__py=SQUATTER)
    await page.goto(await opened.open())
    assert await page.text_content("h1") == "Mine"
    assert urlsplit(page.url).hostname != first.partition(":")[0], "other files, another address"
    assert await page.evaluate(REGISTERED) == ["SecurityError", 0]

    await opened.hq.do("workspace.revert", ref=space["slug"], snapshot=good)
    await page.goto(await opened.open())
    assert (await page.text_content("h1"), urlsplit(page.url).netloc) == ("Good", first)


async def test_the_gate_alone_keeps_service_workers_out(desk, opened: Shop, monkeypatch):
    """Where a browser did not know the policy."""
    from hq.previews import response_headers

    monkeypatch.setattr(response_headers, "ADDED", [])
    await opened.firm.deliver(opened.mission, app__py=SQUATTER)
    page = await (await desk.browser.new_context()).new_page()
    await page.goto(await opened.open())

    tried, left = await page.evaluate(REGISTERED)

    assert (tried != "registered", left) == (True, 0)
    assert "/sw.js" not in (await opened.hq.do("preview.log", mission=opened.mission))["text"]


async def test_only_the_one_time_link_leads_in_from_another_page(desk, opened: Shop):
    await opened.firm.deliver(opened.mission, app__py=SQUATTER)
    context = await desk.context()
    page = await desk.open(context)

    await page.evaluate("link => { location = link }", await opened.open())
    await expect(page.get_by_role("heading", name="Mine")).to_be_visible()
    home = page.url
    assert "ticket" not in home
    await page.reload()
    await expect(page.get_by_role("heading", name="Mine")).to_be_visible()

    elsewhere = await desk.open(context)
    await elsewhere.evaluate("home => { location = home }", home)
    await expect(elsewhere.get_by_role("heading", name="This is not open to you")).to_be_visible()
    await elsewhere.goto(home)
    await expect(elsewhere.get_by_role("heading", name="Mine")).to_be_visible()


async def test_names_and_words_that_turn_the_writing_are_made_visible_on_pages(desk, opened: Shop):
    await opened.firm.deliver(opened.mission, **{"bill\u202etxt": "x", "es\x1bc": "x"})
    title = "Pay \u202e5 EUR\u2069"
    await opened.hq.call("expense.spend", amount=5, description=title, _token=await opened.hq.agent("forge"))
    context = await desk.context()
    page = await desk.open(context, f"/missions/{opened.mission}/files")

    assert await page.locator(".rows .title").all_text_contents() == ["bill\ufffdtxt", "es\ufffdc"]
    inbox = await desk.open(context, "/inbox")
    await expect(inbox.get_by_text("Pay \ufffd5 EUR\ufffd").first).to_be_visible()
    for each in (page, inbox):
        assert "\u202e" not in await each.content() and "\u2069" not in await each.content()
