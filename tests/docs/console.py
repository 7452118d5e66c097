"""The ```console examples of a page, typed into a real shell on a terminal, and their output compared.

Ids, tokens, addresses and times differ from run to run. They are compared by their shape; and where a page shows one,
later commands of the page that name it get the one of this run instead. With HQ_DOCS_REWRITE=1 a page that says something
else is written anew.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

COLUMNS = 110
PATIENCE = 120.0
DONE = "\x1e"
LOOSE = re.compile(
    r"(?P<event>\bevt_[0-9a-f]{32}\b)"
    r"|(?P<trace>\btrc_[0-9a-f]{32}\b)"
    r"|(?P<token>\bhq_[a-z]+_(?:[\w-]{8,}|…))"
    r"|(?P<uuid>\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b)"
    r"|(?P<slug>\b(?:approve|grant)-[a-z-]+-[0-9a-f]{8}\b)"
    r"|(?P<address>\bhttp://127\.0\.0\.1:\d+)"
    r"|(?P<pid>\bpid \d+)"
    r"|(?P<moment>\b(?:20\d\d-\d\d-\d\d|today|yesterday|tomorrow) \d\d:\d\d\b|\bjust now\b|\b\d+ min ago\b|\bin \d+ min\b)"
    r"|(?P<sequence>\"sequence\":\"[\d+,]+\")"
    r"|(?P<version>(?<=version:) +\d+)"
    r"|(?P<position>^\d+\.\d+$)"
    r"|(?P<patience>\bstarting the database…\n)"
    r"|(?P<links>\b\d+ links(?:, \d+ not linked yet)?)",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Example:
    """A command, what the page says it prints, and the line it stands on, counted from one."""

    command: str
    output: str
    line: int


def examples(page: Path) -> list[Example]:
    """Every `$ command` in a console block with what stands below it."""
    found: list[Example] = []
    inside = False
    for number, line in enumerate(page.read_text("utf-8").splitlines(), 1):
        if line.startswith("```"):
            inside = line == "```console"
        elif inside and line.startswith("$ "):
            found.append(Example(line[2:], "", number))
        elif inside:
            last = found.pop()
            found.append(Example(last.command, f"{last.output}{line.rstrip()}\n", last.line))
    return found


class Shell:
    """A shell whose output is a terminal of 110 columns, in UTC, without colours."""

    def __init__(self, env: Mapping[str, str], cwd: Path) -> None:
        self._terminal, side = pty.openpty()
        fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
        self._bash = subprocess.Popen(
            ["bash", "--noprofile", "--norc"],
            stdin=subprocess.PIPE,
            stdout=side,
            stderr=side,
            env={
                **env,
                "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
                "COLUMNS": str(COLUMNS),
                "NO_COLOR": "1",
                "TERM": "xterm",
                "TZ": "UTC",
            },
            cwd=cwd,
            start_new_session=True,
        )
        os.close(side)
        self.type(f'hq() {{ {sys.executable} -m hq "$@"; }}')

    def type(self, command: str) -> str:
        """What the command prints, on either stream. Its exit code stays in `$?`."""
        assert self._bash.stdin is not None
        line = f"(exit $last)\n{{ {command}\n}} < /dev/null; last=$?; printf '{DONE}'\n"
        self._bash.stdin.write(line.encode())
        self._bash.stdin.flush()
        return self._until_done().replace("\r\n", "\n")

    def close(self) -> None:
        assert self._bash.stdin is not None
        self._bash.stdin.close()
        try:
            self._bash.wait(5)
        except subprocess.TimeoutExpired:
            os.killpg(self._bash.pid, signal.SIGKILL)
            self._bash.wait()
        os.close(self._terminal)

    def _until_done(self) -> str:
        said, deadline = b"", time.monotonic() + PATIENCE
        while not said.endswith(DONE.encode()):
            ready, _, _ = select.select([self._terminal], [], [], max(0.0, deadline - time.monotonic()))
            assert ready, f"no end after {PATIENCE:.0f} s: {said.decode()}"
            said += os.read(self._terminal, 65536)
        return said.decode().removesuffix(DONE)


@contextmanager
def shell(env: Mapping[str, str], cwd: Path) -> Iterator[Shell]:
    opened = Shell(env, cwd)
    try:
        yield opened
    finally:
        opened.close()


def follow(page: Path, terminal: Shell) -> int:
    """Type every example and compare. Returns how many there were."""
    known: dict[str, str] = {}
    shown = examples(page)
    said = {example: _try(example, terminal, known) for example in shown}
    if os.environ.get("HQ_DOCS_REWRITE"):
        rewrite(page, said, known)
        return len(shown)
    for example, output in said.items():
        where = f"{page.name}:{example.line}: $ {example.command}"
        assert shape(output) == shape(example.output), (
            f"{where}\n--- it says\n{output}--- the page says\n{example.output}"
        )
    return len(shown)


def _try(example: Example, terminal: Shell, known: dict[str, str]) -> str:
    command = example.command
    for theirs, ours in known.items():
        command = command.replace(theirs, ours)
    said = terminal.type(command)
    for theirs, ours in zip(LOOSE.finditer(example.output), LOOSE.finditer(said), strict=False):
        known[theirs[0]] = ours[0]
    return said


def shape(text: str) -> str:
    """The text without what differs from run to run, and without the padding that goes with it."""
    loose = LOOSE.sub(lambda found: "" if found.lastgroup == "patience" else f"<{found.lastgroup}>", text)
    return "\n".join(re.sub(r"(?<=\S) {2,}", "  ", line).rstrip() for line in loose.strip().splitlines())


def rewrite(page: Path, said: Mapping[Example, str], known: Mapping[str, str]) -> None:
    """Put the new output where it differs; ids that the page already shows stay as they are there."""
    lines = page.read_text("utf-8").splitlines()
    for example in reversed(said):
        output = said[example]
        if shape(output) == shape(example.output):
            continue
        for theirs, ours in known.items():
            output = output.replace(ours, theirs)
        lines[example.line : example.line + len(example.output.splitlines())] = output.rstrip().splitlines()
    page.write_text("\n".join(lines) + "\n", "utf-8")
