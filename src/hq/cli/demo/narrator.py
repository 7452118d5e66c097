"""Tells a story in a terminal: short lines, a little time to read them, colours only where there is somebody to see them."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable
from textwrap import wrap

from hq.coding.coding_text import MARKS
from hq.terminal.screen import Screen
from hq.terminal.values import harmless

BREATH = 0.9
"""Seconds after a sentence."""
BEAT = 0.25
"""Seconds after a line of work."""
WIDEST = 100


class Narrator:
    def __init__(self, *, fast: bool = False) -> None:
        self.screen = Screen.of(sys.stdout)
        self._fast = fast
        self.began = time.monotonic()

    async def title(self, text: str) -> None:
        self._print("")
        self._print(self.screen.bold(text))
        await self._pause(BREATH)

    async def says(self, text: str) -> None:
        """The narrator's own voice."""
        self._told(text)
        await self._pause(BREATH)

    async def founder(self, text: str) -> None:
        self._told(text, "  founder ▸ ", self.screen.yellow)
        await self._pause(BREATH)

    async def agent(self, name: str, text: str) -> None:
        """What an agent answers the founder."""
        self._told(harmless(text), f"  {name:>7} ◂ ")
        await self._pause(BREATH)

    async def link(self, text: str, url: str) -> None:
        """An address is never broken: it could not be followed."""
        self._print(text)
        self._print(f"  {url}")
        await self._pause(BREATH)

    async def step(self, kind: str, text: str) -> None:
        """Something a program said or did."""
        first = harmless(text.splitlines()[0] if text else "")
        if kind == "said":
            self._told(f"{first}”", "    “")
        else:
            line = self.screen.fit(f"    {MARKS.get(kind, ' ')} {first}")
            ink = {"got": self.screen.dim, "denied": self.screen.red, "asked": self.screen.yellow}.get(kind, str)
            self._print(ink(line))
        await self._pause(BEAT)

    async def lines(self, *lines: str) -> None:
        for line in lines:
            plain = harmless(line)
            ink = self.screen.green if line.startswith("+") else self.screen.red if line.startswith("-") else str
            self._print(self.screen.fit(f"    {ink(plain)}"))
            await self._pause(BEAT / 2)

    async def good(self, text: str) -> None:
        self._told(text, "  ✓ ", self.screen.green)
        await self._pause(BREATH)

    def _told(self, text: str, before: str = "", ink: Callable[[str], str] = str) -> None:
        """Words, broken to lines that are easy to read; the next ones begin below the first."""
        behind = " " * len(before)
        width = min(self.screen.width, WIDEST) if self.screen.tty else WIDEST
        for line in text.splitlines():
            for part in wrap(line, width, initial_indent=before, subsequent_indent=behind, break_on_hyphens=False):
                self._print(ink(part))
            before = behind

    def _print(self, text: str) -> None:
        print(text, flush=True)

    async def _pause(self, seconds: float) -> None:
        if not self._fast:
            await asyncio.sleep(seconds)
