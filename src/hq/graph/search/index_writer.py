"""The index writer: brings what calls wrote into the index, every text a node had, has or is planned to have. In
order, resumable."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple, TypedDict
from uuid import NAMESPACE_OID, UUID, uuid5

from psycopg import AsyncConnection
from psycopg.types.json import Jsonb

from hq.database.queries import beside
from hq.database.rows import RowReader
from hq.graph.catalogue import Catalogue
from hq.graph.search.language import DEFAULT, STOP_WORDS, language_of, spaced
from hq.graph.search.query import words_of
from hq.graph.search.rows import IndexedNodeRow, NodeNameRow, NodeVersionRow, TalkRow, ToIndexRow
from hq.graph.search.search_text import SearchText, digest, name_words, text_of
from hq.graph.search.typos import spellings
from hq.json_types import Props

SQL = beside(__file__)
BATCH = 200


@dataclass
class NodeText:
    """A text of a node: since when it is known, and whether it stands now or is still to come."""

    text: SearchText
    known_from: datetime
    at: datetime
    language: str | None
    past: bool = True


@dataclass
class ConversationPosition:
    """Where a node stands in a conversation."""

    thread: UUID | None = None
    speaker: UUID | None = None


@dataclass
class IndexWork:
    """What the nodes of one tenant said in a stretch of calls."""

    nodes: dict[UUID, IndexedNodeRow]
    sayings: dict[UUID, dict[bytes, NodeText]] = field(default_factory=lambda: defaultdict(dict))
    places: dict[UUID, ConversationPosition] = field(default_factory=lambda: defaultdict(ConversationPosition))


class PassageSource(TypedDict):
    """What the passages of a text have in common."""

    source: str
    whole: str
    language: str
    thread: str | None
    speaker: str | None
    at: str
    past: bool
    known_from: str


class PassageItem(PassageSource):
    """A passage as `graph.put_passages` takes it."""

    part: int
    hash: str
    body: str
    words: str | None


class Indexed(NamedTuple):
    """What a batch did."""

    nodes: int
    full: bool
    """There may be more."""


async def index_batch(
    conn: AsyncConnection[Any], catalogue: Catalogue, now: datetime, batch: int = BATCH
) -> Indexed | None:
    """Index the next calls, all or none of them. Nothing where no call was left."""
    async with conn.transaction():
        stretches = await RowReader(conn).rows("select * from graph.to_index(%s)", [batch], into=ToIndexRow)
        if not stretches:
            return None
        looked_at = 0
        for stretch in stretches:
            ids = [item for item in stretch.items if item]
            if ids:
                await conn.execute("select set_config('hq.tenant', %s, true)", [str(stretch.tenant_id)])
                work = await _read(RowReader(conn), catalogue, now, ids, stretch.from_seq, stretch.upto_seq)
                await _write(conn, work)
                looked_at += len(ids)
        last = stretches[0]
        await conn.execute("select graph.indexed(%s)", [last.upto_seq])
    return Indexed(looked_at, last.upto_seq - last.from_seq >= batch)


async def _read(
    reader: RowReader, catalogue: Catalogue, now: datetime, ids: list[UUID], from_: int, upto: int
) -> IndexWork:
    rows = await reader.rows(SQL["nodes"], {"ids": ids}, into=IndexedNodeRow)
    work = IndexWork({row.id: row for row in rows})
    for version in await reader.rows(SQL["versions"], {"from": from_, "upto": upto}, into=NodeVersionRow):
        node = work.nodes.get(version.item_id)
        if node is None:
            continue
        doc = version.doc
        saying = _saying(catalogue, node, doc.get("title") or "", doc.get("props") or {}, version.recorded_at)
        saying.past = version.valid_from <= now
        _keep(work.sayings[node.id], saying)
    for node in rows:
        saying = _saying(catalogue, node, node.title, node.props, now)
        saying.past = node.archived_at is not None
        _keep(work.sayings[node.id], saying)
        if thread := node.props.get("thread_id"):
            work.places[node.id].thread = uuid5(NAMESPACE_OID, str(thread))
    for link in await reader.rows(SQL["talk"], {"ids": ids}, into=TalkRow):
        if link.by:
            work.places[link.from_id].speaker = link.to_id
        else:
            work.places[link.from_id].thread = link.to_id
    return work


def _saying(catalogue: Catalogue, node: IndexedNodeRow, title: str, props: Props, known_from: datetime) -> NodeText:
    text = text_of(catalogue.nodes.get(node.type), title, props)
    return NodeText(text, known_from, node.occurred_at or node.created_at, props.get("language"))


def _keep(sayings: dict[bytes, NodeText], new: NodeText) -> None:
    """The same text twice stands if it stands once, and is known from the first time on."""
    known = sayings.get(new.text.hash)
    if known is None:
        sayings[new.text.hash] = new
    else:
        known.past &= new.past
        known.known_from = min(known.known_from, new.known_from)


async def _write(conn: AsyncConnection[Any], work: IndexWork) -> None:
    rows = [
        row for node_id, sayings in work.sayings.items() for row in _passages(node_id, sayings, work.places[node_id])
    ]
    await conn.execute("select graph.put_passages(%s, %s)", [list(work.sayings), Jsonb(rows)])
    await _learn_names(conn, work)


def _passages(node_id: UUID, sayings: dict[bytes, NodeText], place: ConversationPosition) -> Iterator[PassageItem]:
    for whole, saying in sayings.items():
        common: PassageSource = {
            "source": str(node_id),
            "whole": _hex(whole),
            "language": language_of(saying.text.body, saying.language, DEFAULT),
            "thread": str(place.thread) if place.thread else None,
            "speaker": str(place.speaker) if place.speaker else None,
            "at": saying.at.isoformat(),
            "past": saying.past,
            "known_from": saying.known_from.isoformat(),
        }
        for part, body in enumerate(saying.text.passages()):
            yield {**common, "part": part, "hash": _hex(digest(body)), "body": body, "words": spaced(body)}


def _hex(value: bytes) -> str:
    return "\\x" + value.hex()


async def _learn_names(conn: AsyncConnection[Any], work: IndexWork) -> None:
    """The words of names, under every spelling they may be looked for; and who it is that speaks."""
    words = {word for node in work.nodes.values() for word in name_words(node.title, node.slug)}
    pairs = [(key, word) for word in words for key in spellings(word)]
    speakers = list({place.speaker for place in work.places.values() if place.speaker})
    called = await RowReader(conn).rows(SQL["names"], {"ids": speakers}, into=NodeNameRow) if speakers else ()
    named = [
        (word, row.id) for row in called for word in words_of(row.title) if len(word) > 1 and word not in STOP_WORDS
    ]
    if pairs or named:
        await conn.execute(
            "select graph.put_names(%s::text[], %s::text[], %s::text[], %s::uuid[])",
            [*([list(part) for part in zip(*pairs, strict=True)] or [[], []]),
             *([list(part) for part in zip(*named, strict=True)] or [[], []])],
        )  # fmt: skip
