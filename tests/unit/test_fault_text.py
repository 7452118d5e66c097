"""Faults of values: sentences for people, whatever pydantic calls them."""

from __future__ import annotations

from typing import Literal

import pytest
from pydantic import BaseModel, Field, ValidationError

from hq.graph.fault_text import fault_text


class Money(BaseModel, extra="forbid"):
    budget: float = Field(1, gt=0, le=1_000_000)
    words: str = Field("x", min_length=1, max_length=10)
    risk: Literal["cautious", "balanced"] = "balanced"


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"budget": 2_000_000}, "budget must be at most 1,000,000"),
        ({"budget": "much"}, "budget must be a number"),
        ({"words": ""}, "words must not be empty"),
        ({"words": "x" * 11}, "words may have at most 10 characters"),
        ({"risk": "bold"}, "risk must be 'cautious' or 'balanced'"),
        ({"colour": "red"}, "colour is not known here"),
    ],
)
def test_b7_what_is_wrong_is_a_sentence(said: dict[str, object], told: str) -> None:
    with pytest.raises(ValidationError) as failed:
        Money.model_validate(said)

    assert fault_text(failed.value, "money") == told
