"""What is written as YAML reads back the same, in any text and any number, and looks as people write it."""

from __future__ import annotations

from datetime import UTC, datetime

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from hq.org.document.yaml_writer import Quoted, lines, text

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
    | st.sampled_from(["null", "yes", "1e-05", "~", "- a", "a: b", "😀 Olá", "\x85", "a\nb", "#", "2026-01-01"])
)
KEYS = st.text(max_size=150)
TREES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner), max_leaves=10)


@given(TREES)
@settings(max_examples=200, deadline=None)
def test_any_tree_reads_back_the_same(tree):
    assert yaml.safe_load(text(tree)) == tree


@given(st.dictionaries(KEYS, TREES, min_size=1, max_size=3))
@settings(max_examples=50, deadline=None)
def test_a_part_reads_back_the_same_where_it_stands(tree):
    assert yaml.safe_load("\n".join(["outer:", *lines(tree, "  ")])) == {"outer": tree}


def test_words_are_plain_and_everything_else_is_quoted():
    written = text(
        {
            "slug": "web-shop",
            "title": Quoted("Maker"),
            "says": "Só 2 linhas: 😀",
            "at": datetime(2026, 11, 16, 9, tzinfo=UTC),
            "spend": 5.0,
            "none": None,
            "switch": "yes",
            "seats": [{"level": 1, "reports": []}],
        }
    )

    assert written.splitlines() == [
        "slug: web-shop",
        'title: "Maker"',
        "says: 'Só 2 linhas: 😀'",
        'at: "2026-11-16T09:00:00Z"',
        "spend: 5",
        "none: null",
        'switch: "yes"',
        "seats:",
        "  - level: 1",
        "    reports: []",
    ]
