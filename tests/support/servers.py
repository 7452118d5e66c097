"""Servers in processes of their own, each on a clone of the template: one in which nobody works, for nearly everything
that types commands, and real `hq up`s."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from hq.database.address import Address
from tests.support.company import cloned
from tests.support.passable import passable_home

UP = ("-m", "hq", "up")
STILL = (str(Path(__file__).with_name("still_server.py")),)
PATIENCE = 60.0


@dataclass(frozen=True)
class House:
    """A home with a running server."""

    home: Path
    database_url: str
    url: str
    token: str

    @property
    def env(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("HQ_")}
        return kept | {"HQ_HOME": str(self.home), "HQ_DATABASE_URL": self.database_url, "NO_COLOR": "", "TERM": "xterm"}


@contextmanager
def served(server: Address, template: tuple[str, str], *command: str) -> Iterator[House]:
    with passable_home() as home, cloned(server, template[0]) as address:
        (home / "token").write_text(template[1])
        (home / "token").chmod(0o600)
        house = House(home, address.url, "", template[1])
        env = house.env | {"HQ_PORT": "0"}
        serving = subprocess.Popen([sys.executable, *command], env=env, stdout=subprocess.PIPE, text=True)
        try:
            assert serving.stdout is not None
            assert "ready" in serving.stdout.readline()
            url = json.loads((home / "run" / "server.json").read_text())["url"]
            yield House(home, house.database_url, url, template[1])
        finally:
            serving.send_signal(signal.SIGTERM)
            serving.wait(PATIENCE)


@pytest.fixture(scope="session")
def still_house(server: Address, template: tuple[str, str]) -> Iterator[House]:
    """One in which no agent works, so that none does what a test is about to do."""
    with served(server, template, *STILL) as house:
        yield house
