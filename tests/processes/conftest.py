"""Homes to try `hq` in: an empty one, and one that was up before."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from hq.database.embedded import scratch_home
from tests.processes.houses import House


@pytest.fixture(scope="session")
def made() -> Path:
    """A home that was up once and is stopped: copying it is quicker than making one."""
    run = Path(os.environ["HQ_TEST_RUN"])
    home = run / "made"
    with open(run / "made.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not home.exists():
            house = House(run / "making")
            with house.up() as up:
                assert up.end(signal.SIGTERM) == 0
            house.home.rename(home)
    return home


@pytest.fixture
def empty() -> Iterator[House]:
    with scratch_home() as home:
        yield House(home)


@pytest.fixture
def house(made: Path) -> Iterator[House]:
    with scratch_home() as home:
        shutil.rmtree(home)
        subprocess.run(["cp", "-a", str(made), str(home)], check=True)
        yield House(home)
