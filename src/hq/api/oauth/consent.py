"""`/connect`: the founder's word on a program that asks to come in. Only a browser that is logged in gives it, on this page."""

from __future__ import annotations

from datetime import timedelta
from urllib.parse import parse_qs, urlencode, urlsplit, urlunsplit

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from hq.api.calls import body_of
from hq.api.credentials import COOKIE, token_of
from hq.api.oauth.address import SCOPES, at_the_door
from hq.api.oauth.capsules import Capsules, CodeCapsule, RequestCapsule, fingerprint
from hq.api.problems import trace_of
from hq.door.door import Door
from hq.door.tx import Call
from hq.errors import Refused
from hq.ids import new_id
from hq.web.assets import page
from hq.web.notice import notice

PATIENCE = timedelta(minutes=10)
POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self' {back}; base-uri 'none'; "
    "frame-ancestors 'none'"
)
OVER = "This request is too old, or is not complete. Begin again in the program that asked."


class Consent:
    def __init__(self, door: Door, capsules: Capsules) -> None:
        self._door = door
        self._capsules = capsules

    def add_to(self, app: Starlette) -> None:
        app.add_route("/connect", self.ask, methods=["GET"])
        app.add_route("/connect", self.answer, methods=["POST"])

    async def ask(self, request: Request) -> Response:
        """`GET /connect?request=…`: who asks for what, and where it is sent back to."""
        asked = self._asked(request.query_params.get("request", ""))
        if asked is None:
            return notice("That request is over", OVER, 400)
        session = request.cookies.get(COOKIE, "")
        me = await self._door.call(Call("auth.whoami", {}, session, trace_id=trace_of(request))) if session else None
        if me is None or not me.ok:
            here = f"{request.url.scheme}://{request.headers['host']}"
            says = f"Run `hq auth login`, open its link in this browser under `{here}`, and load this page again."
            return notice("Log in first", says, 401)
        asked.session = fingerprint(session)
        return page(
            "connect.html",
            200,
            POLICY.format(back=_source(asked.redirect_uri)),
            asked=asked,
            scopes={scope: SCOPES[scope] for scope in asked.scopes if scope != "read"},
            read=SCOPES["read"],
            sealed=self._capsules.sealed(asked),
        )

    async def answer(self, request: Request) -> Response:
        """`POST /connect`: yes or no, and back to the program."""
        form = parse_qs((await body_of(request, 32 * 1024)).decode("utf-8", "replace"))
        token = token_of(request)
        asked = self._asked(form.get("request", [""])[0])
        if asked is None or asked.session != fingerprint(token):
            raise Refused.forbidden(OVER)
        if form.get("answer") != ["allow"]:
            return _back(request, asked, error="access_denied")
        scopes = ["read", *(scope for scope in asked.scopes if scope in form.get("scope", []) and scope != "read")]
        args = {"program": asked.name, "fingerprint": asked.client, "scopes": at_the_door(scopes)}
        given = await self._door.call(
            Call("auth.connect", args, token, f"connect-{asked.id}", trace_id=trace_of(request))
        )
        if given.replayed or given.code == "idempotency_conflict":
            raise Refused.forbidden(OVER)
        if not given.ok:
            raise Refused(given.message, code=given.code or "invalid")
        code = CodeCapsule(
            secret=given.data["token"],
            grant=new_id().hex,
            scopes=scopes,
            **asked.model_dump(include={"client", "challenge", "redirect_uri", "explicit", "resource"}),
        )
        return _back(request, asked, code=self._capsules.sealed(code))

    def _asked(self, sealed: str) -> RequestCapsule | None:
        asked = self._capsules.opened(sealed, RequestCapsule)
        fresh = asked is not None and self._door.clock.now().timestamp() - asked.at <= PATIENCE.total_seconds()
        return asked if fresh else None


def _back(request: Request, asked: RequestCapsule, **said: str) -> Response:
    """To the address that was registered, with who says it (RFC 9207)."""
    issuer = asked.resource.removesuffix(urlsplit(asked.resource).path)
    given = {**said, **({"state": asked.state} if asked.state is not None else {}), "iss": issuer}
    place = urlsplit(asked.redirect_uri)
    query = "&".join(filter(None, (place.query, urlencode(given))))
    return RedirectResponse(urlunsplit(place._replace(query=query)), 303)


def _source(uri: str) -> str:
    """What a policy calls the place that the answer to the form leads to."""
    place = urlsplit(uri)
    return f"{place.scheme}://{place.netloc}" if place.scheme in ("http", "https") else f"{place.scheme}:"
