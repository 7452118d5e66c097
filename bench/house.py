"""A real `hq up` in a process and a home of its own, started and stopped with a watch in hand."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from hq.database.embedded import EmbeddedServer

PATIENCE = 120.0  # seconds
POLL = 0.005


def environment(home: Path, **more: str) -> dict[str, str]:
    """Ours, but with nothing of another house in it, and as after an installation: the first run compiles, no other."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("HQ_", "PYTHONDONTWRITE"))}
    return kept | {"HQ_HOME": str(home), "HQ_PORT": "0", "PYTHONPYCACHEPREFIX": str(home / "bytecode")} | more


@dataclass(frozen=True)
class House:
    home: Path
    process: subprocess.Popen[bytes]
    url: str
    started_in: float
    """Seconds from the start of the process until /health said that all is well."""

    @property
    def roots(self) -> list[int | None]:
        """The processes that all others of the home come from: hq and its database."""
        return [self.process.pid, EmbeddedServer(self.home).pid]

    def stop(self) -> float:
        """As Ctrl-C does. Seconds until it was gone, its database with it."""
        started = time.perf_counter()
        self.process.send_signal(signal.SIGTERM)
        if self.process.wait(PATIENCE):
            raise SystemExit(f"hq ended with {self.process.returncode}")
        return time.perf_counter() - started

    def call(self, verb: str, args: dict[str, Any]) -> None:
        """One call over HTTP that must succeed."""
        token = (self.home / "token").read_text().strip()
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        status = _ask(self.url, "POST", f"/api/{verb.replace('.', '/')}", json.dumps(args), headers)
        if status != 200:
            raise SystemExit(f"{verb} answered with {status}")


@contextmanager
def running(home: Path) -> Iterator[House]:
    """Started in `home`, and gone at the end whatever happened."""
    started = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "hq", "up"], env=environment(home), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )
    try:
        url = _ready(home, process)
        yield House(home, process, url, time.perf_counter() - started)
    finally:
        _end(process)


def _ready(home: Path, process: subprocess.Popen[bytes]) -> str:
    told = home / "run" / "server.json"
    deadline = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < deadline:
        with suppress(OSError, ValueError):
            found = json.loads(told.read_text())
            if found["pid"] == process.pid and _ask(found["url"], "GET", "/health") == 200:
                return found["url"]
        time.sleep(POLL)
    raise SystemExit(f"hq was not ready after {PATIENCE:.0f} seconds, or ended with {process.poll()}")


def _ask(url: str, method: str, path: str, body: str | None = None, headers: dict[str, str] | None = None) -> int:
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=PATIENCE)
    try:
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        answer.read()
        return answer.status
    finally:
        connection.close()


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
