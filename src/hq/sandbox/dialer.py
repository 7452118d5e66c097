"""Connects to the outside for a sandboxed program: only where its policy allows, and never to this machine or its network."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Sequence
from dataclasses import dataclass

from hq.channels.egress.address import Address, is_public
from hq.errors import Refused
from hq.sandbox.job import Network

WEB = (80, 443)
PATIENCE = 15.0
Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Blocked(Exception):
    """A connection that is not made, and why."""


@dataclass(frozen=True)
class NetworkPolicy:
    """Which hosts a program may reach."""

    network: Network
    blocked: Sequence[str] = ()

    def __post_init__(self) -> None:
        for pattern in (*self.listed, *self.blocked):
            host, _, port = pattern.partition(":")
            if not host.removeprefix("*.").strip() or "/" in pattern or (port and not port.isdigit()):
                raise Refused.invalid(
                    f"{pattern!r} is not a domain; say example.com, *.example.com or example.com:8443"
                )

    @property
    def listed(self) -> Sequence[str]:
        return () if isinstance(self.network, str) else self.network

    def check(self, host: str, port: int) -> None:
        if any(_covers(pattern, host) for pattern in self.blocked):
            raise Blocked("this domain is blocked for the workspace")
        if self.network != "on" and not any(_allows(pattern, host, port) for pattern in self.listed):
            raise Blocked("this host and port are not among those the workspace may reach")


def _allows(pattern: str, host: str, port: int) -> bool:
    name, _, wanted = pattern.lower().partition(":")
    if port != int(wanted) if wanted else port not in WEB:
        return False
    return host == name or (name.startswith("*.") and host.endswith(name[1:]))


def _covers(pattern: str, host: str) -> bool:
    """A blocked domain takes those below it along."""
    name = pattern.lower().partition(":")[0].removeprefix("*.")
    return host == name or host.endswith("." + name)


class Dialer:
    """Looks a name up once and goes to what was found and judged, so that a name cannot mean something else later."""

    async def dial(self, policy: NetworkPolicy, host: str, port: int) -> Connection:
        host = host.lower().rstrip(".")
        policy.check(host, port)
        addresses = await self.addresses(host, port)
        if not addresses or not all(self.outside(address, port) for address in addresses):
            raise Blocked("it leads to this machine or a private network")
        failure = "no answer"
        for address in addresses[:4]:
            try:
                async with asyncio.timeout(PATIENCE):
                    return await asyncio.open_connection(str(address), port)
            except (OSError, TimeoutError) as error:
                failure = str(error) or failure
        raise Blocked(failure)

    async def addresses(self, host: str, port: int) -> list[Address]:
        try:
            found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            raise Blocked("there is no such host") from None
        return [ipaddress.ip_address(str(entry[4][0]).partition("%")[0]) for entry in found]

    def outside(self, address: Address, port: int) -> bool:
        return is_public(address) and not _ours(address)


def _ours(address: Address) -> bool:
    """Whether it is one of this machine's own: only then can a socket be bound to it."""
    family = socket.AF_INET6 if address.version == 6 else socket.AF_INET
    with socket.socket(family) as probe:
        try:
            probe.bind((str(address), 0))
        except OSError:
            return False
    return True
