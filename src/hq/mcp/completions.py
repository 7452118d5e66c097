"""Completions: slugs and page names for the arguments of prompts and resource templates."""

from __future__ import annotations

from collections.abc import Iterable

from mcp_types import Completion

from hq.mcp.door_calls import VerbRequest
from hq.mcp.pages import PAGES, Read

MOST = 100
NODES = ("mission.list", "project.list", "task.list", "entity.list", "contact.list", "engagement.list")


async def completed(read: Read, about: str, argument: str, typed: str) -> Completion:
    """What the argument could be, as far as it is typed."""
    if argument == "page":
        return _starting(typed, PAGES)
    if argument == "ref":
        return _starting(typed, await _slugs(read, NODES[:1] if about.startswith("hq://mission/") else NODES))
    if argument in ("at", "since"):
        return _starting(typed, ("1d", "7d", "30d"))
    return Completion(values=[], total=0, has_more=False)


async def _slugs(read: Read, lists: Iterable[str]) -> list[str]:
    found: list[str] = []
    for verb in lists:
        contract = await read(VerbRequest(verb, {"limit": 200}))
        if contract["ok"]:
            found += [item["slug"] for item in contract["data"]["items"]]
    return found


def _starting(typed: str, words: Iterable[str]) -> Completion:
    fitting = sorted({word for word in words if word.startswith(typed.lower())})
    return Completion(values=fitting[:MOST], total=len(fitting), has_more=len(fitting) > MOST)
