"""A registered client: who it says it is is in its id, and where it may be sent back to is checked twice."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from mcp.server.auth.provider import RegistrationError
from mcp.shared.auth import OAuthClientInformationFull
from pydantic import AnyUrl

from hq.api.guard import LOOPBACK
from hq.api.oauth.address import SCOPES
from hq.json_types import WireBody

MOST_URIS = 10
LONGEST = 400
_PLACE = re.compile(r"[A-Za-z0-9.-]+(:\d+)?|\[[0-9a-f:]+\](:\d+)?")


class RegisteredClient(OAuthClientInformationFull):
    """A capsule of its own: its id is this, sealed."""

    def validate_redirect_uri(self, redirect_uri: AnyUrl | None) -> AnyUrl:
        """Exactly one of those it registered; a program on this machine takes whatever port is free (RFC 8252)."""
        if redirect_uri is not None and any(_same_but_port(redirect_uri, each) for each in self.redirect_uris or ()):
            return redirect_uri
        return super().validate_redirect_uri(redirect_uri)


def checked(info: OAuthClientInformationFull) -> RegisteredClient:
    """As much of a registration as is kept, or a refusal."""
    uris = info.redirect_uris or []
    if len(uris) > MOST_URIS or any(len(str(each)) > LONGEST for each in uris):
        raise RegistrationError(
            "invalid_redirect_uri", f"at most {MOST_URIS} redirect_uris of {LONGEST} characters are taken"
        )
    for each in uris:
        _check_uri(str(each))
    kept: WireBody = {
        "client_id": "sealed",
        "client_secret": info.client_secret,
        "client_name": (info.client_name or "").strip()[:100] or None,
        "redirect_uris": uris,
        "scope": info.scope or " ".join(SCOPES),
        "grant_types": ["authorization_code", "refresh_token"],
        "token_endpoint_auth_method": info.token_endpoint_auth_method,
    }
    return RegisteredClient.model_validate(kept)


def _check_uri(uri: str) -> None:
    place = urlsplit(uri)
    if place.fragment or place.username is not None or (place.netloc and not _PLACE.fullmatch(place.netloc)):
        raise RegistrationError("invalid_redirect_uri", f"{uri!r} has a fragment, a user or a strange host")
    if place.scheme != "https" and not _loopback(uri) and "." not in place.scheme:  # RFC 8252 §7.1
        raise RegistrationError(
            "invalid_redirect_uri",
            f"{uri!r} is neither https, nor http on this machine, nor an app's own scheme, such as com.example.app:/back",
        )


def _loopback(uri: str) -> bool:
    place = urlsplit(uri)
    return place.scheme == "http" and place.hostname in LOOPBACK


def _same_but_port(given: AnyUrl, registered: AnyUrl) -> bool:
    if not (_loopback(str(given)) and _loopback(str(registered))):
        return False
    one, other = urlsplit(str(given)), urlsplit(str(registered))
    parts = ("hostname", "username", "password", "path", "query", "fragment")
    return all(getattr(one, part) == getattr(other, part) for part in parts)
