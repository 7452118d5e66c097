"""Addresses of one origin: which resource its tokens are for, and what says so to whoever comes without one."""

from __future__ import annotations

from starlette.requests import Request

from hq.api.guard import LOOPBACK, host_name
from hq.json_types import JsonObject

MCP = "/mcp"
ABOUT_RESOURCE = "/.well-known/oauth-protected-resource"
ABOUT_SERVER = "/.well-known/oauth-authorization-server"
SCOPES = {
    "read": "Look: missions, tasks, people, documents and what happened, as far as the whole company sees it.",
    "write": "Change what is in the company: tasks, notes, missions. Your risk table says what you are asked about first.",
    "effect": "Act outside: send, call, run programs. Your risk table says what you are asked about first.",
}
"""What a program can be allowed. Approving, the vault and tokens are nobody's but the founder's."""
USUAL = "read write"


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


def about_resource(origin: str) -> JsonObject:
    """RFC 9728."""
    return {
        "resource": origin + MCP,
        "authorization_servers": [origin],
        "scopes_supported": list(SCOPES),
        "bearer_methods_supported": ["header"],
        "resource_name": "hq",
    }


def about_server(origin: str) -> JsonObject:
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
