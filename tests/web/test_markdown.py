"""Markdown that somebody wrote, as HTML: quick, whatever was written."""

from __future__ import annotations

import time

import pytest

from hq.web.markdown import html


def test_words_become_html():
    assert html("**Done.** See `a.py`.") == "<p><strong>Done.</strong> See <code>a.py</code>.</p>\n"


@pytest.mark.parametrize("odd", ["*a_ ", "[", "![](", "**a", "[a](", "- a\n", "|a|b|\n", "> 1. a\n", "<a "])
def test_what_is_more_marks_than_text_is_shown_as_it_is_and_does_nothing(odd):
    text = odd * 20_000 + "<script>alert(1)</script>"
    before = time.process_time()

    shown = html(text)

    assert time.process_time() - before < 0.2
    assert shown.startswith("<pre") and "<script" not in shown and "&lt;script&gt;" in shown
