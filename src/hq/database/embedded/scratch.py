"""Throw-away embedded servers, for tests and for `hq doctor`."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from hq.database.embedded.server import EmbeddedServer

# Root's TMPDIR may itself be closed to the account that Postgres runs as.
PLACE = "/tmp" if os.geteuid() == 0 else None  # noqa: S108
FORGETFUL: Mapping[str, str] = {"fsync": "off", "full_page_writes": "off"}  # still survives the end of its processes


@contextmanager
def scratch(*, shared_buffers: str = "32MB", extra: Mapping[str, str] = FORGETFUL) -> Iterator[EmbeddedServer]:
    """A running server in a home of its own; both are gone afterwards, whatever happened."""
    with scratch_home() as home:
        server = EmbeddedServer(home, shared_buffers=shared_buffers, extra=extra)
        server.start()
        yield server


@contextmanager
def scratch_home() -> Iterator[Path]:
    """An empty home that the account of a server can reach; a server left in it is stopped."""
    home = Path(tempfile.mkdtemp(prefix="hq-scratch-", dir=PLACE))
    if os.geteuid() == 0:
        home.chmod(0o711)  # mkdtemp closes it to everybody else
    try:
        yield home
    finally:
        try:
            EmbeddedServer(home).stop()
        finally:
            shutil.rmtree(home, ignore_errors=True)
