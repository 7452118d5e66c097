"""Money in words: never nothing for something, never nothing for what has no price."""

from __future__ import annotations

from decimal import Decimal

import pytest

from hq.money import cost_text, money, price_text, spent_text


@pytest.mark.parametrize(
    ("usd", "told"),
    [
        (0, "$0.00"),
        (0.004, "$0.004"),
        (Decimal("0.0034171"), "$0.0034"),
        (0.0000034, "$0.0000034"),
        (0.00000005, "under $0.000001"),
        (0.0080, "$0.008"),
        (0.01, "$0.01"),
        (1.406, "$1.41"),
        (Decimal("1234.5"), "$1,234.50"),
    ],
)
def test_what_is_less_than_a_cent_is_told_from_nothing(usd, told):
    assert money(usd) == told


@pytest.mark.parametrize(
    ("usd", "told"),
    [(None, "unpriced"), ("0", "free"), ("0.013", "$0.013"), ("0.05", "$0.05"), ("0.00000005", "under $0.000001")],
)
def test_the_price_of_one_call_is_exact(usd, told):
    assert price_text(None if usd is None else Decimal(usd)) == told


def test_what_has_no_price_is_neither_free_nor_nothing():
    assert (cost_text(0, 3), cost_text(None, 1)) == ("unpriced (3 calls)", "unpriced (1 call)")
    assert (cost_text(0.004, 2), cost_text(0.004, 1)) == ("$0.004 and 2 unpriced calls", "$0.004 and 1 unpriced call")
    assert (cost_text(0), cost_text(0.004)) == ("free", "$0.004")


def test_what_was_spent_says_its_tokens_and_where_nothing_was_used_says_so():
    assert spent_text(0, 0) == "$0.00, 0 tokens"
    assert spent_text(0, 1200) == "free, 1,200 tokens"
    assert spent_text(0, 1200, unpriced=2) == "unpriced (2 calls), 1,200 tokens"
    assert spent_text(0.004, 110) == "$0.004, 110 tokens"
    assert spent_text(0.004, 110, cached=90, estimated=1) == "about $0.004, 110 tokens, 90 of them from the cache"
