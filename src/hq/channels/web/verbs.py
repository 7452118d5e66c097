"""`web_search` and `web_fetch`."""

from __future__ import annotations

import json
from typing import TypedDict

from pydantic import Field

from hq.artifacts.excerpt import readable
from hq.artifacts.store import Output, leave, without
from hq.channels.egress.address import check_url
from hq.channels.egress.client import EgressClient, EgressRequest
from hq.channels.http.request import MOST, WEB, host_of
from hq.channels.web.pages import page_of
from hq.channels.web.providers import SearchProvider, SearchSetting, hits
from hq.door.access import STAFF
from hq.door.json_shape import AsJson
from hq.door.tx import Tx
from hq.door.verb import Args, first, verb
from hq.errors import Refused
from hq.guard.vault import fetch

SECONDS = 30.0
LONGEST = 600


class WebSearchArgs(Args):
    """What to look for."""

    query: str = first(min_length=1, max_length=400)
    """In words, as one would type it."""
    limit: int = Field(8, ge=1, le=20)
    """How many pages at most."""


class WebPageItem(TypedDict):
    """A page that was found."""

    title: str
    url: str
    text: str


class WebSearched(Output):
    """Pages that were found."""

    items: AsJson[list[WebPageItem]]


async def _provider(tx: Tx, args: WebSearchArgs) -> tuple[SearchProvider, str]:
    provider = tx.use(SearchSetting).provider()
    key = await fetch(tx, provider.key) if provider.key else None
    if provider.key and key is None:
        raise Refused.conflict(
            "the search provider's key is not in the vault, so the web cannot be searched",
            hint=f"`hq vault set {provider.key}`",
        )
    return provider, key.plain if key else ""


@verb("web.search", "effect", shows=(), for_=STAFF, emits="web.searched", prepare=_provider, tool="web_search",
      ready=lambda services: services[SearchSetting].known, examples=[{"query": "postgres advisory locks"}])  # fmt: skip
async def search(tx: Tx, args: WebSearchArgs) -> WebSearched:
    """Search the web through the provider this installation chose."""
    provider, key = tx.prepared
    chosen = tx.use(SearchSetting)
    assert chosen.url
    answer = await tx.use(EgressClient).fetch(
        provider.ask(chosen.url, args.query, args.limit, key),
        chosen.manners,
        elsewhere=WEB,
        most=MOST,
        seconds=SECONDS,
    )
    if answer.status != 200:
        raise Refused(
            f"the search provider answered {answer.status}",
            code="outage",
            hint=f"is its key {provider.key} still good?" if provider.key else "",
        )
    body = without([key], answer.body)
    rows: list[WebPageItem] = [
        {"title": _line(hit.title), "url": _line(hit.url, 2000), "text": _line(hit.text)}
        for hit in hits(provider, body, args.limit)
    ]
    kept = leave(tx, "web_search", json.dumps(rows, ensure_ascii=False, indent=1).encode(), taint="web:search", text="")
    return WebSearched(items=rows, **kept)


class WebFetchArgs(Args):
    """Which page."""

    url: str = first(max_length=4000)
    """Such as https://example.com/article."""
    shown: int = Field(12_000, ge=200, le=100_000)
    """How many characters of its text to show at most."""
    timeout: float = Field(30, gt=0, le=120)
    """Seconds for all of it."""


class Fetched(Output):
    """A page's text."""

    url: str
    """Where it came from, after redirects."""
    title: str
    status: int
    media_type: str


async def _checked(tx: Tx, args: WebFetchArgs) -> None:
    check_url(args.url, WEB)


@verb("web.fetch", "effect", shows=(), for_=STAFF, gate="reversible", emits="web.fetched", prepare=_checked, tool="web_fetch",
      examples=[{"url": "https://example.com/article"}], text="hq.channels.output_text:output")  # fmt: skip
async def fetch_(tx: Tx, args: WebFetchArgs) -> Fetched:
    """Fetch a public page and give its readable text; the artifact has the page as it came."""
    answer = await tx.use(EgressClient).fetch(EgressRequest("GET", args.url), WEB, most=MOST, seconds=args.timeout)
    page = await page_of(answer.media_type, answer.body)
    kept = leave(
        tx,
        "web_fetch",
        answer.body,
        taint=f"web:{host_of(answer.url)}",
        media_type=answer.media_type,
        complete=answer.complete,
        text=readable(page.text.encode("utf-8", "replace")),
        shown=args.shown,
    )
    return Fetched(
        url=answer.url, title=_line(page.title), status=answer.status, media_type=answer.media_type[:100], **kept
    )


def _line(text: str, longest: int = LONGEST) -> str:
    return " ".join(readable(text.encode("utf-8", "replace")).split())[:longest]


VERBS = (search, fetch_)
