"""Addresses that a request may go to. A name is looked up once and the connection goes to what was found and judged,
never again."""

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
class EgressPolicy:
    """What is allowed on the way to an address."""

    private: bool = False
    """This machine and private networks too."""
    plain: bool = False
    """Without encryption too."""
    ports: frozenset[int] | None = None
    """Only these; none named means any."""
    hint: str = ""
    """What to do where a private address is refused."""


@dataclass(frozen=True)
class EgressTarget:
    """An address to connect to, and the name under which it is asked."""

    url: str
    """With the address in place of the name."""
    host: str
    name: str


def check_url(url: str, manners: EgressPolicy) -> SplitResult:
    """What can be said of an address without looking it up."""
    try:
        place = urlsplit(url)
        port = place.port
    except ValueError:
        raise Refused.invalid(f"{url[:200]!r} is no address; it looks like https://example.com/path") from None
    if place.scheme not in PORTS or not place.hostname or port == 0 or any(map(_stray, url)):
        raise Refused.invalid(f"{url[:200]!r} is no address; it looks like https://example.com/path")
    if place.username or place.password:
        raise Refused.invalid("an address carries no name or password; they would be kept wherever it is")
    if place.scheme == "http" and not manners.plain:
        raise Refused.invalid("without encryption nothing is sent there; take https://", hint=manners.hint)
    if manners.ports is not None and (port or PORTS[place.scheme]) not in manners.ports:
        raise Refused.forbidden(
            f"port {port} is not one that web servers have: {', '.join(map(str, sorted(manners.ports)))}",
            hint=manners.hint,
        )
    literal = _literal(place.hostname)
    if literal is not None and not _allowed(literal, manners):
        raise _private(place.hostname, manners)
    return place


async def resolve(url: str, manners: EgressPolicy) -> EgressTarget:
    """Look the name up. One address that is not public spoils it: an attacker may mix them."""
    place = check_url(url, manners)
    assert place.hostname
    port = place.port or PORTS[place.scheme]
    try:
        name = place.hostname if ":" in place.hostname else place.hostname.encode("idna").decode()
        found = await asyncio.get_running_loop().getaddrinfo(name, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise Refused.not_found(f"there is no host {place.hostname!r} ({error})") from None
    addresses = [ipaddress.ip_address(str(entry[4][0]).partition("%")[0]) for entry in found]
    if not all(_allowed(address, manners) for address in addresses):
        raise _private(place.hostname, manners)
    chosen = addresses[0]
    literal = f"[{chosen}]" if chosen.version == 6 else str(chosen)
    path = place.path or "/"
    query = f"?{place.query}" if place.query else ""
    host = f"[{name}]" if ":" in name else name
    named = host if port == PORTS[place.scheme] else f"{host}:{port}"
    return EgressTarget(f"{place.scheme}://{literal}:{port}{path}{query}", named, name)


def _allowed(address: Address, manners: EgressPolicy) -> bool:
    """Link-local is where clouds keep the machine's own credentials: no permission reaches that far."""
    return is_public(address) or (manners.private and not unwrapped(address).is_link_local)


def unwrapped(address: Address) -> Address:
    """The IPv4 address that a translated, mapped or tunnelled one leads to; any other as it is."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    inner = address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)
    if address in NAT64:
        inner = ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    return inner or address


def is_public(address: Address) -> bool:
    address = unwrapped(address)
    if isinstance(address, ipaddress.IPv6Address) and address.is_site_local:
        return False
    return address.is_global and not address.is_multicast and not address.is_reserved


def _stray(character: str) -> bool:
    return character.isspace() or not character.isprintable() or character == "\\"


def _literal(host: str) -> Address | None:
    try:
        return ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return None


def _private(host: str, manners: EgressPolicy) -> Refused:
    return Refused.forbidden(f"{host} is on this machine or in a private network", hint=manners.hint)
