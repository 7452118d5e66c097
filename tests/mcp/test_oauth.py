"""The official client gets its token by itself: it finds the way, registers, sends the founder to the page, and renews."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata

from hq.api.credentials import COOKIE

BACK = "http://127.0.0.1:4567/callback"


class Kept:
    """A client's memory."""

    def __init__(self) -> None:
        self.tokens: Any = None
        self.client: Any = None

    async def get_tokens(self) -> Any:
        return self.tokens

    async def set_tokens(self, tokens: Any) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> Any:
        return self.client

    async def set_client_info(self, client_info: Any) -> None:
        self.client = client_info


class Founder:
    """A browser that is logged in and says yes."""

    def __init__(self, session: str) -> None:
        self.asked = 0
        self._cookies = {COOKIE: session}
        self._back = ""

    async def open(self, url: str) -> None:
        self.asked += 1
        place = urlsplit(url)
        async with httpx2.AsyncClient(base_url=f"{place.scheme}://{place.netloc}", cookies=self._cookies) as browser:
            page = await browser.get(url, follow_redirects=True)
            sealed = re.search(r'name="request" value="([^"]+)"', page.text)
            assert sealed, page.text
            form = {"request": sealed[1], "answer": "allow", "scope": "write"}
            said = await browser.post("/connect", data=form, headers={"Sec-Fetch-Site": "same-origin"})
        self._back = said.headers["location"]

    async def answer(self) -> AuthorizationCodeResult:
        given = {name: values[0] for name, values in parse_qs(urlsplit(self._back).query).items()}
        return AuthorizationCodeResult(**given)


@pytest.mark.parametrize("method", ["none", "client_secret_post", "client_secret_basic", None])
async def test_the_official_client_comes_in_by_oauth(hq, address, method):
    link = await hq.do("auth.login")
    entered = (await hq.door.call(_exchange(link["code"]))).data["token"]
    founder, kept = Founder(entered), Kept()
    metadata = OAuthClientMetadata(client_name="Desk", redirect_uris=[BACK], token_endpoint_auth_method=method)
    auth = OAuthClientProvider(address, metadata, kept, founder.open, founder.answer)

    async with httpx2.AsyncClient(auth=auth, timeout=30) as http:
        async with Client(streamable_http_client(address, http_client=http), mode="legacy", cache=None) as mcp:
            made = await mcp.call_tool("task_create", {"title": "Call Ana"})
            before = kept.tokens.access_token
            await hq.do("auth.revoke", id=await _access_of(hq))
            auth.context.token_expiry_time = 1.0
            again = await mcp.call_tool("task_list", {})

    assert made.structured_content["ok"] and again.structured_content["data"]["items"]
    assert founder.asked == 1 and kept.tokens.access_token != before
    row = next(r for r in (await hq.do("action.list"))["items"] if r["verb"] == "task.create")
    assert row["actor"].startswith("service:desk-")


async def _access_of(hq: Any) -> str:
    items = (await hq.do("auth.list"))["items"]
    return next(each["id"] for each in items if each["name"].startswith("access desk"))


def _exchange(code: str) -> Any:
    from hq.door.tx import Call

    return Call("auth.exchange", {}, code)
