"""Whatever is typed into a search: an answer, never an error, never somebody else's rows, never a changed database."""

from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, given, settings

from tests.support.searching import slugs

NASTY = [
    "' or 1=1 --",
    "'; drop table graph.nodes; --",
    "a & | ! <-> :* (",
    '"unclosed',
    "\\",
    "\\' \\\\",
    "%s %(x)s %%",
    "{app} {} {{",
    "🦄🔥 👩‍👩‍👧",
    "\u202e\u200b\ufeff",
    "a" * 100_000,
    "word " * 20_000,
    "ﷺ" * 5_000,
    "-" * 1_000,
    "2023-05-08 http://x.y/z?q=1 a@b.c 1e400 0x",
    "the of and",
]
TEXT = st.one_of(
    st.sampled_from(NASTY),
    st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=300),
)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(query=TEXT, mode=st.sampled_from(["hybrid", "words", "meaning", "slug"]))
async def test_every_query_has_an_answer(hq, query, mode):
    outcome = await hq.call("graph.search", query=query, mode=mode)

    assert outcome.ok or not query.strip(), outcome.error


@pytest.mark.parametrize("query", ["", " \t\n "])
async def test_an_empty_query_is_refused_and_told_what_to_say(hq, query):
    outcome = await hq.call("graph.search", query=query)

    assert outcome.error["code"] == "invalid"
    assert "say what to look for" in outcome.error["message"]


async def test_what_cannot_be_stored_cannot_be_asked_and_the_answer_says_so(hq):
    outcome = await hq.call("graph.search", query="a\x00b")

    assert outcome.error["code"] == "invalid"
    assert "NUL" in outcome.error["message"]


async def test_nasty_texts_are_indexed_and_found(hq, index):
    for n, text in enumerate(NASTY):
        await hq.do("memo.create", title=f"Nasty {n}", content_md=text[:20_000])
    await hq.do("memo.create", title="Afterwards comes quartz", content_md="Stone.")
    await index()

    assert await slugs(hq, "quartz", mode="words") == ["afterwards-comes-quartz"]
    assert "nasty-1" in await slugs(hq, "drop table", mode="words")
