"""A search: the query taken apart, candidates from the index, an order, and only what the graph shows at that moment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any
from uuid import UUID

from hq.database.queries import beside
from hq.errors import Refused
from hq.graph.records import Stored
from hq.graph.search.candidates import candidates, looks_back
from hq.graph.search.embedders import Unavailable, as_text
from hq.graph.search.language import STOP_WORDS, spaced
from hq.graph.search.passage import Passage, Term
from hq.graph.search.query import ParsedQuery, SearchQuery, is_first_person, words_of
from hq.graph.search.ranking import rank
from hq.graph.search.rows import SearchOpeningRow, SnippetRow
from hq.graph.search.search_text import text_of
from hq.graph.search.service import Embedders
from hq.graph.search.typos import alike, spellings
from hq.graph.slugs import slugify
from hq.graph.store import Graph
from hq.graph.view import NodeFilter

SQL = beside(__file__)
LONGEST = 2_000
"""Characters of a query that count."""
MOST_FORGIVEN = 8
"""Misspelt words that are looked into."""
SPARE = 4
"""Nodes that are looked at beyond those wanted: some may have changed since."""
FLOOR, FLOOR_IN_TALK = 0.2, 0.1
"""What is less alike than this, and holds no word of the query, is not shown; of a conversation less is asked, because
what was said around a message speaks for it too."""
NEAR = 0.3
"""From here on two texts have something to do with each other."""
BEST_ONLY = "the filters let much through: of that, only the best by words and by meaning were looked at"
SHAPE = 'StartSel=**, StopSel=**, MaxWords=36, MinWords=16, MaxFragments=2, FragmentDelimiter=" … "'


@dataclass(frozen=True)
class SearchHit:
    """A node that answers, why, and where in it."""

    node: Stored[Any]
    why: list[str]
    snippet: str
    score: float


@dataclass
class SearchResult:
    hits: list[SearchHit] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """What the reader should know of the search itself, such as a part of it that was not to be had."""


async def search(graph: Graph, query: SearchQuery, embedders: Embedders) -> SearchResult:
    found = SearchResult()
    text = query.text[:LONGEST]
    words = words_of(spaced(text) or text)
    opening = await _opening(graph, query, text.strip(), words)
    found.hits = await _named(graph, query, text.strip(), opening.ids) if opening.ids else []
    if query.mode != "slug" and len(found.hits) < query.limit and words:
        question = _question(query, text, words, opening)
        if not looks_back(graph, query):
            await _forgive(graph, question)
        vector = await _vector(embedders, opening.model_name, question, found) if query.mode != "words" else None
        passages, all_seen = await candidates(graph, query, question, opening.model, vector)
        ranked = rank(question, passages, embedders.vocabulary if query.mode == "hybrid" else None)
        taken = {hit.node.id for hit in found.hits}
        shown = await _visible(graph, query, ranked, taken, query.limit - len(found.hits))
        found.hits += await _explained(graph, question, shown)
        if not all_seen and len(found.hits) < query.limit:
            found.notes.append(BEST_ONLY)
    for hit in found.hits:
        graph.taint |= hit.node.taint
    return found


async def _opening(graph: Graph, query: SearchQuery, text: str, words: Sequence[str]) -> SearchOpeningRow:
    slugs = _slugs(graph, text)
    return await graph.the_one(
        SQL["opening"],
        {
            "slugs": slugs,
            "prefix": slugs[-1] if slugs else "",
            "by_prefix": query.mode == "slug" and bool(slugs),
            "limit": query.limit,
            "words": list(words),
            "by_words": query.mode in ("hybrid", "words"),
        },
        into=SearchOpeningRow,
    )


def _slugs(graph: Graph, text: str) -> list[str]:
    """What a text may be the slug of: itself, and what a thing of that title would be called."""
    if not text or len(text) > 200:
        return []
    named = text.partition(":")[2] if text.partition(":")[0] in graph.catalogue.nodes else text
    return [named, slugify(named)] if named else []


async def _named(graph: Graph, query: SearchQuery, text: str, ids: list[UUID]) -> list[SearchHit]:
    """Whatever is called exactly so; in a search by slug also what begins so."""
    slugs = _slugs(graph, text)
    nodes = await _load(graph, query, ids)
    nodes.sort(key=lambda node: (node.slug not in slugs, node.slug))
    return [
        SearchHit(node, ["exact slug" if node.slug in slugs else "slug begins so"], node.title, 100.0) for node in nodes
    ][: query.limit]


def _question(query: SearchQuery, text: str, words: list[str], opening: SearchOpeningRow) -> ParsedQuery:
    """Names of people who speak here say whose words are meant; they are not looked for in what was said."""
    names = frozenset(opening.names)
    terms = [Term(*term) for term in opening.terms or ()]
    if all(word in STOP_WORDS or word in names for word in words):
        return ParsedQuery(text, words, terms=terms)
    speakers = list(dict.fromkeys(opening.speakers))
    if not speakers and query.asker is not None and is_first_person(words):
        speakers = [query.asker]
    terms = [term for term in terms if words[term.place - 1] not in names]
    return ParsedQuery(text, words, speakers, terms, names=names)


async def _forgive(graph: Graph, question: ParsedQuery) -> None:
    """For words that nobody wrote here, the names that are written nearly so."""
    unknown = {term.place for term in question.terms} - {term.place for term in question.terms if term.df > 0}
    for place in sorted(unknown)[:MOST_FORGIVEN]:
        typed = question.words[place - 1]
        near = await graph.scalars(SQL["alike"], {"keys": list(spellings(typed))}, of=str)
        likely = sorted(((alike(typed, word), word) for word in near), reverse=True)[:3]
        meant = [(likeness, word) for likeness, word in likely if likeness > 0]
        if not meant:
            continue
        question.meant[place] = (typed, meant[0][1])
        words = [[word for _, word in meant]]
        found = await graph.rows("select * from graph.query_terms(%s::text[])", words, into=Term)
        question.terms = [term for term in question.terms if term.place != place] + [
            replace(term, place=place, idf=term.idf * meant[term.place - 1][0]) for term in found if term.df > 0
        ]
    question.terms.sort(key=lambda term: term.df)


async def _vector(embedders: Embedders, model: str | None, question: ParsedQuery, found: SearchResult) -> str | None:
    """The query in the model that serves. Without one the search goes on by words, and says so."""
    try:
        if model is None:
            return None
        (vector,) = await embedders.named(model).embed([question.without_names], query=True)
    except Unavailable as error:
        found.notes.append(f"by words only: {error}")
        return None
    return as_text(vector)


async def _visible(
    graph: Graph, query: SearchQuery, ranked: Sequence[Passage], taken: set[UUID], wanted: int
) -> list[tuple[Stored[Any], Passage]]:
    """The best passage of each node, as long as the node is there at that moment and says so then."""
    shown: list[tuple[Stored[Any], Passage]] = []
    waiting = (passage for passage in ranked if _is_about(passage) and passage.source_id not in taken)
    while len(shown) < wanted and (passages := list(islice(waiting, wanted + SPARE))):
        nodes = {node.id: node for node in await _load(graph, query, list({p.source_id for p in passages} - taken))}
        said = {
            id_: text_of(type(node.props), node.title, node.props.model_dump(mode="json")).hash
            for id_, node in nodes.items()
        }
        for passage in passages:
            id_ = passage.source_id
            if id_ not in taken and said.get(id_) == passage.whole:
                taken.add(id_)
                shown.append((nodes[id_], passage))
    return shown[:wanted]


def _is_about(passage: Passage) -> bool:
    """Whether anything but being there speaks for it."""
    floor = FLOOR_IN_TALK if passage.thread else FLOOR
    return passage.places != 0 or passage.by_context or (passage.similar or 0.0) >= floor


async def _load(graph: Graph, query: SearchQuery, ids: list[UUID]) -> list[Stored[Any]]:
    """Those of the nodes that the query lets through."""
    wanted = NodeFilter(
        ids=ids,
        types=query.types,
        tag=query.tags[0] if query.tags else None,
        producer=query.producer,
        since=query.since,
        until=query.until,
        by_time=True,
        archived=query.archived,
        limit=len(ids),
    )
    with graph.looking():
        nodes = await graph.find(wanted)
    return [
        node
        for node in nodes
        if set(query.tags) <= set(node.tags) and (not query.status or node.status in query.status)
    ]


async def _explained(graph: Graph, question: ParsedQuery, shown: list[tuple[Stored[Any], Passage]]) -> list[SearchHit]:
    if not shown:
        return []
    rows = await graph.rows(
        "select * from graph.snippets(%s::bigint[], %s::text[], %s::text[], %s::text)",
        [
            [passage.id for _, passage in shown],
            [term.language for term in question.terms],
            [term.stem for term in question.terms],
            SHAPE,
        ],
        into=SnippetRow,
    )
    marked = {row.id: " ".join(row.snippet.split()) for row in rows}
    return [SearchHit(node, _why(question, p), marked.get(p.id, p.body[:200]), round(p.score, 4)) for node, p in shown]


def _why(question: ParsedQuery, passage: Passage) -> list[str]:
    why = [
        f"similar name: {meant} for {typed}" for place, (typed, meant) in question.meant.items() if passage.holds(place)
    ]
    if any(passage.holds(term.place) and term.place not in question.meant for term in question.terms):
        why.insert(0, "words")
    if question.speakers and passage.speaker in question.speakers:
        why.append("said by whom it is about")
    if passage.by_context:
        why.append("context")
    if passage.similar is not None and (passage.similar >= NEAR or not why):
        why.append("near in meaning")
    return why


def check_types(graph: Graph, types: Sequence[str]) -> None:
    for type_ in types:
        if type_ not in graph.catalogue.nodes:
            raise Refused.invalid(f"there is no type {type_!r}", hint="`hq schema list` shows them")
