"""Addresses of one origin: which resource its tokens are for, and what says so to whoever comes without one."""

from __future__ import annotations

from collections.abc import Iterable

from starlette.requests import Request

from hq.api.guard import LOOPBACK, host_name
from hq.door.verbs.credentials import EVERYDAY
from hq.json_types import WireBody

MCP = "/mcp"
ABOUT_RESOURCE = "/.well-known/oauth-protected-resource"
ABOUT_SERVER = "/.well-known/oauth-authorization-server"
SCOPES = {
    "read": "Look: missions, tasks, people, documents and what happened, as far as the whole company sees it.",
    "write": (
        "Write: tasks, documents, memos and what it found out, which waits for a look; and send the CEO a message. Missions, and whatever "
        "else your agents look after, it can only propose."
    ),
}
"""What a program can be allowed. What is outside is your agents' to act on, approving, the vault and tokens yours alone."""
OPENS = {"read": ("read",), "write": ("write", *EVERYDAY)}
"""What each of these is at the door."""
USUAL = " ".join(SCOPES)


def at_the_door(scopes: Iterable[str]) -> list[str]:
    """The scopes of a credential that may what these say; one that there no longer is opens nothing."""
    return [each for scope in scopes for each in OPENS.get(scope, ())]


def origin_of(request: Request) -> str | None:
    """The origin that was asked, where tokens may travel: over TLS, or within this machine."""
    host = request.headers.get("host", "")
    safe = request.url.scheme == "https" or host_name(host) in LOOPBACK
    return f"{request.url.scheme}://{host.lower()}" if safe else None


def challenge(request: Request, *, sent: bool) -> str:
    """For `WWW-Authenticate`: where a client learns how to get a token, and that the one it sent is none."""
    parts = ['realm="hq"']
    if sent:
        parts.append('error="invalid_token"')
    if origin := origin_of(request):
        parts += [f'resource_metadata="{origin}{ABOUT_RESOURCE}{MCP}"', f'scope="{USUAL}"']
    return f"Bearer {', '.join(parts)}"


def about_resource(origin: str) -> WireBody:
    """RFC 9728."""
    return {
        "resource": origin + MCP,
        "authorization_servers": [origin],
        "scopes_supported": list(SCOPES),
        "bearer_methods_supported": ["header"],
        "resource_name": "hq",
    }


def about_server(origin: str) -> WireBody:
    """RFC 8414."""
    ways = ["none", "client_secret_post", "client_secret_basic"]
    return {
        "issuer": origin,
        "authorization_endpoint": f"{origin}/authorize",
        "token_endpoint": f"{origin}/token",
        "registration_endpoint": f"{origin}/register",
        "revocation_endpoint": f"{origin}/revoke",
        "scopes_supported": list(SCOPES),
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": ways,
        "revocation_endpoint_auth_methods_supported": ways,
        "authorization_response_iss_parameter_supported": True,
    }
