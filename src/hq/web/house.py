"""The page of the house: how much the company holds, now or at any moment, and how each part of the house is."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from starlette.responses import Response

from hq import __version__
from hq.web.assets import page
from hq.web.page_reads import PageReader
from hq.web.pages import Asked, frame

COUNTED = {"task": "tasks", "project": "projects", "contact": "contacts", "decision": "decisions", "memo": "memos"}
MOST = 200
FACTS = {
    "kind": "{}", "version": "version {}", "milliseconds": "{} ms", "free_mb": "{:,} MB free",
    "size": "{} connections", "trouble": "{}",
}  # fmt: skip


class HousePage:
    def __init__(self, report: Callable[[], Awaitable[Mapping[str, Any]]]) -> None:
        """With who knows how the parts of the house are."""
        self._report = report

    async def show(self, reader: PageReader, asked: Asked) -> Response:
        around, company, counts, report = await asyncio.gather(
            frame(reader), reader.read("tenant.show"), _counts(reader), self._report()
        )
        parts = {name: (part["status"], _facts(part)) for name, part in report["parts"].items()}
        told = {"called": company["name"], "counts": counts, "parts": parts, "version": __version__}
        return page("house.html", here="house", known_at=reader.known_at, **told, **vars(around))


async def _counts(reader: PageReader) -> dict[str, str]:
    found = await asyncio.gather(*(reader.read(f"{noun}.list", limit=MOST) for noun in COUNTED))
    return dict(zip(COUNTED.values(), map(_many, found), strict=True))


def _many(data: Mapping[str, Any]) -> str:
    return f"{len(data['items'])}{'+' if data.get('next') else ''}"


def _facts(part: Mapping[str, Any]) -> str:
    facts = [form.format(part[key]) for key, form in FACTS.items() if key in part]
    if part["status"] != "ok" and part.get("lag"):  # a few that are on their way are no trouble
        facts.append(f"{part['lag']:,} behind")
    return " · ".join(facts) or part["status"]
