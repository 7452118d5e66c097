"""For tests that run programs in the sandbox: a `tmp_path` that a conftest imports, and a mark.

As root those programs are another account's, which cannot get through pytest's own directory; and another run of pytest
closes that directory anew whenever it likes.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hq.errors import Refused
from hq.sandbox import machine, paths


def _missing() -> str:
    """What this machine lacks for a sandbox; nothing if it lacks nothing."""
    try:
        machine.look()
    except Refused as refused:
        return refused.message
    return ""


MISSING = _missing()
needs_sandbox = pytest.mark.skipif(bool(MISSING), reason=MISSING)


@contextmanager
def passable_home() -> Iterator[Path]:
    top = Path(tempfile.mkdtemp(prefix="hq-test-", dir="/tmp"))
    top.chmod(0o711)
    yield top
    paths.remove(top)


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    with passable_home() as top:
        yield top
