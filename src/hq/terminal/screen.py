"""The terminal, or pipe, that output goes to: a terminal gets colours and is not overfilled; a pipe gets plain text,
whole."""

from __future__ import annotations

import os
import sys

from hq.terminal.width import clipped, wrapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime
    from typing import IO


class Screen:
    def __init__(
        self, *, tty: bool = False, colour: bool = False, width: int = 80, now: datetime | None = None
    ) -> None:
        self.tty = tty
        self.colour = colour
        self.width = width
        self.now = now
        """When it is looked at; left out, the machine's own time."""

    @classmethod
    def of(cls, stream: IO[str]) -> Screen:
        tty = stream.isatty()
        colour = tty and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        return cls(tty=tty, colour=colour, width=_columns(stream) if tty else 80)

    def bold(self, text: str) -> str:
        return self._ink("1", text)

    def dim(self, text: str) -> str:
        return self._ink("2", text)

    def red(self, text: str) -> str:
        return self._ink("31", text)

    def green(self, text: str) -> str:
        return self._ink("32", text)

    def yellow(self, text: str) -> str:
        return self._ink("33", text)

    def fit(self, text: str) -> str:
        """Cut to the width of a terminal; whole in a pipe."""
        return clipped(text, self.width) if self.tty else text

    def prose(self, text: str, begin: str = "") -> list[str]:
        """Lines of sentences, each with what they begin with: broken between words on a terminal, as they are in a pipe."""
        room = max(20, self.width - len(begin)) if self.tty else 0
        return [begin + line for line in (wrapped(text, room) if self.tty else text.splitlines())]

    def _ink(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour and text else text


def _columns(stream: IO[str]) -> int:
    """As `shutil.get_terminal_size` finds it, which would cost ten milliseconds to load."""
    given = os.environ.get("COLUMNS", "")
    try:
        return int(given) if given.isdigit() and int(given) else os.get_terminal_size(stream.fileno()).columns or 80
    except OSError:
        return 80


def aside(text: str) -> None:
    """Something for a person, beside the result."""
    screen = Screen.of(sys.stderr)
    for line in screen.prose(text):
        print(screen.dim(line), file=sys.stderr)
