"""The authorization server's memory, as the SDK's handlers ask for it: capsules that come back, and three verbs at the door."""

from __future__ import annotations

import math

from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    AuthorizeError,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    RegistrationError,
    TokenError,
)
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken

from hq.api.oauth.address import MCP, SCOPES, at_the_door
from hq.api.oauth.capsules import (
    ACCESS,
    AccessCapsule,
    Capsules,
    CodeCapsule,
    RenewalCapsule,
    RequestCapsule,
    fingerprint,
)
from hq.api.oauth.client import RegisteredClient, checked
from hq.door.door import Door
from hq.door.tx import Call
from hq.errors import Outage
from hq.ids import new_id

LONGEST_STATE = 2000
S256 = 43
"""Characters of a challenge."""
NEVER = math.inf
"""When a capsule's time is over the door says, by the house's clock; the SDK would ask the wall's."""


class IssuedCode(AuthorizationCode):
    held: CodeCapsule


class Renewal(RefreshToken):
    held: RenewalCapsule


class Provider(OAuthAuthorizationServerProvider[IssuedCode, Renewal, AccessToken]):
    """Of one origin."""

    def __init__(self, door: Door, capsules: Capsules, origin: str) -> None:
        self._door = door
        self._capsules = capsules
        self.resource = origin + MCP

    def is_for(self, resource: str) -> bool:
        return resource.rstrip("/") == self.resource

    async def get_client(self, client_id: str) -> RegisteredClient | None:
        found = self._capsules.opened(client_id, RegisteredClient)
        if found is not None:
            found.client_id = client_id
        return found

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        kept = checked(client_info)
        if client_info.client_name and not client_info.client_name.isprintable():
            raise RegistrationError("invalid_client_metadata", "client_name has characters that cannot be shown")
        client_info.client_id = self._capsules.sealed(kept)
        client_info.scope, client_info.grant_types = kept.scope, kept.grant_types

    async def authorize(self, client: OAuthClientInformationFull, params: AuthorizationParams) -> str:
        if params.resource is not None and not self.is_for(params.resource):
            raise AuthorizeError("invalid_target", f"tokens from here are for {self.resource}")
        if len(params.state or "") > LONGEST_STATE or len(params.code_challenge) != S256:
            raise AuthorizeError("invalid_request", "state or code_challenge is not of the length it should be")
        wanted = params.scopes or (client.scope or "").split()
        asked = RequestCapsule(
            id=new_id().hex,
            client=fingerprint(client.client_id),
            name=client.client_name or "a program without a name",
            scopes=[scope for scope in SCOPES if scope in wanted],
            challenge=params.code_challenge,
            redirect_uri=str(params.redirect_uri),
            explicit=params.redirect_uri_provided_explicitly,
            state=params.state,
            resource=self.resource,
            at=self._door.clock.now().timestamp(),
        )
        return f"/connect?request={self._capsules.sealed(asked)}"

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> IssuedCode | None:
        held = self._capsules.opened(authorization_code, CodeCapsule)
        if held is None or not self._is_of(held, client):
            return None
        return IssuedCode(
            code=authorization_code,
            scopes=held.scopes,
            expires_at=NEVER,
            client_id=client.client_id,
            code_challenge=held.challenge,
            redirect_uri=held.redirect_uri,  # type: ignore[arg-type]
            redirect_uri_provided_explicitly=held.explicit,
            resource=held.resource,
            held=held,
        )

    async def exchange_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: IssuedCode
    ) -> OAuthToken:
        return await self._redeemed(authorization_code.held, [])

    async def load_refresh_token(self, client: OAuthClientInformationFull, refresh_token: str) -> Renewal | None:
        held = self._capsules.opened(refresh_token, RenewalCapsule)
        if held is None or not self._is_of(held, client):
            return None
        return Renewal(token=refresh_token, client_id=client.client_id, scopes=held.scopes, held=held)

    async def exchange_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: Renewal, scopes: list[str]
    ) -> OAuthToken:
        return await self._redeemed(refresh_token.held, [] if scopes == refresh_token.scopes else scopes)

    async def give_back(self, client: OAuthClientInformationFull, token: str) -> None:
        """End the permission that a token, or what renews it, is of. What is none needs nothing (RFC 7009)."""
        held = self._capsules.access(token, self.resource) or self._capsules.opened(token, RenewalCapsule)
        if held is not None and self._is_of(held, client):
            await self._door.call(Call("auth.disconnect", {}, held.secret))

    def _is_of(self, held: AccessCapsule, client: OAuthClientInformationFull) -> bool:
        return held.client == fingerprint(client.client_id) and held.resource == self.resource

    async def _redeemed(self, held: RenewalCapsule, scopes: list[str]) -> OAuthToken:
        outcome = await self._door.call(Call("auth.redeem", {"scopes": at_the_door(scopes)}, held.secret))
        if outcome.status >= 500:
            raise Outage(outcome.message or "the database does not answer; try again in a moment")
        if not outcome.ok or outcome.data.get("token") is None:
            raise TokenError("invalid_grant", "it was used before, is over, or was taken back")
        given = outcome.data
        same = held.model_dump(include={"grant", "resource", "client"})
        access = AccessCapsule(secret=given["token"], **same)
        renewal = RenewalCapsule(secret=given["renewal"], scopes=held.scopes, **same)
        return OAuthToken(
            access_token=ACCESS + self._capsules.sealed(access),
            expires_in=given["seconds"],
            scope=" ".join(scope for scope in SCOPES if scope in given["scopes"]),
            refresh_token=self._capsules.sealed(renewal),
        )
