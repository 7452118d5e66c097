"""Server-sent events: what was encoded is what is parsed, wherever the bytes are cut."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hq import sse

NAMES = st.one_of(st.none(), st.from_regex(r"[a-z_]{1,12}", fullmatch=True))
IDS = st.one_of(st.none(), st.from_regex(r"[0-9a-f.\-]{1,40}", fullmatch=True))
DATA = st.dictionaries(st.text(max_size=10), st.one_of(st.text(max_size=80), st.integers(), st.none()), max_size=5)


@given(st.lists(st.tuples(DATA, NAMES, IDS), max_size=6), st.integers(1, 30))
def test_events_come_through_whole_however_they_are_cut(events, size):
    raw = sse.retry(2000) + b"".join(sse.encode(data, name, id) for data, name, id in events)
    parser = sse.Parser()

    found = [event for start in range(0, len(raw), size) for event in parser.feed(raw[start : start + size])]

    assert [(event.json(), event.name, event.id) for event in found] == [
        (data, name or "message", id) for data, name, id in events
    ]


def test_data_that_is_bytes_stands_as_it_is():
    assert sse.encode(b"[DONE]") == b"data: [DONE]\n\n"


def test_a_comment_and_data_of_several_lines_are_understood():
    (event,) = sse.Parser().feed(b": ping\n\nevent: x\ndata: one\ndata: two\n\n")

    assert event == sse.SentEvent("x", "one\ntwo")
