"""Search as a law: whatever is written is found by its own words, never after it is archived, never by another tenant."""

from __future__ import annotations

import asyncio

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, given, settings

from hq.app import catalogue
from hq.engine.announcer import Announcer
from hq.engine.duty import Duty
from hq.engine.indexer import Indexer
from hq.graph.search.service import Embedders
from tests.support.searching import catch_up, slugs

SYLLABLES = [
    "bra",
    "cle",
    "dim",
    "fro",
    "gud",
    "hav",
    "jek",
    "kil",
    "lom",
    "mun",
    "nap",
    "pez",
    "qua",
    "rov",
    "sut",
    "tav",
    "vex",
    "wim",
    "xol",
    "yub",
    "zan",
]
WORD = st.lists(st.sampled_from(SYLLABLES), min_size=2, max_size=4).map("".join)
TEXT = st.lists(WORD, min_size=1, max_size=8, unique=True).map(" ".join)
STEPS = st.lists(
    st.tuples(st.sampled_from(["write", "change", "archive", "restore"]), st.integers(0, 9), TEXT),
    min_size=1,
    max_size=10,
)


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(steps=STEPS)
async def test_what_is_written_is_found_by_its_words_and_nothing_else_is(hq, steps):
    mine, other = await hq.tenant(), await hq.tenant()
    texts: dict[str, str] = {}
    gone: set[str] = set()
    for what, pick, text in steps:
        slug = list(texts)[pick % len(texts)] if texts else None
        if what == "write" or slug is None:
            made = await hq.do("memo.create", _token=mine, title=f"Memo {len(texts)}", content_md=text)
            texts[made["slug"]] = text
        elif what == "change" and slug not in gone:
            await hq.do("memo.update", _token=mine, ref=slug, content_md=text)
            texts[slug] = text
        elif what == "archive" and slug not in gone:
            await hq.do("memo.archive", _token=mine, ref=slug)
            gone.add(slug)
        elif what == "restore" and slug in gone:
            await hq.do("memo.restore", _token=mine, ref=slug)
            gone.discard(slug)
    await catch_up(hq, Embedders("none"))

    for word in {word for text in texts.values() for word in text.split()}:
        holders = {slug for slug, text in texts.items() if word in text.split() and slug not in gone}
        assert set(await slugs(hq, word, mode="words", limit=50, _token=mine)) == holders
        assert await slugs(hq, word, limit=50, _token=other) == []


@pytest.mark.parametrize("way", ["words", "hybrid"])
async def test_it_is_found_by_word_of_what_is_new_while_the_duties_run(own_hq, way, monkeypatch):
    monkeypatch.setattr(Duty, "pause", 3600.0)  # nobody looks without being told
    url = own_hq.address.app_url
    indexer = Indexer(url, catalogue(), own_hq.clock, own_hq.door.services[Embedders])
    duties = [asyncio.create_task(duty.run()) for duty in (Announcer(url, own_hq.clock), indexer)]
    try:
        async with asyncio.timeout(60):
            while not indexer.leading:
                await asyncio.sleep(0.01)
        for word in ("krakatoa", "stromboli", "etna"):
            await own_hq.do("memo.create", title=f"On {word}", content_md="Fire.")
            async with asyncio.timeout(60):
                while not await slugs(own_hq, word, mode=way):
                    await asyncio.sleep(0.02)
    finally:
        for duty in duties:
            duty.cancel()
        await asyncio.gather(*duties, return_exceptions=True)
