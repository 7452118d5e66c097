"""Gives passages their vectors in batches, behind the indexer. A new model is built while the old one serves."""

from __future__ import annotations

from typing import Any

from psycopg import AsyncConnection
from psycopg.rows import namedtuple_row

from hq.database.queries import beside
from hq.graph.search.embedders import Embedder, Unavailable, as_text
from hq.graph.search.service import Embedders

SQL = beside(__file__)
FORGOTTEN = 2_000
"""Old vectors that go at once."""


async def embedders_at_work(conn: AsyncConnection[Any], embedders: Embedders) -> list[Embedder]:
    """Whose vectors new texts get: of the model that serves, and of the one that is set, if that is another."""
    if embedders.set is None:
        return []
    serving = await _rows(conn, "select name from graph.models where state = 'serving'", [])
    if not serving or serving[0].name == embedders.set.name:
        return [embedders.set]
    try:
        return [embedders.named(serving[0].name), embedders.set]
    except Unavailable:  # nobody here knows it any more
        return [embedders.set]


async def forget_batch(conn: AsyncConnection[Any]) -> int:
    """Let go of some vectors of models that serve no more. Returns how many went; 0 at the end."""
    rows = await _rows(conn, "select graph.forget_vectors(%s) as many", [FORGOTTEN])
    return rows[0].many


async def embed_batch(conn: AsyncConnection[Any], embedder: Embedder) -> int:
    """Embed the next passages; what is done is kept. Returns how many passages are behind it; 0 at the end."""
    model = await _model(conn, embedder)
    stretches = await _rows(conn, "select * from graph.to_embed(%s::smallint, %s)", [model, embedder.batch])
    passed = 0
    for stretch in stretches:
        async with conn.transaction():
            await conn.execute("select set_config('hq.tenant', %s, true)", [str(stretch.tenant_id)])
            texts = await _rows(conn, SQL["bodies"], {"ids": stretch.passages, "model": model})
            vectors = await embedder.embed([row.body for row in texts]) if texts else []
            if texts:
                await conn.execute(
                    "select graph.put_embeddings(%s::smallint, %s, %s)",
                    [model, [row.hash for row in texts], [as_text(vector) for vector in vectors]],
                )
            await conn.execute("select graph.put_contexts(%s::smallint, %s)", [model, stretch.passages])
        passed += len(stretch.passages)
    await conn.execute("select graph.embedded_upto(%s::smallint, %s)", [model, stretches[0].upto if stretches else 0])
    return passed


async def _model(conn: AsyncConnection[Any], embedder: Embedder) -> int:
    """The number its vectors are kept under. A model that is new here is asked once how long they are."""
    known = await _rows(conn, "select id, state from graph.models where name = %s", [embedder.name])
    if known and known[0].state != "retired":
        return known[0].id
    (vector,) = await embedder.embed(["How long is a vector?"])
    made = await _rows(conn, "select graph.add_model(%s, %s) as id", [embedder.name, len(vector)])
    return made[0].id


async def _rows(conn: AsyncConnection[Any], query: Any, values: Any) -> list[Any]:
    async with conn.cursor(row_factory=namedtuple_row) as cursor:
        await cursor.execute(query, values)
        return await cursor.fetchall()
