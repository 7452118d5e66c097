"""The gate of a preview: the one way in from a browser. Whoever has a ticket gets in, and sees the app and nothing of hq.

The app's pages are strangers' code, so they live on an address of their own: no cookie of hq goes there or comes from there,
and the policy they are sent with lets them talk to nobody else.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode

import structlog
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.types import Receive, Scope, Send

from hq.previews.forward import AppSilent, Connect, TooLarge, forwarded
from hq.previews.notice import notice

COOKIE = "hq_preview"
TICKET = "hq-ticket"
VALID = 120.0
"""Seconds in which a ticket has to be used, once."""
MOST = 100
log = structlog.get_logger("hq.previews")


class Gate:
    """An ASGI app in front of one preview."""

    def __init__(self, mission: str, connect: Connect, visited: Callable[[], None]) -> None:
        self.authority = ""
        """What a browser calls it; whoever calls it otherwise was led here."""
        self._mission = mission
        self._connect = connect
        self._visited = visited
        self._tickets: dict[str, float] = {}
        self._visitors: list[str] = []

    def ticket(self) -> str:
        """Lets one browser in, once, and not for long."""
        now = time.monotonic()
        self._tickets = {each: until for each, until in self._tickets.items() if until > now}
        made = secrets.token_urlsafe(24)
        self._tickets[made] = now + VALID
        return made

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        request = Request(scope, receive)
        try:
            answer = await self._answered(request)
        except ClientDisconnect:
            return
        await answer(scope, receive, send)

    async def _answered(self, request: Request) -> Response:
        if request.headers.get("host", "").lower() != self.authority:
            return notice(421, "Nothing is here", "This is a preview of hq's, which goes by another name.")
        said = dict(parse_qsl(request.scope["query_string"].decode("latin-1"), keep_blank_values=True))
        if _service_worker(request):
            return notice(
                403, "Not here", "A page that is opened here leaves no program in the browser to answer in its place."
            )
        if TICKET in said:
            return self._enter(request, said[TICKET])
        if self._visitor(request) not in self._visitors:
            return notice(403, "This is not open to you", self._way_in)
        if not _own(request):
            return notice(403, "Not from another page", "What another page sends here is not passed on.")
        self._visited()
        return await self._passed_on(request)

    def _enter(self, request: Request, ticket: str) -> Response:
        until = self._tickets.pop(ticket, 0.0)
        if until <= time.monotonic():
            return notice(403, "That link was used, or is too old", self._way_in)
        visitor = secrets.token_urlsafe(24)
        self._visitors = [*self._visitors[1 - MOST :], visitor]
        pairs = parse_qsl(request.scope["query_string"].decode("latin-1"), keep_blank_values=True)
        rest = urlencode([pair for pair in pairs if pair[0] != TICKET])
        path = "/" + request.scope["raw_path"].decode("latin-1").lstrip("/")  # never `//elsewhere`
        answer = _onwards(request, path + (f"?{rest}" if rest else ""))
        answer.set_cookie(COOKIE, visitor, path="/", httponly=True, samesite="strict")
        answer.headers["referrer-policy"] = "no-referrer"
        answer.headers["cache-control"] = "no-store"
        return answer

    def _visitor(self, request: Request) -> str:
        try:
            found = SimpleCookie(request.headers.get("cookie", "")).get(COOKIE)
        except CookieError:
            return ""
        return found.value if found else ""

    async def _passed_on(self, request: Request) -> Response:
        try:
            return await forwarded(request, self._connect, self.authority, COOKIE)
        except TooLarge:
            return notice(413, "That is too large", "A preview takes up to 32 MB at once.")
        except AppSilent as silent:
            log.info("a preview does not answer", mission=self._mission, why=str(silent))
            says = f"It does not answer ({silent}). `hq preview log {self._mission}` shows what it printed."
            return notice(502, "The app does not answer", says)

    @property
    def _way_in(self) -> str:
        return f"Open it from hq: the report's Open, or `hq mission open {self._mission}`."


def _onwards(request: Request, path: str) -> Response:
    """To the app. Who comes from another page is led on by a page of this address: to a browser what a redirect leads to, and
    every reload of it, still comes from where the link was."""
    if _own(request):
        return RedirectResponse(path, 303)
    answer = notice(200, "Opening", "One moment.")
    answer.headers["refresh"] = f"0; url={path}"
    return answer


def _own(request: Request) -> bool:
    """Its own pages and the address bar; what another page sends here, or leads here, is not. What is no browser says nothing of it."""
    return request.headers.get("sec-fetch-site", "none") in ("same-origin", "none")


def _service_worker(request: Request) -> bool:
    """It would outlive the app and its policy, on the same address. Every browser says that it asks for one."""
    return "service-worker" in request.headers or request.headers.get("sec-fetch-dest") == "serviceworker"
