"""Cursors: one for every stream; what belongs to another stream, or to another program, is refused with what to say instead."""

from __future__ import annotations

import pytest

from hq.errors import Refused
from hq.stream.cursor import Cursor

SESSION = "0198c0de-0000-7000-8000-000000000001"


@pytest.mark.parametrize(
    ("of", "text"),
    [
        ("events", "120"),
        ("events", "120.2"),
        ("events", "0"),
        ("events", "1.1"),
        ("conversation", f"{SESSION}.14"),
        ("run", "14-"),
        ("run", "14-013"),
        ("run", "14-013-end"),
    ],
)
def test_a_cursor_is_read_as_it_was_written(of, text):
    assert str(Cursor.parse(text, of)) == text


@pytest.mark.parametrize("of", ["events", "conversation", "run"])
@pytest.mark.parametrize(
    "text", ["", "x", "1.", ".1", "1.2.3", "-1", "1e3", "9" * 30, "1.40000", "1-9", f"{SESSION}.99999999999", "evt_17"]
)
def test_what_is_none_is_refused_with_what_to_say_instead(of, text):
    with pytest.raises(Refused, match=r"is no (position|place)"):
        Cursor.parse(text, of)


@pytest.mark.parametrize(("of", "text"), [("run", "120"), ("run", f"{SESSION}.14"), ("events", "14-013")])
def test_a_cursor_of_another_stream_is_refused(of, text):
    with pytest.raises(Refused):
        Cursor.parse(text, of)


def test_cursors_compare_in_the_order_in_which_things_are_told():
    events = [Cursor.parse(text, "events") for text in ("2.1", "2.2", "2", "10.1")]

    assert events == sorted(events)
