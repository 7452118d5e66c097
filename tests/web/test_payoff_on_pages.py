"""From the report card to the app: opened in one click on an address of its own, and used."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import expect

from hq.minds.scripted.app_files import filled
from hq.previews.previews import Previews
from tests.support.sandboxes import MISSING

pytestmark = pytest.mark.skipif(bool(MISSING), reason=str(MISSING))
FILES = ("settings.py", "app.py", "pages.py", "style.css", "test_app.py", "README.md")


async def built(desk) -> str:
    """A mission that made the log that scripts build."""
    hq = desk.hq
    hq.door.services[Previews].serving = True
    await hq.do("ceo.quiet", hours="off")
    await hq.do("agent.create", name="forge", role="Developer")
    mission = (await hq.do("mission.create", title="Flight log 2", deliverables=["file:README.md"]))["slug"]
    await hq.do("mission.assign", ref=mission, to="forge")
    await hq.do("mission.accept", ref=mission)
    [space] = (await hq.do("workspace.list", mission=mission))["items"]
    tree = Path((await hq.do("workspace.begin", ref=space["slug"], session="hand"))["path"])
    kinds = {"TITLE": "Flight log", "KIND": "Aircraft", "KINDS": ["C152", "C172"]}
    for name in FILES:
        await asyncio.to_thread((tree / name).write_text, filled(f"log/{name}", **kinds))
        (tree / name).chmod(0o644)
    await hq.do("workspace.save", ref=space["slug"], session="hand")
    await hq.do("workspace.merge", ref=space["slug"], session="hand")
    await hq.do("mission.submit", ref=mission, outcome="The log is there.")
    return mission


@pytest.mark.slow
async def test_x11_from_the_report_card_to_an_app_that_is_used(desk):
    mission = await built(desk)
    await desk.hq.do("card.send", kind="report", title="Flight log 2 is done", about=mission)
    context = await desk.context()
    page = await desk.open(context)

    async with context.expect_page() as opening:
        await page.get_by_role("link", name="Open").click()
    app = await opening.value
    app.set_default_timeout(60_000)
    complaints: list[str] = []
    app.on("pageerror", lambda error: complaints.append(str(error)))

    await expect(app.get_by_role("heading", name="New entry")).to_be_visible()
    assert app.url.startswith("http://127.") and not app.url.startswith("http://127.0.0.1") and "ticket" not in app.url
    assert (await Axe().run(app)).violations_count == 0
    await app.get_by_label("Day").fill("2026-01-02")
    await app.get_by_label("Aircraft").first.select_option("C172")
    await app.get_by_label("Hours").fill("1,5")
    await app.get_by_label("Cost").fill("180")
    await app.get_by_label("Note").fill("Circuits")
    await app.get_by_role("button", name="Add entry").click()
    await expect(app.get_by_role("status")).to_have_text("The entry was added.")
    await expect(app.get_by_role("row", name="2026-01-02 C172 1.5 180.00 Circuits")).to_be_visible()
    await expect(app.get_by_role("row", name="2026-01 1.5 180.00 1")).to_contain_text("180.00")

    await app.get_by_role("link", name="Edit C172, 2026-01-02").click()
    await app.get_by_label("Cost").fill("200")
    await app.get_by_role("button", name="Save").click()
    await expect(app.get_by_role("row", name="2026-01-02 C172 1.5 200.00 Circuits")).to_be_visible()

    async with app.expect_download() as download:
        await app.get_by_role("link", name="Export CSV").click()
    table = await asyncio.to_thread(Path(await (await download.value).path()).read_text)
    assert table.splitlines()[1] == "2026-01-02,C172,1.5,200.0,Circuits"

    await app.get_by_role("link", name="Delete C172, 2026-01-02").click()
    await app.get_by_role("button", name="Delete").click()
    await expect(app.get_by_text("No entries yet")).to_be_visible()

    # Its pages are strangers' code: they reach neither hq nor its cookie.
    assert await app.evaluate("document.cookie") == ""
    tried = "fetch(%r, {credentials: 'include', mode: 'no-cors'}).then(() => 'reached', () => 'stopped')"
    assert await app.evaluate(tried % f"{desk.url}/api/auth/whoami") == "stopped"
    names = {(cookie["name"], cookie["domain"]) for cookie in await context.cookies()}
    hosts = {domain for name, domain in names if name == "hq_session"}
    assert hosts == {"127.0.0.1"} and ("hq_preview", "127.0.0.1") not in names
    assert complaints == []


async def test_x11_files_changes_and_a_change_are_on_the_missions_page(desk):
    mission = await built(desk)
    context = await desk.context()
    page = await desk.open(context, f"/missions/{mission}")
    await expect(page.get_by_text("The log is there.")).to_be_visible()
    assert (await Axe().run(page)).violations_count == 0

    await page.get_by_role("link", name="Files").click()
    await page.get_by_role("link", name="README.md").click()
    await expect(page.get_by_role("heading", name="Flight log", exact=True)).to_be_visible()
    assert (await Axe().run(page)).violations_count == 0
    await page.goto(f"{desk.url}/missions/{mission}/changes")
    await expect(page.locator("summary", has_text="settings.py")).to_be_visible()
    assert (await Axe().run(page)).violations_count == 0
    zipped = await context.request.get(
        f"{desk.url}/missions/{mission}/download", headers={"Sec-Fetch-Site": "same-origin"}
    )
    assert zipped.headers["content-type"] == "application/zip"
    foreign = await context.request.get(
        f"{desk.url}/missions/{mission}/open", headers={"Sec-Fetch-Site": "cross-site"}, max_redirects=0
    )
    assert foreign.status == 403

    await page.goto(f"{desk.url}/missions/{mission}#change")
    await page.get_by_label("What should be different?").fill("Make it green")
    await page.get_by_role("button", name="Have it changed").click()
    await page.wait_for_url("**/missions/change-of-*")
    await expect(page.get_by_role("heading", name="Change of Flight log 2: Make it green")).to_be_visible()
    assert desk.complaints == []


@pytest.mark.slow
async def test_a_whole_opens_from_its_card_to_what_its_parts_made(desk):
    hq = desk.hq
    await hq.do("ceo.quiet", hours="off")
    await hq.do("agent.create", name="forge", role="Developer")
    await hq.do("mission.create", title="For Friday")
    for title, file, text in (("Prices", "prices.csv", "tea,3"), ("Letter", "letter.md", "# Dear Ana")):
        part = (await hq.do("mission.create", title=title, parent="for-friday", deliverables=[f"file:{file}"]))["slug"]
        await hq.do("mission.assign", ref=part, to="forge")
        await hq.do("mission.accept", ref=part)
        [space] = (await hq.do("workspace.list", mission=part))["items"]
        tree = Path((await hq.do("workspace.begin", ref=space["slug"], session=part))["path"])
        await asyncio.to_thread((tree / file).write_text, text)
        (tree / file).chmod(0o644)
        await hq.do("workspace.save", ref=space["slug"], session=part)
        await hq.do("workspace.merge", ref=space["slug"], session=part)
        await hq.do("mission.submit", ref=part, outcome=f"{file} is there.")
    await hq.do("card.send", kind="report", title="For Friday is done", about="for-friday")
    context = await desk.context()
    page = await desk.open(context)

    await page.get_by_role("link", name="Files").click()
    await expect(page.get_by_role("link", name="Open Letter")).to_be_visible()
    assert (await Axe().run(page)).violations_count == 0
    await page.get_by_role("link", name="letter/letter.md").click()
    await expect(page.get_by_role("heading", name="Dear Ana")).to_be_visible()

    await page.goto(f"{desk.url}/missions/for-friday")
    await expect(page.get_by_text("prices.csv is there.")).to_have_count(2)  # with the whole, and with the part
