"""Response headers of an app: those that it may set, and those that the gate lays over them.

Whatever is not named here is dropped: headers can have a browser report, refresh, preload and remember on behalf of a page, all
of it past the page's policy.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

Headers = list[tuple[bytes, bytes]]
ALLOWED = {
    b"content-type", b"content-length", b"content-encoding", b"content-language", b"content-disposition", b"content-range",
    b"accept-ranges", b"allow", b"age", b"cache-control", b"date", b"etag", b"expires", b"last-modified", b"pragma",
    b"retry-after", b"vary", b"www-authenticate",
}  # fmt: skip
"""What an answer says about itself. `location` and `set-cookie` are looked at."""
POLICY = (
    b"default-src 'self' data: blob: 'unsafe-inline' 'unsafe-eval'; connect-src 'self'; form-action 'self'; "
    b"worker-src blob:; base-uri 'self'; object-src 'none'; frame-ancestors 'none'"
)
"""A service worker is never a blob, so there is none: it would outlive the app, and answer in its place without this policy."""
ADDED: Headers = [
    (b"content-security-policy", POLICY),
    (b"x-frame-options", b"DENY"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-dns-prefetch-control", b"off"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=(), payment=(), usb=()"),
]
COOKIE_NAME = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
ADDRESS = re.compile(rb"[!-\[\]-~]*")
"""Without spaces, which a browser takes away, and backslashes, which it takes for slashes."""


def answered(headers: Headers, authority: str, ours: str) -> Headers:
    """What a browser is sent. `authority` is what it calls the app, `ours` the cookie that is nobody's but the gate's."""
    return [*_kept(headers, authority.encode(), ours.encode()), *ADDED]


def _kept(headers: Headers, authority: bytes, ours: bytes) -> Iterator[tuple[bytes, bytes]]:
    for name, value in headers:
        if name in ALLOWED or (name == b"location" and _within(value, authority)):
            yield name, value
        elif name == b"set-cookie" and (cookie := _host_only(value, ours)):
            yield name, cookie


def _within(location: bytes, authority: bytes) -> bool:
    """Whether it leads nowhere but to the app."""
    if not ADDRESS.fullmatch(location):
        return False
    try:
        place = urlsplit(location)
    except ValueError:
        return False
    return (place.scheme, place.netloc) in ((b"", b""), (b"http", authority))


def _host_only(cookie: bytes, ours: bytes) -> bytes:
    """A cookie for this very address; nothing, where it is no cookie of the app's own."""
    first, *attributes = (part.strip() for part in cookie.split(b";"))
    name, _, _ = first.partition(b"=")
    if not COOKIE_NAME.fullmatch(name.strip()) or name.strip() == ours:
        return b""
    return b"; ".join([first, *(each for each in attributes if each.partition(b"=")[0].strip().lower() != b"domain")])
