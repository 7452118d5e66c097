"""Gives passages their vectors in batches, behind the indexer. A new model is built while the old one serves."""

from __future__ import annotations

from typing import Any

from psycopg import AsyncConnection

from hq.database.queries import beside
from hq.database.rows import RowReader
from hq.graph.search.embedders import Embedder, Unavailable, as_text
from hq.graph.search.rows import PassageBodyRow, ToEmbedRow
from hq.graph.search.service import Embedders

SQL = beside(__file__)
FORGOTTEN = 2_000
"""Old vectors that go at once."""


async def embedders_at_work(conn: AsyncConnection[Any], embedders: Embedders) -> list[Embedder]:
    """Whose vectors new texts get: of the model that serves, and of the one that is set, if that is another."""
    if embedders.set is None:
        return []
    serving = await RowReader(conn).scalar("select name from graph.models where state = 'serving'", of=str)
    if serving is None or serving == embedders.set.name:
        return [embedders.set]
    try:
        return [embedders.named(serving), embedders.set]
    except Unavailable:  # nobody here knows it any more
        return [embedders.set]


async def forget_batch(conn: AsyncConnection[Any]) -> int:
    """Let go of some vectors of models that serve no more. Returns how many went; 0 at the end."""
    return await RowReader(conn).the_scalar("select graph.forget_vectors(%s)", [FORGOTTEN], of=int)


async def embed_batch(conn: AsyncConnection[Any], embedder: Embedder) -> int:
    """Embed the next passages; what is done is kept. Returns how many passages are behind it; 0 at the end."""
    reader = RowReader(conn)
    model = await _model(reader, embedder)
    values = [model, embedder.batch]
    stretches = await reader.rows("select * from graph.to_embed(%s::smallint, %s)", values, into=ToEmbedRow)
    passed = 0
    for stretch in stretches:
        async with conn.transaction():
            await conn.execute("select set_config('hq.tenant', %s, true)", [str(stretch.tenant_id)])
            missing = {"ids": stretch.passages, "model": model}
            texts = await reader.rows(SQL["bodies"], missing, into=PassageBodyRow)
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


async def _model(reader: RowReader, embedder: Embedder) -> int:
    """The number its vectors are kept under. A model that is new here is asked once how long they are."""
    known = await reader.scalar(
        "select id from graph.models where name = %s and state <> 'retired'", [embedder.name], of=int
    )
    if known is not None:
        return known
    (vector,) = await embedder.embed(["How long is a vector?"])
    return await reader.the_scalar("select graph.add_model(%s, %s)", [embedder.name, len(vector)], of=int)
