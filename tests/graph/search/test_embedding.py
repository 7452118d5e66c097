"""Vectors: made behind the index, by the embedder that is set; a new one is built while the old one serves."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import psycopg
import pytest

from hq.errors import Refused
from hq.graph.search.embedders import RemoteEmbedder, Unavailable, embedder_for
from hq.graph.search.service import Embedders
from tests.support.searching import catch_up, slugs


class Fixed:
    """Says what it is told: a vector per word it knows."""

    batch = 2

    def __init__(self, name: str, knows: dict[str, list[float]]) -> None:
        self.name = name
        self.knows = knows
        self.seen: list[str] = []
        self.fails = False

    async def embed(self, texts: Any, *, query: bool = False) -> list[Any]:
        if self.fails:
            raise Unavailable("the fixed one is off")
        self.seen += texts
        other = [0.0, 1.0] + [0.0] * (len(next(iter(self.knows.values()), [0.0] * 3)) - 2)
        return [next((v for word, v in self.knows.items() if word in text), other) for text in texts]


def using(hq: Any, embedder: Any) -> Embedders:
    embedders = Embedders("none")
    embedders.set = embedder
    hq.door.services[Embedders] = embedders
    return embedders


async def models(hq: Any) -> dict[str, str]:
    async with hq.door.pool.connection() as conn:
        rows = await (await conn.execute("select name, state from graph.models")).fetchall()
    return dict(rows)


async def kept(hq: Any) -> set[str]:
    """Of which models there are vectors."""
    query = """select m.name from graph.models m
                where exists (select 1 from graph.embeddings e where e.model = m.id)
                   or exists (select 1 from graph.contexts c where c.model = m.id)
                   or exists (select 1 from graph.embedded b where b.model = m.id)"""
    with psycopg.connect(hq.address.url) as owner:
        return {name for (name,) in owner.execute(query).fetchall()}


async def test_a_change_of_model_embeds_anew_while_the_old_one_serves(own_hq):
    old = Fixed("old", {"boat": [1.0, 0.0, 0.0], "sail": [1.0, 0.0, 0.0]})
    new = Fixed("new", {"boat": [0.0, 0.0, 1.0, 0.0], "sail": [0.0, 0.0, 1.0, 0.0]})
    embedders = using(own_hq, old)
    await own_hq.do("memo.create", title="The boat", content_md="is blue")
    await catch_up(own_hq)
    assert await models(own_hq) == {"old": "serving"}
    assert await slugs(own_hq, "sail", mode="meaning") == ["the-boat"]

    embedders.set = new
    embedders._others["old"] = old
    new.fails = True
    await catch_up(own_hq)
    assert await models(own_hq) == {"old": "serving"}
    assert await slugs(own_hq, "sail", mode="meaning") == ["the-boat"]

    await own_hq.do("memo.create", title="A sailing boat", content_md="was bought meanwhile")
    await catch_up(own_hq)
    assert set(await slugs(own_hq, "sail", mode="meaning")) == {"the-boat", "a-sailing-boat"}

    new.fails = False
    await catch_up(own_hq)
    assert await models(own_hq) == {"old": "retired", "new": "serving"}
    assert set(await slugs(own_hq, "sail", mode="meaning")) == {"the-boat", "a-sailing-boat"}


async def test_vectors_of_a_model_that_serves_no_more_go_and_can_come_back(own_hq):
    old = Fixed("old", {"boat": [1.0, 0.0, 0.0], "sail": [1.0, 0.0, 0.0]})
    new = Fixed("new", {"boat": [0.0, 0.0, 1.0], "sail": [0.0, 0.0, 1.0]})
    embedders = using(own_hq, old)
    await own_hq.do("memo.create", title="The boat", content_md="is blue")
    await catch_up(own_hq)
    embedders.set, embedders._others["old"] = new, old
    await catch_up(own_hq)
    assert await kept(own_hq) == {"new"}

    embedders.set, embedders._others["new"] = old, new
    await catch_up(own_hq)

    assert await models(own_hq) == {"old": "serving", "new": "retired"}
    assert await kept(own_hq) == {"old"}
    assert await slugs(own_hq, "sail", mode="meaning") == ["the-boat"]


async def test_the_same_text_is_embedded_once(own_hq):
    embedder = Fixed("one", {})
    using(own_hq, embedder)
    for _ in range(3):
        await own_hq.do("interaction.log", channel="chat", direction="internal", body="the very same words")
    await catch_up(own_hq)
    await own_hq.do("memo.create", title="Later", content_md="on")
    await catch_up(own_hq)

    assert embedder.seen.count("the very same words") == 1


async def test_a_search_does_not_wait_for_words_that_were_written_before(own_hq, monkeypatch):
    await own_hq.do("task.create", title="Mend the gearbox of the sailplane")
    await catch_up(own_hq)
    learned: list[str] = []
    vocabulary = own_hq.door.services[Embedders].vocabulary
    vectors = vocabulary._vectors
    monkeypatch.setattr(vocabulary, "_vectors", lambda words: learned.extend(words) or vectors(words))

    assert await slugs(own_hq, "aeroplane gearbox") == ["mend-the-gearbox-of-the-sailplane"]
    assert learned == ["aeroplane"]


async def test_without_an_embedder_search_goes_on_by_words_and_says_so(own_hq):
    embedder = Fixed("fickle", {})
    using(own_hq, embedder)
    await own_hq.do("memo.create", title="The boat", content_md="is blue")
    await catch_up(own_hq)
    embedder.fails = True

    found = await own_hq.do("graph.search", query="boat")

    assert [row["slug"] for row in found["items"]] == ["the-boat"]
    assert found["notes"] == ["by words only: the fixed one is off"]


async def test_an_embedder_that_fails_stops_neither_words_nor_later_vectors(own_hq):
    embedder = Fixed("late", {"boat": [1.0, 0.0, 0.0], "sail": [1.0, 0.0, 0.0]})
    embedder.fails = True
    using(own_hq, embedder)
    await own_hq.do("memo.create", title="The boat", content_md="is blue")
    await catch_up(own_hq)
    assert await slugs(own_hq, "blue") == ["the-boat"]

    embedder.fails = False
    await catch_up(own_hq)

    assert await slugs(own_hq, "sail", mode="meaning") == ["the-boat"]


@contextmanager
def provider(answer: Any) -> Iterator[tuple[str, list[tuple[str, dict[str, Any], str | None]]]]:
    """A server that answers every question so, and keeps what it was asked."""
    asked: list[tuple[str, dict[str, Any], str | None]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.append((self.path, body, self.headers.get("Authorization")))
            status, told = answer(body)
            data = json.dumps(told).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def openai(body: dict[str, Any]) -> tuple[int, Any]:
    rows = [{"index": n, "embedding": [3.0, 4.0 * n]} for n in range(len(body["input"]))]
    return 200, {"data": rows[::-1]}


async def test_voyage_and_openai_are_asked_in_their_words():
    with provider(openai) as (url, asked):
        vectors = await RemoteEmbedder("voyage", "voyage-3", url, "secret").embed(["a", "b"], query=True)
        await RemoteEmbedder("openai", "small", url, None).embed(["a"])

    assert vectors == [[1.0, 0.0], [0.6, 0.8]]
    assert asked[0] == (
        "/embeddings",
        {"model": "voyage-3", "input": ["a", "b"], "input_type": "query"},
        "Bearer secret",
    )
    assert asked[1] == ("/embeddings", {"model": "small", "input": ["a"]}, None)


async def test_ollama_is_asked_in_its_words():
    with provider(lambda body: (200, {"embeddings": [[0.0, 2.0]] * len(body["input"])})) as (url, asked):
        embedder = embedder_for("ollama:nomic", url)
        assert embedder is not None
        assert await embedder.embed(["a"]) == [[0.0, 1.0]]

    assert asked[0][:2] == ("/api/embed", {"model": "nomic", "input": ["a"]})


@pytest.mark.parametrize(
    "answer",
    [lambda _: (500, {}), lambda _: (200, {}), lambda _: (200, {"data": []}), lambda _: (401, {"error": "key"})],
)
async def test_a_provider_that_answers_badly_is_unavailable_and_its_key_is_not_told(answer):
    with provider(answer) as (url, _), pytest.raises(Unavailable) as told:
        await RemoteEmbedder("openai", "small", url, "very-secret").embed(["a"])

    assert "very-secret" not in str(told.value)


async def test_a_provider_that_is_not_there_is_unavailable():
    with pytest.raises(Unavailable):
        await RemoteEmbedder("openai", "small", "http://127.0.0.1:9", None).embed(["a"])


def test_a_setting_nobody_knows_is_refused():
    with pytest.raises(Refused, match="HQ_EMBEDDER"):
        embedder_for("gpt")
