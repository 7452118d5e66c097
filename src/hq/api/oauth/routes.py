"""The addresses of OAuth. Protocol and checks are the SDK's, loaded by the first request: most homes never get one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response

from hq.api.calls import body_of
from hq.api.oauth.address import ABOUT_RESOURCE, ABOUT_SERVER, MCP, SCOPES, about_resource, about_server, origin_of
from hq.api.oauth.capsules import Capsules
from hq.api.oauth.consent import Consent
from hq.api.replies import JsonResponse
from hq.door.door import Door
from hq.errors import Refused
from hq.guard.vault import Vault
from hq.json_types import WireBody

if TYPE_CHECKING:
    from hq.api.oauth.provider import Provider

LARGEST = 32 * 1024
"""Bytes of a body. What a registration says comes back with every request, in an address."""
Handler = Callable[[Request], Awaitable[Response]]


class OAuthRoutes:
    def __init__(self, door: Door) -> None:
        self._door = door
        self._capsules = Capsules(door.services[Vault])

    def add_to(self, app: Starlette) -> None:
        for path, told in (
            (ABOUT_RESOURCE, about_resource),
            (ABOUT_RESOURCE + MCP, about_resource),
            (ABOUT_SERVER, about_server),
        ):
            app.add_route(path, _document(told), methods=["GET"])
        for path, handler, methods in (
            ("/authorize", self._authorize, ["GET", "POST"]),
            ("/register", self._register, ["POST"]),
            ("/token", self._token, ["POST"]),
            ("/revoke", self._revoke, ["POST"]),
        ):
            app.add_route(path, handler, methods=methods)
        Consent(self._door, self._capsules).add_to(app)

    async def _authorize(self, request: Request) -> Response:
        """`GET /authorize`: on to the founder's page, or back with what is wrong."""
        provider = await self._provider(request)
        from mcp.server.auth.handlers.authorize import AuthorizationHandler

        return await AuthorizationHandler(provider).handle(request)

    async def _register(self, request: Request) -> Response:
        """`POST /register`: what a client says of itself comes back as its id. Nothing is kept here."""
        provider = await self._provider(request)
        from mcp.server.auth.handlers.register import RegistrationHandler
        from mcp.server.auth.settings import ClientRegistrationOptions

        options = ClientRegistrationOptions(enabled=True, valid_scopes=list(SCOPES), default_scopes=list(SCOPES))
        return await RegistrationHandler(provider, options).handle(request)

    async def _token(self, request: Request) -> Response:
        """`POST /token`: a code or what renews, for a token."""
        provider = await self._provider(request)
        from mcp.server.auth.handlers.token import TokenHandler
        from mcp.server.auth.middleware.client_auth import ClientAuthenticator

        wanted = (await request.form()).get("resource")
        if isinstance(wanted, str) and not provider.is_for(wanted):
            told = {"error": "invalid_target", "error_description": f"tokens from here are for {provider.resource}"}
            return JsonResponse(told, 400)
        return await TokenHandler(provider, ClientAuthenticator(provider)).handle(request)

    async def _revoke(self, request: Request) -> Response:
        """`POST /revoke`. The SDK's own asks public clients for a secret that they have not."""
        provider = await self._provider(request)
        from mcp.server.auth.middleware.client_auth import AuthenticationError, ClientAuthenticator

        try:
            client = await ClientAuthenticator(provider).authenticate_request(request)
        except AuthenticationError as error:
            return JsonResponse({"error": "invalid_client", "error_description": error.message}, 401)
        token = (await request.form()).get("token")
        if not isinstance(token, str):
            return JsonResponse({"error": "invalid_request", "error_description": "token is missing"}, 400)
        await provider.give_back(client, token)
        return Response(status_code=200)

    async def _provider(self, request: Request) -> Provider:
        origin = _safe_origin(request)
        request._body = await body_of(request, LARGEST)  # what was read is read once; the SDK's handlers find it there
        await asyncio.to_thread(_load)  # a second of imports must not hold up everybody else
        from hq.api.oauth.provider import Provider

        return Provider(self._door, self._capsules, origin)


def _document(told: Callable[[str], WireBody]) -> Handler:
    async def show(request: Request) -> Response:
        return JsonResponse(told(_safe_origin(request)))

    return show


def _safe_origin(request: Request) -> str:
    if origin := origin_of(request):
        return origin
    raise Refused.not_found(
        "tokens are given out over https, or on this machine", hint="`hq auth token --agent NAME` prints a bearer token"
    )


def _load() -> None:
    from mcp.server.auth.handlers import authorize, register, token  # noqa: F401

    import hq.api.oauth.provider  # noqa: F401
