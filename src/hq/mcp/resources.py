"""Resources: any node at `hq://node/<slug>`, missions, state pages; each with `?at=` for the past."""

from __future__ import annotations

import json
from typing import NamedTuple
from urllib.parse import parse_qs, quote, unquote, urlsplit

from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, Resource, ResourceTemplate, TextResourceContents

from hq.errors import ErrorDetail
from hq.mcp.door_calls import VerbRequest, error_of
from hq.mcp.pages import PAGES, Read, written

JSON, MARKDOWN = "application/json", "text/markdown"
TEMPLATES = [
    ResourceTemplate(
        uri_template="hq://node/{ref}{?at,known_at}",
        name="node",
        title="Any node",
        description="A node in full with its links, by slug, type:slug or id; with `at` as it was then.",
        mime_type=JSON,
    ),
    ResourceTemplate(
        uri_template="hq://mission/{ref}{?at,known_at}",
        name="mission",
        title="A mission",
        description="A mission in full with its links; with `at` as it was then.",
        mime_type=JSON,
    ),
    ResourceTemplate(
        uri_template="hq://state/{page}{?at,known_at}",
        name="state",
        title="How things stand",
        description=f"A page of the company's state: {', '.join(PAGES)}; with `at` as it was then.",
        mime_type=MARKDOWN,
    ),
]


class ResourceAddress(NamedTuple):
    """A resource's address, taken apart."""

    kind: str
    name: str
    at: str | None
    known_at: str | None


async def listed(read: Read, cursor: str | None) -> tuple[list[Resource], str | None]:
    """State pages first, then missions; further missions behind the cursor."""
    found = [] if cursor else [
        Resource(uri=f"hq://state/{p.name}", name=p.name, title=p.title, description=p.says, mime_type=MARKDOWN)
        for p in PAGES.values()
    ]  # fmt: skip
    missions = await read(VerbRequest("mission.list", {"limit": 50, **({"after": cursor} if cursor else {})}))
    if not missions["ok"]:
        if cursor:
            raise MCPError(code=INVALID_PARAMS, message="there is nothing behind this cursor")
        return found, None
    for item in missions["data"]["items"]:
        uri = f"hq://mission/{quote(item['slug'])}"
        found.append(Resource(uri=uri, name=item["slug"], title=item.get("title"), mime_type=JSON))
    return found, missions["data"].get("next")


async def read_one(read: Read, uri: str) -> TextResourceContents:
    place = parsed(uri)
    if place.kind == "state":
        if place.name not in PAGES:
            raise not_found(uri, f"there is no state page {place.name!r}; there are {', '.join(PAGES)}")
        text = await written(PAGES[place.name], read, uri, place.at, place.known_at)
        return TextResourceContents(uri=uri, mime_type=MARKDOWN, text=text)
    ref = place.name if place.kind == "node" else f"mission:{place.name}"
    contract = await read(VerbRequest("graph.describe", {"ref": ref}, at=place.at, known_at=place.known_at))
    if not contract["ok"]:
        error = error_of(contract)
        raise not_found(uri, error["message"], error)
    text = json.dumps(contract["data"] | {"sequence": contract["sequence"]}, ensure_ascii=False)
    return TextResourceContents(uri=uri, mime_type=JSON, text=text)


def parsed(uri: str) -> ResourceAddress:
    parts = urlsplit(uri)
    name = unquote(parts.path.removeprefix("/"))
    if parts.scheme != "hq" or parts.netloc not in ("node", "mission", "state") or not name:
        raise not_found(uri, "resources are hq://node/<slug>, hq://mission/<slug> and hq://state/<page>")
    query = {key: values[-1] for key, values in parse_qs(parts.query).items()}
    return ResourceAddress(parts.netloc, name, query.get("at"), query.get("known_at"))


def not_found(uri: str, message: str, error: ErrorDetail | None = None) -> MCPError:
    return MCPError(code=INVALID_PARAMS, message=message, data={"uri": uri, **({"error": error} if error else {})})
