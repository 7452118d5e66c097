"""A ground to try programs on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.passable import tmp_path
from tests.support.sandboxes import Ground, ground

__all__ = ["tmp_path"]


@pytest.fixture(name="ground")
def _ground() -> Iterator[Ground]:
    with ground() as made:
        yield made
