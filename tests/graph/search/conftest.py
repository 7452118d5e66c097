"""Search on the company of a test."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from searching import catch_up

from support import Hq

Index = Callable[[], Awaitable[None]]


@pytest.fixture
def index(hq: Hq) -> Index:
    return lambda: catch_up(hq)
