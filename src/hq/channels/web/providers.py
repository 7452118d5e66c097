"""Providers of web search: SearXNG, Brave or Tavily, by the setting HQ_SEARCH."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from hq.channels.egress.address import EgressPolicy
from hq.channels.egress.client import EgressRequest
from hq.errors import Refused
from hq.json_text import json_value
from hq.json_types import WireBody


@dataclass(frozen=True)
class WebHit:
    title: str
    url: str
    text: str


@dataclass(frozen=True)
class SearchProvider:
    url: str | None
    """Where it is, unless it is one's own."""
    key: str | None
    """Name of its key in the vault."""
    ask: Callable[[str, str, int, str], EgressRequest]
    """From its address, what is looked for, how many and the key: the request."""
    hits: Callable[[Any], list[WireBody]]
    """From its answer, the rows."""
    text: str
    """Which field of a row is the text."""


PROVIDERS = {
    "searxng": SearchProvider(
        None,
        None,
        lambda url, query, _most, _key: EgressRequest(
            "GET", f"{url}/search?{urlencode({'q': query, 'format': 'json'})}"
        ),
        lambda answer: answer["results"],
        "content",
    ),
    "brave": SearchProvider(
        "https://api.search.brave.com",
        "search/brave",
        lambda url, query, most, key: EgressRequest(
            "GET",
            f"{url}/res/v1/web/search?{urlencode({'q': query, 'count': most})}",
            {"Accept": "application/json"},
            secrets={"X-Subscription-Token": key},
        ),
        lambda answer: answer.get("web", {}).get("results", []),
        "description",
    ),
    "tavily": SearchProvider(
        "https://api.tavily.com",
        "search/tavily",
        lambda url, query, most, key: EgressRequest(
            "POST",
            f"{url}/search",
            {"Content-Type": "application/json"},
            json.dumps({"query": query, "max_results": most}).encode(),
            secrets={"Authorization": f"Bearer {key}"},
        ),
        lambda answer: answer["results"],
        "content",
    ),
}


@dataclass(frozen=True)
class SearchSetting:
    """HQ_SEARCH, taken apart: a provider, and where it is if not at its own address."""

    setting: str = ""

    @property
    def name(self) -> str:
        return self.setting.partition(":")[0].lower()

    @property
    def known(self) -> bool:
        """Whether anybody would be asked."""
        return self.name in PROVIDERS and bool(self.url)

    def provider(self) -> SearchProvider:
        found = PROVIDERS.get(self.name)
        if found is None or not self.known:
            wrong = f"HQ_SEARCH is {self.setting!r}" if self.setting else "no search provider is set"
            raise Refused.conflict(
                f"{wrong}, so the web cannot be searched",
                hint="`hq web fetch` reads a page whose address is known. Who runs hq starts it with HQ_SEARCH=brave, tavily or "
                "searxng:https://<where it is>; the first two have their key in the vault: `hq vault set search/brave`",
            )
        return found

    @property
    def url(self) -> str | None:
        given = self.setting.partition(":")[2].rstrip("/")
        return given or (PROVIDERS[self.name].url if self.name in PROVIDERS else None)

    @property
    def manners(self) -> EgressPolicy:
        """An address that the installation itself names may be at home."""
        given = bool(self.setting.partition(":")[2])
        return EgressPolicy(private=given, plain=given)


def hits(provider: SearchProvider, body: bytes, most: int) -> list[WebHit]:
    try:
        rows = provider.hits(json_value(body))
        return [WebHit(str(r.get("title") or ""), str(r["url"]), str(r.get(provider.text) or "")) for r in rows[:most]]
    except (ValueError, KeyError, TypeError, AttributeError):
        raise Refused("the search provider's answer is not what it should be", code="outage") from None
