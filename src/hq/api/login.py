"""The browser's way in and out: a one-time link becomes a session cookie, and logging out ends that session."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from hq.api.credentials import COOKIE, forget, from_our_pages, remember
from hq.api.problems import trace_of
from hq.door.door import Door
from hq.door.tx import Call
from hq.errors import Refused
from hq.web.notice import notice


class LoginRoutes:
    def __init__(self, door: Door) -> None:
        self._door = door

    async def enter(self, request: Request) -> Response:
        """`GET /login?code=…`"""
        code = request.query_params.get("code", "")
        outcome = await self._door.call(Call("auth.exchange", {}, code, trace_id=trace_of(request)))
        if outcome.status == 503:
            return notice(
                "One moment", "hq cannot reach its database right now. Try the same link again in a moment.", 503
            )
        if not outcome.ok:
            says = "This login link was used before, is too old, or is not complete. Run `hq auth login` for a new one."
            return notice("That link does not work", says, 401)
        token = outcome.data["token"]
        response = RedirectResponse("/onboarding" if await self._begins(token) else "/", 303)
        remember(response, token, request)
        return response

    async def _begins(self, token: str) -> bool:
        """Nothing was answered and nothing was said yet: who comes now is asked the few questions of the beginning."""
        asked, said = [await self._door.call(Call(verb, {}, token)) for verb in ("onboard.show", "chat.history")]
        fresh = asked.ok and all(each["state"] == "open" for each in asked.data["steps"])
        return fresh and said.ok and not said.data["items"]

    async def leave(self, request: Request) -> Response:
        """`POST /logout`"""
        session = request.cookies.get(COOKIE)
        if session and not from_our_pages(request):
            raise Refused.forbidden("only hq's own pages can log out")
        if session:
            await self._end(session)
        response = RedirectResponse("/", 303)
        forget(response)
        return response

    async def _end(self, session: str) -> None:
        """Revoke this one credential; a session that is over already needs nothing."""
        me = await self._door.call(Call("auth.whoami", {}, session))
        if me.ok:
            await self._door.call(Call("auth.revoke", {"id": me.data["credential"]}, session, reason="logged out"))
