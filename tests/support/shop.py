"""Something that was made, in a process that stays: what the founder opens."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest

from hq.previews.previews import Previews
from tests.support.firm import Firm

APP = """
import os
from http.server import BaseHTTPRequestHandler, HTTPServer


class App(BaseHTTPRequestHandler):
    def do_GET(self):
        body = ("hello from %s %s" % (self.path, self.headers.get("Cookie"))).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Set-Cookie", "hq_preview=stolen")
        self.send_header("Set-Cookie", "app=1")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        length = int(self.headers["Content-Length"])
        with open("kept.txt", "ab") as kept:
            kept.write(self.rfile.read(length))
        self.send_response(204)
        self.end_headers()


print("ready")
HTTPServer(("127.0.0.1", int(os.environ["PORT"])), App).serve_forever()
"""


@dataclass
class Shop:
    """A mission with files, and a browser of somebody's."""

    firm: Firm
    mission: str

    @property
    def hq(self) -> Any:
        return self.firm.hq

    @property
    def previews(self) -> Previews:
        return self.hq.door.services[Previews]

    async def open(self, **more: Any) -> str:
        """The address, with the ticket."""
        return (await self.hq.do("mission.open", ref=self.mission, **more))["url"]

    async def visit(self) -> tuple[httpx2.AsyncClient, str]:
        """A browser that is in, and the address of the app."""
        url = await self.open()
        place = urlsplit(url)
        browser = httpx2.AsyncClient(follow_redirects=True, trust_env=False)
        answer = await browser.get(url)
        assert answer.status_code == 200, answer.text
        return browser, f"{place.scheme}://{place.netloc}"


@pytest.fixture
async def shop(firm) -> AsyncIterator[Shop]:
    mission = await firm.at_work("Flight tracker")
    made = Shop(firm, mission)
    made.previews.serving = True
    yield made
    await made.previews.close()
