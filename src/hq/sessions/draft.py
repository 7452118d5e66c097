"""A draft, an answer on its way: what a mind says is passed on to whoever follows, a few times a second."""

from __future__ import annotations

import time

from hq.engine.sessions.journal import Journal

EVERY = 0.05
"""Seconds between two drafts: often enough to read along, seldom enough to cost nothing."""


class DraftWriter:
    """Hand it to a mind as `on_text`."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self.text = ""
        """What was said so far."""
        self._told_at = 0.0

    async def __call__(self, piece: str) -> None:
        self.text += piece
        if time.monotonic() - self._told_at >= EVERY:
            await self._journal.draft(self.text)
            self._told_at = time.monotonic()
