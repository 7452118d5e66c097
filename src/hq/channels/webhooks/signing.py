"""Signatures as the Standard Webhooks specification has them, so that any of its libraries can check them."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from collections.abc import Sequence
from datetime import datetime

PREFIX = "whsec_"


def new_secret() -> str:
    return PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()


def headers(message: str, at: datetime, body: bytes, keys: Sequence[str]) -> dict[str, str]:
    """One signature per key: while a key is being changed, both hold."""
    stamp = str(int(at.timestamp()))
    content = f"{message}.{stamp}.".encode() + body
    return {
        "webhook-id": message,
        "webhook-timestamp": stamp,
        "webhook-signature": " ".join(f"v1,{_signature(key, content)}" for key in keys),
    }


def signs(key: str) -> bool:
    """Whether it is one: somebody may have put another under its name."""
    try:
        return bool(_raw(key))
    except ValueError:
        return False


def _signature(key: str, content: bytes) -> str:
    return base64.b64encode(hmac.new(_raw(key), content, hashlib.sha256).digest()).decode()


def _raw(key: str) -> bytes:
    return base64.b64decode(key.removeprefix(PREFIX), validate=True)
