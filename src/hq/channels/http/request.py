"""`http_request`: curl's equivalent for agents (seed 001 §3.5), which cannot be led to private addresses."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import Field

from hq.artifacts.store import Output, leave, without
from hq.channels.egress.address import EgressPolicy, check_url
from hq.channels.egress.client import EgressClient, EgressRequest
from hq.channels.egress.headers import check_headers
from hq.channels.http.sites import credentials, manners, site_of
from hq.door.access import STAFF
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, Verb, first, verb
from hq.errors import Refused

MOST = 8 * 2**20
SAFE = ("GET", "HEAD")
WEB = EgressPolicy(
    plain=True, ports=frozenset({80, 443, 8080, 8443}), hint="the founder may allow one with `hq http allow`"
)
OURS = ("authorization", "proxy-authorization", "cookie", "x-api-key", "host", "content-length", "transfer-encoding")
"""Headers a caller does not set: credentials come from a site and the vault, the rest from the request itself."""


class HttpRequestArgs(Args):
    """What to ask of which server."""

    url: str = first(max_length=4000)
    """Such as https://api.example.com/v1/status."""
    method: Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] = "GET"
    """What to do there."""
    headers: dict[str, str] = Field(default_factory=dict, max_length=30)
    """Such as {"Accept": "application/json"}. No credentials: they go with a site."""
    body: str = Field("", max_length=200_000)
    """What to send."""
    site: Ref | None = None
    """A site whose credentials go along, as `hq http sites` shows it."""
    timeout: float = Field(30, gt=0, le=300)
    """Seconds for all of it."""


class HttpResponse(Output):
    """What a server answered."""

    status: int
    url: str
    """Where it came from, after redirects."""
    headers: dict[str, str]


@dataclass(frozen=True)
class PreparedRequest:
    manners: EgressPolicy
    secrets: dict[str, str] = field(repr=False)
    home: str = ""


async def _ready(tx: Tx, args: HttpRequestArgs) -> PreparedRequest:
    for name in args.headers:
        if name.lower() in OURS:
            raise Refused.invalid(
                f"headers: {name} is not set by hand; credentials go with a site",
                hint="`hq http allow` lends a site its credentials",
            )
    if args.site is None:
        check_url(args.url, WEB)
        check_headers(args.headers, {})
        return PreparedRequest(WEB, {})
    site = await site_of(tx, args.site, args.url)
    secrets = await credentials(tx, site.props)
    check_headers(args.headers, secrets)
    return PreparedRequest(manners(site.props), secrets, site.props.url)


@verb(
    "http.request",
    "effect",
    shows=("method", "body", "site"),
    for_=STAFF,
    gate="reversible",
    emits="http.requested",
    target="site",
    prepare=_ready,
    tool="http_request",
    examples=[{"url": "https://api.example.com/v1/status"}],
    text="hq.channels.output_text:output",
)
async def request(tx: Tx, args: HttpRequestArgs) -> HttpResponse:
    """Ask a web server for something, or send it something. Private addresses only through a site that allows them."""
    ready: PreparedRequest = tx.prepared
    answer = await tx.use(EgressClient).fetch(
        EgressRequest(args.method, args.url, args.headers, args.body.encode(), ready.secrets, ready.home),
        ready.manners,
        elsewhere=WEB,
        most=MOST,
        seconds=args.timeout,
    )
    secrets = [secret.removeprefix("Bearer ") for secret in ready.secrets.values()]
    kept = leave(
        tx,
        "http_request",
        without(secrets, answer.body),
        taint=f"web:{host_of(answer.url)}",
        media_type=answer.media_type,
        complete=answer.complete,
    )
    headers = {name: without(secrets, value.encode()).decode() for name, value in answer.headers.items()}
    headers.pop("set-cookie", None)
    return HttpResponse(status=answer.status, url=answer.url, headers=headers, **kept)


def host_of(url: str) -> str:
    return urlsplit(url).hostname or "unknown"


class HttpPolicy:
    """Looking can be taken back, more or less; what changes something elsewhere cannot."""

    async def judge(self, tx: Tx, verb: Verb, args: Any) -> str | None:
        return "irreversible" if verb.name == request.name and args.method not in SAFE else None


VERBS = (request,)
