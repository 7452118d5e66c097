"""The pages in the system's chromium, on a real server in the test's own loop; passed over where there is none."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, Page, async_playwright, expect

from hq.app import open_door
from hq.clock import FakeClock
from hq.database.address import Address
from hq.database.migrate import Migrated
from hq.headquarters import Headquarters
from hq.settings import Settings
from tests.support.company import Hq
from tests.support.passable import tmp_path
from tests.support.play import Play
from tests.support.streams import Served, announcing, served

__all__ = ["tmp_path"]

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@dataclass
class Desk:
    """A founder at a browser."""

    hq: Any
    server: Served
    browser: Browser
    complaints: list[str] = field(default_factory=list)
    """Whatever a page's console had to say: errors, and violations of its policy."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.port}"

    @property
    def play(self) -> Play:
        return Play(self.hq)

    async def context(self, **how: Any) -> BrowserContext:
        """A browser of its own, logged in by the one-time link."""
        context = await self.browser.new_context(**how)
        link = await self.hq.do("auth.login")
        page = await context.new_page()
        await page.goto(self.url + link["path"])
        await page.close()
        return context

    async def open(self, context: BrowserContext, path: str = "/") -> Page:
        page = await context.new_page()
        page.set_default_timeout(60_000)
        page.on("console", lambda said: said.type == "error" and self.complaints.append(said.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        await page.goto(self.url + path)
        await page.wait_for_selector("[data-live=on]", state="attached")
        return page


expect.set_options(timeout=60_000)  # a page on a busy machine takes its time


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        here = Path(__file__).parent in item.path.parents  # others have desks of their own
        if here and isinstance(item, pytest.Function) and "desk" in item.fixturenames:
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    """One for all tests of a worker: it takes longer to start than most of them take. So they share its loop."""
    if CHROMIUM is None:
        pytest.skip("there is no chromium here")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        await browser.close()


@pytest_asyncio.fixture(loop_scope="session")
async def desk(
    browser: Browser, database: Address, template: tuple[str, str], clock: FakeClock, tmp_path: Path
) -> AsyncIterator[Desk]:
    async with open_door(database, vault_file=tmp_path / "vault.key", clock=clock, pool_size=8) as door:
        hq = Hq(door, database, template[1], clock)
        await hq.do("agent.load")
        settings = Settings.load({"HQ_HOME": str(tmp_path)})
        house = Headquarters(settings, database, door, hq.token, clock, Migrated((), 1))
        async with served(house) as server, announcing(house):
            yield Desk(hq, server, browser)
            for context in browser.contexts:
                await context.close()
