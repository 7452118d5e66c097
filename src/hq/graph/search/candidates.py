"""Candidates of a search: passages the index holds for its words and its vector, narrowed by its filters and by sight."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from hq.database.queries import beside
from hq.graph.moment import FAR
from hq.graph.search.passage import Passage
from hq.graph.search.query import ParsedQuery, SearchQuery
from hq.graph.sight import Sight
from hq.graph.store import Graph

SQL = beside(__file__)
TAKE = 30
"""Candidates by words, and as many by vector; more where more are wanted."""
AROUND = 2
"""Messages before and after a candidate that are looked at with it."""
CANDIDATES = """select * from graph.candidates(%(terms)s::bigint[], %(places)s::smallint[], %(idfs)s::real[],
 %(dfs)s::integer[], %(model)s::smallint, %(vector)s::halfvec, %(pasts)s::boolean[], %(known)s::timestamptz,
 %(types)s::text[], %(status)s::text[], %(tags)s::text[], %(since)s::timestamptz, %(until)s::timestamptz,
 %(producer)s::uuid, %(narrow)s::bigint[], %(speakers)s::uuid[], %(months)s::integer[], %(years)s::integer[], %(take)s::integer, %(around)s::integer)"""
NARROWED = """select graph.narrowed(%(pasts)s::boolean[], %(types)s::text[], %(status)s::text[], %(tags)s::text[],
 %(since)s::timestamptz, %(until)s::timestamptz, %(producer)s::uuid) as passages"""
PASTS = {False: "{f}", True: "{f,t}"}


def looks_back(graph: Graph, query: SearchQuery) -> bool:
    """Whether what was said and is not said any more may be found."""
    return graph.as_of is not None or query.archived


async def _narrowed(graph: Graph, query: SearchQuery) -> list[int] | None:
    """The passages of everything the filters let through, if those are few: then nothing that matches is missed."""
    now = graph.as_of is None
    if not now and not (query.types or query.producer):
        return None  # what a node was like then is asked of each node that is found
    return await graph.scalar(
        NARROWED,
        {
            "pasts": PASTS[looks_back(graph, query)],
            "types": list(query.types or graph.catalogue.nodes),
            "status": list(query.status) or None if now else None,
            "tags": list(query.tags) or None if now else None,
            "since": query.since if now else None,
            "until": query.until if now else None,
            "producer": query.producer,
        },
        of=list[int],
    )


async def candidates(
    graph: Graph, query: SearchQuery, question: ParsedQuery, model: int | None, vector: str | None
) -> tuple[list[Passage], bool]:
    """What may answer; and whether all that the filters let through was looked at, where there are any. Who does not see
    everything looks among what the whole company sees and, apart from that, among what is theirs: what others have takes
    nobody's place."""
    sight = await graph.sight()
    if sight is None:
        narrow = await _narrowed(graph, query) if query.filtered else None
        found = await _passages(graph, query, question, model, vector, narrow)
        return found, narrow is not None or not query.filtered
    wanted, private = list(query.types or graph.catalogue.nodes), set(graph.catalogue.private)
    shared = replace(query, types=[type_ for type_ in wanted if type_ not in private])
    narrow = await _narrowed(graph, shared) if query.filtered and shared.types else None
    found = await _passages(graph, shared, question, model, vector, narrow) if shared.types else []
    if own := await _own_passages(graph, query, [type_ for type_ in wanted if type_ in private], sight):
        known = {passage.id for passage in found}
        mine = await _passages(graph, query, question, model, vector, own)
        found += [passage for passage in mine if passage.id not in known]
    return found, narrow is not None or not query.filtered or not shared.types


async def _own_passages(graph: Graph, query: SearchQuery, types: list[str], sight: Sight) -> list[int]:
    """The newest of what is not the whole company's, and theirs who search."""
    edges = {edge for type_ in types for edge in graph.catalogue.nodes[type_].seen_by or ()}
    values = {"types": types, "edges": list(edges), "parties": sight.parties, "producers": sight.producers}
    return await graph.scalars(SQL["own"], {**values, "pasts": PASTS[looks_back(graph, query)]}, of=int)


async def _passages(
    graph: Graph,
    query: SearchQuery,
    question: ParsedQuery,
    model: int | None,
    vector: str | None,
    narrow: list[int] | None,
) -> list[Passage]:
    then, back, dates = graph.as_of, looks_back(graph, query), question.dates
    terms = [term for term in question.terms if term.df > 0 or back]
    if not terms and vector is None:
        return []
    now = then is None
    return await graph.made(
        Passage,
        CANDIDATES,
        {
            "terms": _numbers(term.term for term in terms),
            "places": _numbers(term.place for term in terms),
            "idfs": _numbers(term.idf for term in terms),
            "dfs": _numbers(term.df for term in terms),
            "model": model,
            "vector": vector,
            "pasts": PASTS[back],
            "known": FAR if now else then.known_at,
            "types": list(query.types) or None,
            # In the past it may have had another status: that is asked of the node as it was.
            "status": list(query.status) or None if now else None,
            "tags": list(query.tags) or None if now else None,
            "since": query.since if now else None,
            "until": query.until if now else None,
            "producer": query.producer,
            "narrow": None if narrow is None else _numbers(narrow),
            "speakers": question.speakers,
            "months": _numbers(dates.months),
            "years": _numbers(dates.years),
            "take": max(TAKE, query.limit),
            "around": AROUND,
        },
    )


def _numbers(values: Iterable[float]) -> str:
    """As Postgres reads an array: quicker than finding out of what kind a list is."""
    return "{" + ",".join(map(str, values)) + "}"
