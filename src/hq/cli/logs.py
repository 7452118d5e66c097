"""`hq logs`: the last lines of the log, and those that are added, also when the file is turned over."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from hq.errors import Refused
from hq.json_types import JsonObject
from hq.terminal.screen import Screen

BLOCK = 64 * 1024
POLL = 0.2
COMMON = ("at", "level", "event", "logger", "exception", "path")


@dataclass(frozen=True)
class LogTail:
    lines: list[str]
    end: int
    """Where they end in the file, so that nothing is missed between looking back and following."""


def last(file: Path, many: int) -> LogTail:
    """The last lines, read from the end, so that a large log costs no more than a small one."""
    try:
        with file.open("rb") as log:
            return _tail(log, many)
    except FileNotFoundError:
        raise Refused.not_found(f"there is no log at {file} yet; `hq up` writes it") from None


def _tail(log: IO[bytes], many: int) -> LogTail:
    end = position = log.seek(0, os.SEEK_END)
    found = b""
    while position > 0 and found.count(b"\n") <= many:
        step = min(BLOCK, position)
        position -= step
        log.seek(position)
        found = log.read(step) + found
    lines = found.decode("utf-8", "replace").splitlines()
    return LogTail(lines[-many:] if many else [], end)


def added(file: Path, since: int) -> Iterator[str]:
    """What is written behind that place, until interrupted."""
    log = file.open("rb")
    log.seek(since)
    while True:
        start, line = log.tell(), log.readline()
        if line.endswith(b"\n"):
            yield line.decode("utf-8", "replace").rstrip("\n")
        elif _turned_over(file, log):
            log.close()
            log = file.open("rb")
        else:
            log.seek(start)
            time.sleep(POLL)


def _turned_over(file: Path, log: IO[bytes]) -> bool:
    try:
        return file.stat().st_ino != os.fstat(log.fileno()).st_ino
    except FileNotFoundError:
        return False


def readable(line: str, screen: Screen) -> str:
    """One line for a person: when, how bad, what, and the rest as name=value."""
    try:
        entry: JsonObject = json.loads(line)
    except ValueError:
        return line
    if not isinstance(entry, dict):
        return line
    level = str(entry.get("level", "info"))
    ink = {"error": screen.red, "critical": screen.red, "warning": screen.yellow}.get(level, screen.dim)
    rest = " ".join(f"{name}={value}" for name, value in entry.items() if name not in COMMON)
    text = f"{str(entry.get('at', ''))[:19]} {ink(f'{level:<7}')} {entry.get('event', '')} {screen.dim(rest)}".rstrip()
    return "\n".join([text, *str(entry.get("exception", "")).splitlines()])
