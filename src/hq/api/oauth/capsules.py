"""Capsules: what a client carries for us, sealed under the house's key, so that nothing of a registration or a request is
stored here and nobody fills a table. What counts is inside: a secret whose hash is among the credentials."""

from __future__ import annotations

import hashlib
from typing import TypeVar

from pydantic import BaseModel, Field, ValidationError

from hq.guard.vault import Vault

ACCESS = "hq_mcp_"
"""How an access token begins."""
C = TypeVar("C", bound=BaseModel)


class AccessCapsule(BaseModel):
    secret: str = Field(repr=False)
    """The credential's own token, which the door knows."""
    grant: str
    """The permission that it came from; the same after each renewal."""
    resource: str
    """The address that it is for, and no other."""
    client: str
    """The client whose it is, by its fingerprint."""


class RenewalCapsule(AccessCapsule):
    scopes: list[str]


class CodeCapsule(RenewalCapsule):
    challenge: str
    redirect_uri: str
    explicit: bool


class RequestCapsule(BaseModel):
    """What a client asked for, between its request and the founder's word."""

    id: str
    """Of this request; one is answered with yes once."""
    client: str
    name: str
    scopes: list[str]
    challenge: str
    redirect_uri: str
    explicit: bool
    state: str | None
    resource: str
    at: float
    session: str = ""
    """Whose word is awaited: a page that was shown to one is answered by no other."""


class Capsules:
    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    def sealed(self, capsule: BaseModel) -> str:
        return self._vault.wrap(type(capsule).__name__, capsule.model_dump_json(exclude_none=True).encode())

    def opened(self, text: str, kind: type[C]) -> C | None:
        plain = self._vault.unwrap(kind.__name__, text)
        try:
            return kind.model_validate_json(plain) if plain is not None else None
        except ValidationError:  # of another version of hq
            return None

    def access(self, token: str, resource: str) -> AccessCapsule | None:
        """What an access token holds, if it is one for this address."""
        found = self.opened(token.removeprefix(ACCESS), AccessCapsule)
        return found if found is not None and found.resource == resource else None


def fingerprint(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]
