"""A search: the query taken apart, candidates from the index, an order, and only what the graph shows at that moment."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from hq.database.queries import beside
from hq.errors import Refused
from hq.graph.moment import FAR
from hq.graph.search.embedders import Unavailable, as_text
from hq.graph.search.language import spaced
from hq.graph.search.passage import Passage, Term
from hq.graph.search.ranking import Asked, rank
from hq.graph.search.service import Embedders
from hq.graph.search.texts import text_of
from hq.graph.search.typos import alike, spellings
from hq.graph.slugs import slugify
from hq.graph.store import Graph, Wanted
from hq.graph.stored import Stored

SQL = beside(__file__)
Mode = Literal["hybrid", "words", "meaning", "slug"]
LONGEST = 2_000
"""Characters of a query that count."""
MOST = 48
"""Words of a query that count, the rarest first."""
TAKE = 120
"""Candidates by words, and as many by vector."""
AROUND = 2
SLIP = 0.6
"""What a word counts for that is only nearly the one that was typed."""
CANDIDATES = """select * from graph.candidates(%(terms)s::bigint[], %(places)s::smallint[], %(idfs)s::real[],
 %(dfs)s::integer[], %(model)s::smallint, %(vector)s::halfvec, %(pasts)s::boolean[], %(known)s::timestamptz,
 %(types)s::text[], %(status)s::text, %(tags)s::text[], %(since)s::timestamptz, %(until)s::timestamptz,
 %(producer)s::uuid, %(take)s::integer, %(around)s::integer)"""
SHAPE = "StartSel=**, StopSel=**, MaxWords=36, MinWords=16, MaxFragments=2, FragmentDelimiter=\" … \""
_WORD = re.compile(r"[^\W\d_]{4,40}")


@dataclass(frozen=True)
class Query:
    text: str
    mode: Mode = "hybrid"
    types: Sequence[str] = ()
    status: str | None = None
    tags: Sequence[str] = ()
    since: datetime | None = None
    until: datetime | None = None
    producer: UUID | None = None
    archived: bool = False
    limit: int = 10


@dataclass(frozen=True)
class Hit:
    """A node that answers, why, and where in it."""

    node: Stored[Any]
    why: list[str]
    snippet: str
    score: float


@dataclass
class Found:
    hits: list[Hit] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """What the reader should know of the search itself, such as a part of it that was not to be had."""


@dataclass
class _Words:
    terms: list[Term]
    meant: dict[int, tuple[str, str]] = field(default_factory=dict)
    """By place: the word that was typed, and the one it was taken for."""


async def search(graph: Graph, query: Query, embedders: Embedders) -> Found:
    found = Found()
    text = query.text[:LONGEST]
    exact = await _named(graph, query, text.strip())
    taken = {hit.node.id for hit in exact}
    if query.mode != "slug" and len(exact) < query.limit:
        words = await _words(graph, text) if query.mode != "meaning" else _Words([])
        model, vector = await _vector(graph, embedders, text, found) if query.mode != "words" else (None, None)
        passages = await _candidates(graph, query, words, model, vector)
        average = await graph.one(SQL["average"])
        ranked = rank(Asked(words.terms, average.length or 1.0), passages)
        shown = await _shown(graph, query, ranked, taken, query.limit - len(exact))
        found.hits = exact + await _explained(graph, words, shown)
    else:
        found.hits = exact
    for hit in found.hits:
        graph.taint |= hit.node.taint
    return found


async def _named(graph: Graph, query: Query, text: str) -> list[Hit]:
    """Whatever is called exactly so; in a search by slug also what begins so."""
    named = text.partition(":")[2] if text.partition(":")[0] in graph.catalogue.nodes else text
    slugs = list(dict.fromkeys(slug for slug in (named, slugify(named) if named else "") if slug))[:2]
    if not slugs or len(text) > 200:
        return []
    rows = await graph.rows(SQL["slugs"], {"slugs": slugs, "prefix": slugs[-1], "by_prefix": query.mode == "slug",
                                           "limit": query.limit})  # fmt: skip
    if not rows:
        return []
    nodes = await _load(graph, query, [row.id for row in rows])
    nodes.sort(key=lambda node: (node.slug not in slugs, node.slug))
    return [
        Hit(node, ["exact slug" if node.slug in slugs else "slug begins so"], node.title, 100.0) for node in nodes
    ][: query.limit]


async def _words(graph: Graph, text: str) -> _Words:
    rows = await graph.rows(
        "select * from graph.query_terms(%s::text, %s::integer)", [spaced(text) or text, MOST]
    )
    terms = [Term(*row) for row in rows]
    words = _Words([term for term in terms if term.df > 0])
    known = {term.place for term in words.terms}
    if any(term.place not in known for term in terms):
        await _forgive(graph, text, words)
    return words


async def _forgive(graph: Graph, text: str, words: _Words) -> None:
    """For words that nobody wrote here, the names that are written nearly so."""
    typed = list(dict.fromkeys(_WORD.findall(text)))[:MOST]
    unknown = await graph.rows(SQL["unknown_words"], {"words": typed})
    for nr, row in enumerate(unknown[:8]):
        near = await graph.rows(SQL["alike"], {"keys": list(spellings(row.word))})
        likely = sorted(((alike(row.word, n.word), n.word) for n in near), reverse=True)[:3]
        place = 10_000 + nr
        for likeness, word in likely:
            if likeness <= 0:
                continue
            words.meant.setdefault(place, (row.word, word))
            for term in await graph.rows("select * from graph.query_terms(%s::text, 4)", [word]):
                if term.df > 0:
                    words.terms.append(
                        Term(place, term.language, term.stem, term.term, term.df, term.idf * SLIP * likeness)
                    )
    words.terms.sort(key=lambda term: term.df)


async def _vector(
    graph: Graph, embedders: Embedders, text: str, found: Found
) -> tuple[int | None, str | None]:
    """The query in the model that serves. Without one the search goes on by words, and says so."""
    serving = await graph.one("select id, name from graph.models where state = 'serving'")
    if serving is None or not text.strip():
        return None, None
    try:
        embedder = embedders.named(serving.name)
        (vector,) = await embedder.embed([text], query=True)
    except Unavailable as error:
        found.notes.append(f"by words only: {error}")
        return None, None
    return serving.id, as_text(vector)


async def _candidates(
    graph: Graph, query: Query, words: _Words, model: int | None, vector: str | None
) -> list[Passage]:
    if not words.terms and vector is None:
        return []
    then = graph.as_of
    now = then is None
    rows = await graph.rows(
        CANDIDATES,
        {
            "terms": [term.term for term in words.terms],
            "places": [term.place for term in words.terms],
            "idfs": [term.idf for term in words.terms],
            "dfs": [term.df for term in words.terms],
            "model": model,
            "vector": vector,
            "pasts": [False] if now and not query.archived else [False, True],
            "known": FAR if now else then.known_at,
            "types": list(query.types) or None,
            # In the past it may have had another status: that is asked of the node as it was.
            "status": query.status if now else None,
            "tags": list(query.tags) or None if now else None,
            "since": query.since if now else None,
            "until": query.until if now else None,
            "producer": query.producer,
            "take": TAKE,
            "around": AROUND,
        },
    )
    return [Passage(*row) for row in rows]


async def _shown(
    graph: Graph, query: Query, ranked: Sequence[Passage], taken: set[UUID], wanted: int
) -> list[tuple[Stored[Any], Passage]]:
    """The best passage of each node, as long as the node is there at that moment and says so then."""
    best: dict[UUID, list[Passage]] = {}
    for passage in ranked:
        if passage.source_id not in taken:
            best.setdefault(passage.source_id, []).append(passage)
    order = list(best)
    shown: list[tuple[Stored[Any], Passage]] = []
    step = wanted + 10
    for start in range(0, len(order), step):
        ids = order[start : start + step]
        nodes = {node.id: node for node in await _load(graph, query, ids)}
        for id_ in ids:
            node = nodes.get(id_)
            if node is None:
                continue
            said = text_of(type(node.props), node.title, node.props.model_dump(mode="json")).hash
            passage = next((p for p in best[id_] if p.whole == said), None)
            if passage is not None:
                shown.append((node, passage))
            if len(shown) == wanted:
                return shown
    return shown


async def _load(graph: Graph, query: Query, ids: list[UUID]) -> list[Stored[Any]]:
    """Those of the nodes that the query lets through. Looking at one does not taint the call; showing it does."""
    before = set(graph.taint)
    nodes = await graph.find(
        Wanted(
            ids=ids,
            types=query.types,
            status=query.status,
            tag=query.tags[0] if query.tags else None,
            producer=query.producer,
            since=query.since,
            until=query.until,
            by_time=True,
            archived=query.archived,
            limit=len(ids),
        )
    )
    graph.taint = before
    return [node for node in nodes if set(query.tags) <= set(node.tags)]


async def _explained(graph: Graph, words: _Words, shown: list[tuple[Stored[Any], Passage]]) -> list[Hit]:
    if not shown:
        return []
    rows = await graph.rows(
        "select * from graph.snippets(%s::bigint[], %s::text[], %s::text[], %s::text)",
        [
            [passage.id for _, passage in shown],
            [term.language for term in words.terms],
            [term.stem for term in words.terms],
            SHAPE,
        ],
    )
    marked = {row.id: row.snippet for row in rows}
    return [Hit(node, _why(words, p), marked.get(p.id, p.body[:200]), round(p.score, 4)) for node, p in shown]


def _why(words: _Words, passage: Passage) -> list[str]:
    why = [
        f"similar name: {meant} for {typed}"
        for place, (typed, meant) in words.meant.items()
        if place in passage.held
    ]
    if any(place not in words.meant for place in passage.held):
        why.insert(0, "words")
    if passage.similar is not None and passage.similar > 0.25:
        why.append("near in meaning")
    return why or ["context"]


def check_types(graph: Graph, types: Sequence[str]) -> None:
    for type_ in types:
        if type_ not in graph.catalogue.nodes:
            raise Refused.invalid(f"there is no type {type_!r}", hint="`hq schema list` shows them")
