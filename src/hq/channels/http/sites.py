"""Sites, as the founder handles them: allow one, with its credentials; see them; take one out."""

from __future__ import annotations

from urllib.parse import urlsplit

from pydantic import Field

from hq.channels import allow_list
from hq.channels.egress.address import EgressPolicy, check_url
from hq.channels.egress.client import within
from hq.channels.egress.headers import check_headers
from hq.channels.http.types import HttpSite
from hq.door.access import EVERYONE, FOUNDER
from hq.door.results import Listing, Row
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, first, verb
from hq.errors import Refused
from hq.graph.records import Stored
from hq.guard.vault import NAME as SECRET
from hq.guard.vault import reveal
from hq.json_types import NodeItem


class HttpAllowArgs(Args):
    """Which server, and what is sent along. Secrets are named as they are called in the vault."""

    name: str = first(pattern=r"^[a-z0-9][a-z0-9-]{0,79}$")
    """What it is called from now on."""
    url: str = first(max_length=2000)
    """Where it begins, such as https://api.example.com/v1."""
    bearer: str | None = Field(None, pattern=SECRET)
    """Secret that is sent as bearer token."""
    header: list[str] = Field(default_factory=list, max_length=20)
    """NAME=secret: further headers, such as X-Api-Key=weather/key."""
    allow_private: bool = False
    """It may be on this machine or in a private network, and without encryption."""


@verb(
    "http.allow",
    "write",
    for_=FOUNDER,
    scope="founder",
    gate="system",
    undo="exact",
    emits="http.allowed",
    examples=[{"name": "forge", "url": "https://forge.example/api", "bearer": "forge/token"}],
)
async def allow(tx: Tx, args: HttpAllowArgs) -> Row:
    """Let requests name a site, so that its credentials go with them."""
    check_url(
        args.url, EgressPolicy(private=args.allow_private, plain=args.allow_private, hint="--allow-private allows it")
    )
    if urlsplit(args.url).query or urlsplit(args.url).fragment:
        raise Refused.invalid("a site's address ends with its path; leave the ? and # away")
    headers = dict(map(_named, args.header))
    check_headers({}, dict.fromkeys(headers, ""))
    site = HttpSite(
        name=args.name,
        url=args.url,
        bearer=args.bearer,
        headers=headers,
        allow_private=args.allow_private,
    )
    return await allow_list.put(tx, args.name, site)


class HttpSitesArgs(Args):
    """Nothing to choose."""


@verb("http.sites", "read", for_=EVERYONE, examples=[{}])
async def sites(tx: Tx, args: HttpSitesArgs) -> Listing[NodeItem]:
    """The sites whose credentials may be used, and where they begin."""
    return await allow_list.every(tx, HttpSite)


class HttpForgetArgs(Args):
    """Which site."""

    ref: Ref = first()
    """As `hq http sites` shows it."""


@verb("http.forget", "write", for_=FOUNDER, scope="founder", undo="exact", emits="http.forgotten", target="ref")
async def forget(tx: Tx, args: HttpForgetArgs) -> Row:
    """Take a site out: its credentials are sent no more."""
    return await allow_list.forget(tx, args.ref, HttpSite)


async def site_of(tx: Tx, ref: str, url: str) -> Stored[HttpSite]:
    """The site that was named, if the address really lies within it."""
    site = await tx.get(ref, HttpSite)
    tx.target = site
    if site.archived_at is not None:
        raise Refused.conflict(f"the site {site.slug} is not allowed any more", hint="`hq http sites` shows which are")
    check_url(url, manners(site.props))
    if not within(url, site.props.url):
        raise Refused.forbidden(f"{url[:200]} is not within {site.slug}, which begins at {site.props.url}")
    return site


def manners(site: HttpSite) -> EgressPolicy:
    return EgressPolicy(private=site.allow_private, plain=site.allow_private)


async def credentials(tx: Tx, site: HttpSite) -> dict[str, str]:
    found = {name: await reveal(tx, secret) for name, secret in site.headers.items()}
    if site.bearer:
        found["Authorization"] = f"Bearer {await reveal(tx, site.bearer)}"
    return found


def _named(pair: str) -> tuple[str, str]:
    name, _, secret = pair.partition("=")
    if not name or not secret:
        raise Refused.invalid("header: say NAME=secret, where the secret is named as in the vault")
    return name, secret


VERBS = (allow, sites, forget)
