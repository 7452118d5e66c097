"""Real `hq` processes in a home of their own. Waiting is for a word or a condition, never a fixed time."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
import requests

from hq.database.embedded import EmbeddedServer
from hq.settings import Settings

SOURCE = Path(__file__).parents[2] / "src"
PATIENCE = 60.0


def until(condition: Callable[[], Any]) -> Any:
    """What the condition comes to, as soon as it holds."""
    deadline = time.monotonic() + PATIENCE
    while not (found := condition()):
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.01)
    return found


def heard(process: subprocess.Popen[str]) -> str:
    """The next line it says; nothing when it ends, or when it keeps silent for too long and is ended."""
    assert process.stdout
    alarm = threading.Timer(PATIENCE, process.kill)
    alarm.start()
    try:
        return process.stdout.readline()
    finally:
        alarm.cancel()


@dataclass
class Up:
    """An `hq up` that is ready."""

    process: subprocess.Popen[str]
    url: str
    link: str

    def end(self, how: signal.Signals) -> int:
        self.process.send_signal(how)
        return self.process.wait(PATIENCE)


@dataclass
class House:
    """A home, and `hq` in it."""

    home: Path
    env: dict[str, str] = field(default_factory=dict)

    @property
    def settings(self) -> Settings:
        return Settings.load({"HQ_HOME": str(self.home)})

    @property
    def database(self) -> EmbeddedServer:
        return EmbeddedServer(self.home)

    def spawn(self, *command: str, **env: str) -> subprocess.Popen[str]:
        wanted = {"HQ_HOME": str(self.home), "HQ_PORT": "0", "PYTHONPATH": str(SOURCE), **self.env, **env}
        kept = {name: value for name, value in os.environ.items() if not name.startswith("HQ_")}
        return subprocess.Popen(
            [sys.executable, "-m", "hq", *command],
            env=kept | wanted, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip

    def run(self, *command: str, **env: str) -> subprocess.CompletedProcess[str]:
        process = self.spawn(*command, **env)
        said, complained = process.communicate(timeout=PATIENCE * 2)
        return subprocess.CompletedProcess(command, process.returncode, said, complained)

    @contextmanager
    def up(self, **env: str) -> Iterator[Up]:
        process = self.spawn("up", **env)
        try:
            said = [heard(process), heard(process)]
            ready = re.search(r"ready at (\S+)", said[0])
            assert ready, (said, process.communicate())
            yield Up(process, ready[1], said[1].split()[-1])
        finally:
            if process.poll() is None:
                process.kill()
            process.communicate()

    def call(self, url: str, verb: str, **args: Any) -> Any:
        """A call that succeeds; its data."""
        answer = self.post(url, verb, **args)
        assert answer.ok, answer.text
        return answer.json()["data"]

    def post(self, url: str, verb: str, **args: Any) -> requests.Response:
        token = (self.home / "token").read_text().strip()
        place = f"{url}/api/{verb.replace('.', '/')}"
        return requests.post(place, json=args, headers={"Authorization": f"Bearer {token}"}, timeout=60)

    def sql(self, statement: str) -> None:
        with psycopg.connect(self.database.url, autocommit=True) as conn:
            conn.execute(statement.encode())
