"""A real server of somebody else's, reached over stdio or over HTTP."""

from __future__ import annotations

import shlex
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from hq.connectors.sessions import Sessions

SCRIPT = Path(__file__).with_name("outside.py")


@dataclass
class Outside:
    """The server, and what it keeps on its side."""

    directory: Path
    url: str = ""

    @property
    def words(self) -> Path:
        return self.directory / "words"

    @property
    def posted(self) -> list[str]:
        file = self.directory / "posted"
        return file.read_text().splitlines() if file.exists() else []

    @property
    def command(self) -> str:
        return shlex.join([sys.executable, str(SCRIPT), str(self.words)])


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Outside]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    made = Outside(tmp_path_factory.mktemp("outside"), f"http://127.0.0.1:{port}/mcp")
    made.words.write_text("")
    process = subprocess.Popen(
        [*shlex.split(made.command), "--port", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        _until_open(port)
        yield made
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def outside(running: Outside) -> Outside:
    """The server as it is at the start of every test."""
    running.words.write_text("")
    (running.directory / "posted").unlink(missing_ok=True)
    return running


def _until_open(port: int) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        with socket.socket() as line:
            if line.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise AssertionError("the outside server did not start")


@pytest.fixture
def sandboxed() -> bool:
    """The outside server needs what this repository's environment has, which no sandbox shows."""
    return False


@pytest.fixture
def hq(hq, sandboxed):
    connections = hq.door.services[Sessions]
    if not sandboxed:
        connections.programs = replace(connections.programs, sandbox=None)
    return hq
