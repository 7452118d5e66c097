"""The links of a node: the first of them wherever it is shown, and all of them page by page."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict

from pydantic import Field

from hq.door.access import EVERYONE
from hq.door.results import Page, page
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, first, verb
from hq.graph.records import LinkItem, Stored

SHOWN = 200


class ShownLinks(TypedDict):
    """The first links of a node."""

    links: list[LinkItem]
    links_more: NotRequired[str]


async def shown_links(tx: Tx, node: Stored[Any]) -> ShownLinks:
    """What `show` and `describe` say of the links; where there are more, how to see them."""
    links = await tx.links(node, SHOWN + 1)
    shown: ShownLinks = {"links": [link.brief() for link in links[:SHOWN]]}
    if len(links) > SHOWN:
        shown["links_more"] = f"only the first {SHOWN} links; `hq graph links {node.slug}` shows all of them"
    return shown


class GraphLinksArgs(Args):
    """Of which node."""

    ref: Ref = first()
    """Slug, type:slug or id."""
    edge: str | None = Field(None, max_length=60)
    """Only this kind of link."""
    limit: int = Field(SHOWN, ge=1, le=1000)
    """How many at most."""
    after: int = Field(0, ge=0, le=1_000_000)
    """The `next` of the page before."""


@verb("graph.links", "read", for_=EVERYONE, target="ref")
async def links(tx: Tx, args: GraphLinksArgs) -> Page[LinkItem]:
    """Every link of a node in both directions, page by page."""
    node = await tx.get(args.ref)
    tx.target = node
    if args.edge:
        tx.catalogue.edge(args.edge)
    found = await tx.links(node, args.limit + 1, skip=args.after, edge=args.edge)
    return page(found, args.limit, lambda _: args.after + args.limit, lambda link: link.brief())


VERBS = (links,)
