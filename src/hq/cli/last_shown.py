"""The last shown line or card of a terminal: how far its screen goes, so that a word typed there answers what stands on it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from hq.settings import Settings

NOTHING = "nothing"
"""What a terminal has shown of a conversation in which nothing was said there yet."""


class LastShown:
    """What `hq chat` or `hq inbox` has shown in this terminal, for the next word that is typed there: a yes is for what stands above it."""

    def __init__(self, settings: Settings) -> None:
        self._file = settings.home / "run" / "chat-shown.json"

    def read(self, agent: str | None) -> str | None:
        with suppress(OSError, ValueError, TypeError):
            kept = json.loads(self._file.read_text("utf-8"))
            return kept["shown"] if kept["where"] == self._where(agent) else None
        return None

    def write(self, agent: str | None, shown: str) -> None:
        if shown == NOTHING:
            return
        with suppress(OSError):  # whoever may not write there is asked once more, that is all
            self._file.parent.mkdir(exist_ok=True)
            self._file.write_text(json.dumps({"where": self._where(agent), "shown": shown}), "utf-8")

    def _where(self, agent: str | None) -> list[Any]:
        """The terminal, as long as its shell lives, and with whom one talks there."""
        return [os.getsid(0), agent]

    def listed(self, cards: Iterable[str]) -> None:
        """An inbox was shown: whatever of it stands in the conversation, up to the latest, stands on this screen too."""
        self.write(None, max(cards, default=NOTHING))
