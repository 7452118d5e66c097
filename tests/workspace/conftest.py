from __future__ import annotations

from collections.abc import Iterator

import pytest
from sandboxes import Ground, ground


@pytest.fixture(name="ground")
def _ground() -> Iterator[Ground]:
    with ground() as made:
        yield made
