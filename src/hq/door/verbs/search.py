"""The verb that finds things: by name, by words, by meaning, or all of them together."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from pydantic import Field

from hq.door.access import EVERYONE
from hq.door.json_shape import AsJson
from hq.door.tx import Tx
from hq.door.verb import Args, MomentText, Ref, Result, first, verb
from hq.errors import Refused
from hq.graph.moment import parse_moment
from hq.graph.search.finder import SearchHit, check_types
from hq.graph.search.finder import search as find
from hq.graph.search.query import Mode, SearchQuery
from hq.graph.search.service import Embedders


class GraphSearchArgs(Args):
    """What to look for."""

    query: str = first(max_length=200_000)
    """Words, a question, a name or a slug. Words may be in any language that is written here."""
    mode: Mode = "hybrid"
    """How: `hybrid` is by words and by meaning together; `words`, `meaning` and `slug` are each alone."""
    type_: list[str] = Field(default_factory=list, max_length=50)
    """Only nodes of these types."""
    status: str | None = Field(None, max_length=60)
    """Only with this status."""
    tag: list[str] = Field(default_factory=list, max_length=50)
    """Only with all of these tags."""
    since: MomentText | None = None
    """Only what happened since then: a date, a time, or 7d."""
    until: MomentText | None = None
    """Only what happened before then."""
    producer: Ref | None = None
    """Only what this producer wrote."""
    archived: bool = False
    """Archived ones too."""
    asker: Ref | None = None
    """Who `I` and `my` in the query mean; the founder if left out."""
    limit: int = Field(10, ge=1, le=100)
    """How many at most."""


class SearchHead(TypedDict):
    """Which node it is."""

    slug: str
    type: str
    title: str
    status: NotRequired[str]


class SearchItem(SearchHead):
    """Something that was found."""

    snippet: str
    why: str
    score: float
    at: str
    id: str
    tainted_by: NotRequired[list[str]]


class Results(Result):
    items: AsJson[list[SearchItem]] = Field(default_factory=list)
    """Best first, each with why it is there and the passage that matched, the query's words between asterisks."""
    notes: list[str] = Field(default_factory=list)
    """What to know of the search itself."""


@verb(
    "graph.search",
    "read",
    shows=("type", "limit"),
    for_=EVERYONE,
    alias="search",
    examples=[{"query": "call ana", "type": ["task"]}],
)
async def search(tx: Tx, args: GraphSearchArgs) -> Results:
    """Find anything by its name, its words or its meaning."""
    if not args.query.strip():
        raise Refused.invalid("say what to look for: a word, a question, a name or a slug")
    check_types(tx, args.type_)
    query = SearchQuery(
        text=args.query,
        mode=args.mode,
        types=args.type_,
        status=[args.status] if args.status else [],
        tags=args.tag,
        since=parse_moment(args.since, tx.now) if args.since else None,
        until=parse_moment(args.until, tx.now) if args.until else None,
        producer=(await tx.get(args.producer)).id if args.producer else None,
        archived=args.archived,
        asker=(await tx.get(args.asker)).id if args.asker else tx.caller.founder_id,
        limit=args.limit,
    )
    found = await find(tx, query, tx.use(Embedders))
    return Results(items=[_as_dict(hit) for hit in found.hits], notes=found.notes)


def _as_dict(hit: SearchHit) -> SearchItem:
    node = hit.node
    head: SearchHead = {"slug": node.slug, "type": node.type, "title": node.title}
    if node.status:
        head["status"] = node.status
    item: SearchItem = {
        **head,
        "snippet": hit.snippet,
        "why": ", ".join(hit.why),
        "score": hit.score,
        "at": (node.occurred_at or node.created_at).isoformat(),
        "id": str(node.id),
    }
    if node.taint:
        item["tainted_by"] = sorted(node.taint)
    return item


VERBS = (search,)
