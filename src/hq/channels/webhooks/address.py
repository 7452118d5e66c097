"""Where a webhook may go. A name is looked up once and the connection goes to what was found and judged, never again."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from hq.errors import Refused

PORTS = {"https": 443, "http": 80}
NAT64 = ipaddress.ip_network("64:ff9b::/96")
Address = ipaddress.IPv4Address | ipaddress.IPv6Address


@dataclass(frozen=True)
class Target:
    """An address to connect to, and the name under which it is asked."""

    url: str
    """With the address in place of the name."""
    host: str
    name: str


def check_url(url: str, *, allow_private: bool) -> SplitResult:
    """What can be said of an address without looking it up."""
    try:
        place = urlsplit(url)
        port = place.port
    except ValueError:
        raise Refused.invalid(f"{url[:200]!r} is no address; it looks like https://example.com/hooks") from None
    if place.scheme not in PORTS or not place.hostname or port == 0 or any(c.isspace() for c in url):
        raise Refused.invalid(f"{url[:200]!r} is no address of a webhook; it looks like https://example.com/hooks")
    if place.username or place.password:
        raise Refused.invalid("a webhook's address carries no password; the signature says who sends it")
    if place.scheme == "http" and not allow_private:
        raise Refused.invalid("without encryption only --allow-private addresses are sent to; take https://")
    if not allow_private and (literal := _literal(place.hostname)) is not None and not is_public(literal):
        raise _private(place.hostname)
    return place


async def resolve(url: str, *, allow_private: bool) -> Target:
    """Look the name up. One address that is not public spoils it: an attacker may mix them."""
    place = check_url(url, allow_private=allow_private)
    assert place.hostname
    port = place.port or PORTS[place.scheme]
    try:
        found = await asyncio.get_running_loop().getaddrinfo(place.hostname, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise Refused.not_found(f"there is no host {place.hostname!r} ({error})") from None
    addresses = [ipaddress.ip_address(str(entry[4][0]).partition("%")[0]) for entry in found]
    if not allow_private and not all(map(is_public, addresses)):
        raise _private(place.hostname)
    chosen = addresses[0]
    literal = f"[{chosen}]" if chosen.version == 6 else str(chosen)
    path = place.path or "/"
    query = f"?{place.query}" if place.query else ""
    host = f"[{place.hostname}]" if ":" in place.hostname else place.hostname
    named = host if port == PORTS[place.scheme] else f"{host}:{port}"
    return Target(f"{place.scheme}://{literal}:{port}{path}{query}", named, place.hostname)


def is_public(address: Address) -> bool:
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)
        if address in NAT64:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
        if inner is not None:
            return is_public(inner)
        if address.is_site_local:
            return False
    return address.is_global and not address.is_multicast and not address.is_reserved


def _literal(host: str) -> Address | None:
    try:
        return ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return None


def _private(host: str) -> Refused:
    return Refused.forbidden(
        f"{host} is on this machine or in a private network",
        hint="--allow-private allows it, if events are really meant to go there",
    )
