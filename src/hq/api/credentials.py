"""Credentials of a request: a bearer token, or a browser's session cookie that only our own pages may use."""

from __future__ import annotations

from typing import Literal
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response

from hq.errors import Refused

COOKIE = "hq_session"
LIFETIME = 7 * 24 * 3600


def token_of(request: Request) -> str:
    """The token of this request, or a refusal. A token named in a header cannot be sent by a foreign page by itself."""
    if bearer := bearer_of(request):
        return bearer
    session = request.cookies.get(COOKIE)
    if not session:
        raise Refused.unauthenticated(
            "no credential: send `Authorization: Bearer <token>`", hint="`hq auth token --device NAME` prints one"
        )
    if not from_our_pages(request):
        raise Refused.forbidden("a session cookie works only from hq's own pages; send a bearer token instead")
    return session


def bearer_of(request: Request) -> str | None:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None


def from_our_pages(request: Request) -> bool:
    """Browsers say where a request comes from: all current ones by Sec-Fetch-Site, older ones by Origin."""
    if site := request.headers.get("sec-fetch-site"):
        return site in ("same-origin", "none")
    origin = request.headers.get("origin", "")
    return bool(origin) and urlsplit(origin).netloc.lower() == request.headers.get("host", "").lower()


def only_our_pages(request: Request) -> bool:
    """No page elsewhere has a hand in it. What is no browser says nothing of where it comes from, and may come."""
    said = request.headers.get("sec-fetch-site") or request.headers.get("origin")
    return not said or from_our_pages(request)


def remember(
    response: Response,
    token: str,
    request: Request,
    cookie: str = COOKIE,
    same_site: Literal["lax", "strict"] = "lax",
) -> None:
    secure = request.url.scheme == "https"
    response.set_cookie(cookie, token, max_age=LIFETIME, path="/", httponly=True, samesite=same_site, secure=secure)


def forget(response: Response) -> None:
    response.delete_cookie(COOKIE, path="/", httponly=True, samesite="lax")
