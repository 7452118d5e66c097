"""As much of an OAuth client as attacks need: each step by hand, so that each can be done wrongly."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from hq.api.credentials import COOKIE
from tests.api.conftest import OURS, Answer, Client

BACK = "http://127.0.0.1:4567/callback"
VERIFIER = "v" * 50
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode().rstrip("=")
FORM = {"content-type": "application/x-www-form-urlencoded"}


class Program:
    def __init__(self, web: Client, session: str = "") -> None:
        self.web = web
        self.session = session
        self.id = ""

    async def register(self, back: str = BACK, **more: Any) -> Answer:
        said = {"redirect_uris": [back], "client_name": "Desk", "token_endpoint_auth_method": "none", **more}
        answer = await self.web.send(
            "POST", "/register", {"content-type": "application/json"}, json.dumps(said).encode()
        )
        self.id = answer.json.get("client_id", "")
        return answer

    async def authorize(self, **more: str | None) -> Answer:
        said: dict[str, str | None] = {
            "response_type": "code",
            "client_id": self.id,
            "redirect_uri": BACK,
            "code_challenge": CHALLENGE,
            "code_challenge_method": "S256",
            "state": "s1",
            "scope": "read write",
            "resource": f"http://{OURS}/mcp",
        } | more
        return await self.web.get(f"/authorize?{urlencode({k: v for k, v in said.items() if v is not None})}")

    async def page(self, **more: str | None) -> Answer:
        return await self.web.get((await self.authorize(**more)).headers["location"], cookie=f"{COOKIE}={self.session}")

    async def consent(self, page: Answer, answer: str = "allow", **headers: str) -> Answer:
        sealed = re.search(r'name="request" value="([^"]+)"', page.text)
        assert sealed, page.text
        form = urlencode([("request", sealed[1]), ("answer", answer), ("scope", "write"), ("scope", "effect")])
        sent = {"cookie": f"{COOKIE}={self.session}", "sec-fetch-site": "same-origin"} | FORM | headers
        return await self.web.send("POST", "/connect", sent, form.encode())

    async def code(self, **more: str | None) -> str:
        back = await self.consent(await self.page(**more))
        return said(back)["code"]

    async def token(self, **more: str) -> Answer:
        form = {
            "client_id": self.id,
            "grant_type": "authorization_code",
            "redirect_uri": BACK,
            "code_verifier": VERIFIER,
        }
        return await self.web.send("POST", "/token", FORM, urlencode(form | more).encode())

    async def renewed(self, secret: str, **more: str) -> Answer:
        return await self.token(grant_type="refresh_token", refresh_token=secret, **more)


def said(answer: Answer) -> dict[str, str]:
    """What stands behind the question mark of where an answer leads."""
    return {name: values[0] for name, values in parse_qs(urlsplit(answer.headers["location"]).query).items()}
