"""`hq` as somebody would type it, in a running house; where agents have to work, in a working one."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import termios
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from hq.cli.main import run
from hq.database.address import Address
from tests.support.servers import UP, House, served

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


@pytest.fixture(scope="session")
def working_house(server: Address, template: tuple[str, str]) -> Iterator[House]:
    """A real `hq up`, whose agents work."""
    with served(server, template, *UP) as house:
        yield house


@pytest.fixture
def house(still_house: House) -> House:
    return still_house


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
def working_cli(working_house: House, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    """The same in the house where agents work."""
    return new_company(working_house, monkeypatch, capsys)


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
        return Said(self._process.wait(60), self.shown.replace("\r\n", "\n"), "")

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
