"""Cost in words: what has no price is said, and never shown as free."""

from __future__ import annotations

from decimal import Decimal

import pytest

from hq.minds.prices import cost_text, money_text, spent_text


@pytest.mark.parametrize(
    ("usd", "unpriced", "estimated", "said"),
    [
        (0, 154, 5, "unpriced (154 calls)"),
        (0.0, 1, 0, "unpriced (1 call)"),
        (Decimal("0.05"), 0, 0, "$0.05"),
        (Decimal("0.05"), 2, 0, "$0.05 and 2 calls without a price"),
        (Decimal("1.5"), 0, 1, "about $1.50"),
        (0.0031, 0, 0, "$0.0031"),
        (0, 0, 0, "free"),
        (None, 3, 0, "unpriced (3 calls)"),
    ],
)
def test_what_calls_cost_in_words(usd, unpriced, estimated, said):
    assert cost_text(usd, unpriced=unpriced, estimated=estimated) == said


def test_with_its_tokens_and_what_was_kept_of_them():
    assert spent_text(0, 60_137, unpriced=9) == "unpriced (9 calls), 60,137 tokens"
    assert spent_text(0.2, 900, cached=300, estimated=1) == "about $0.20, 900 tokens, 300 of them from the cache"
    assert spent_text(0, 0) == "no model was asked"


def test_an_amount_that_is_not_nothing_is_never_shown_as_nothing():
    assert [money_text(Decimal(each)) for each in ("0.00001", "0.004", "12345.6")] == [
        "less than $0.0001", "$0.004", "$12,345.60",
    ]  # fmt: skip
