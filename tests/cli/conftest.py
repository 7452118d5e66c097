"""A running house on a database of its own, and `hq` as somebody would type it."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import termios
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hq.cli.main import run
from hq.database.address import Address
from support import cloned

HQ = [sys.executable, "-m", "hq.cli"]


@dataclass(frozen=True)
class Said:
    """What a command printed, and how it ended."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()

    @property
    def json(self) -> Any:
        return json.loads(self.out)


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
def served(server: Address, template: tuple[str, str], home: Path, *command: str) -> Iterator[House]:
    (home / "token").write_text(template[1])
    (home / "token").chmod(0o600)
    with cloned(server, template[0]) as address:
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
            serving.wait(20)


@pytest.fixture(scope="session")
def house(server: Address, template: tuple[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with served(server, template, tmp_path_factory.mktemp("home"), "-m", "hq.cli", "up") as house:
        yield house


@pytest.fixture(scope="session")
def still_house(
    server: Address, template: tuple[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[House]:
    """One in which no agent works, so that none does what a test is about to do."""
    with served(server, template, tmp_path_factory.mktemp("still"), str(Path(__file__).with_name("still.py"))) as house:
        yield house


Shell = Callable[..., Said]


@pytest.fixture
def shell(house: House) -> Shell:
    """`hq` in a process of its own: `shell("task", "list", stdin="…", HQ_DIRECT="1")`."""

    def call(*args: str, stdin: str = "", **env: str) -> Said:
        done = subprocess.run(
            [*HQ, *args], env=house.env | env, input=stdin, capture_output=True, text=True, timeout=60, check=False
        )
        return Said(done.returncode, done.stdout, done.stderr)

    return call


@pytest.fixture
def cli(house: House, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    """`hq` in this process, which is quicker: in a company of the test's own."""
    return new_company(house, monkeypatch, capsys)


@pytest.fixture
def still_cli(still_house: House, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    """The same in the house where nobody works."""
    return new_company(still_house, monkeypatch, capsys)


def new_company(house: House, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    for name in [name for name in os.environ if name.startswith("HQ_") and name != "HQ_TEST_RUN"]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HQ_HOME", str(house.home))

    def call(*args: str, **env: str) -> Said:
        with monkeypatch.context() as patch:
            for name, value in env.items():
                patch.setenv(name, value)
            capsys.readouterr()
            code = run(list(args))
            said = capsys.readouterr()
        return Said(code, said.out, said.err)

    name = f"Company {uuid.uuid4().hex[:8]}"
    monkeypatch.setenv("HQ_TOKEN", call("tenant", "create", "--name", name, "--founder", "Bo").out.strip())
    return call


class Terminal:
    """A command with a terminal of 80 columns in front of it."""

    def __init__(self, args: list[str], env: dict[str, str]) -> None:
        self.near, far = pty.openpty()
        self._process = subprocess.Popen([*HQ, *args], env=env, stdin=far, stdout=far, stderr=far)
        os.close(far)
        self.shown = ""

    def read_until(self, text: str) -> None:
        while text not in self.shown and self._read():
            pass

    def type(self, text: str) -> None:
        """Once it no longer shows what is typed."""
        while termios.tcgetattr(self.near)[3] & termios.ECHO:
            time.sleep(0.01)
        os.write(self.near, text.encode())

    def end(self) -> Said:
        while self._read():
            pass
        os.close(self.near)
        return Said(self._process.wait(30), self.shown.replace("\r\n", "\n"), "")

    def _read(self) -> bool:
        try:
            part = os.read(self.near, 65536)
        except OSError:  # how Linux says that the other end is gone
            return False
        self.shown += part.decode()
        return bool(part)


@pytest.fixture
def terminal(house: House) -> Callable[..., Terminal]:
    def start(*args: str, **env: str) -> Terminal:
        return Terminal(list(args), house.env | {"COLUMNS": "80", "TZ": "Asia/Tokyo"} | env)

    return start


@pytest.fixture
def on_a_terminal(terminal: Callable[..., Terminal]) -> Shell:
    return lambda *args, **env: terminal(*args, **env).end()
