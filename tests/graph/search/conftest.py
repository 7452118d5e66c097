"""Search on the company of a test."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from tests.support.company import Hq
from tests.support.searching import catch_up

Index = Callable[[], Awaitable[None]]


@pytest.fixture
def index(hq: Hq) -> Index:
    return lambda: catch_up(hq)
