"""Text of SSH keys: a host's, and one of our own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hq.terminal.screen import Screen

Data = Mapping[str, Any]


def scanned(data: Data, screen: Screen) -> Iterator[str]:
    for key, fingerprint in zip(data["host_keys"], data["fingerprints"], strict=True):
        yield key
        yield screen.dim(f"  {fingerprint}")


def key_made(data: Data, screen: Screen) -> Iterator[str]:
    yield data["public_key"]
    yield screen.dim(f"the private half is in the vault as {data['name']}; this line goes into authorized_keys")
