"""The last shown line or card of a terminal: how far its screen goes, so that a word typed there answers what stands on it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from hq.settings import Settings

SHOWN = ("line", "card")
NOTHING = "nothing"
"""What a terminal has shown of a conversation in which nothing was said there yet."""


MOST = 40
"""Lines that are remembered as shown."""


class LastShown:
    """What `hq chat` and `hq inbox` have shown in this terminal, for the next word that is typed there: a yes is for what stands above it.

    The last line and the latest card are kept apart, and both are told: which of them is further down in the conversation only
    the house knows. So an inbox, which shows cards of before again, never takes back what was shown since."""

    def __init__(self, settings: Settings) -> None:
        self._file = settings.home / "run" / "chat-shown.json"

    def read(self, agent: str | None) -> str | None:
        kept = self._kept(agent)
        return ",".join(kept[name] for name in SHOWN if name in kept) or None

    def line(self, agent: str | None, shown: str | None, printed: Iterable[str] = ()) -> None:
        """The last line of a conversation that was shown, and all that were with it."""
        if shown is not None:
            self._keep(agent, {"line": shown, "printed": self._with(agent, printed)})

    def printed(self, agent: str | None) -> list[str]:
        """The newest lines that stand here."""
        return self._kept(agent).get("printed", "").split()

    def cards(self, agent: str | None, shown: Iterable[str]) -> None:
        """Cards were shown that stand in the conversation, such as those of an inbox: up to the latest of them."""
        cards = list(shown)
        if latest := max(cards, default=None):
            latest = max(latest, self._kept(agent).get("card", ""))
            self._keep(agent, {"card": latest, "printed": self._with(agent, cards)})

    def _with(self, agent: str | None, printed: Iterable[str]) -> str:
        return " ".join([*self.printed(agent), *printed][-MOST:])

    def seen(self, agent: str | None) -> str | None:
        """The newest card that there was when this terminal was written to last, shown or not: what is newer came since."""
        return self._kept(agent).get("seen")

    def saw(self, agent: str | None, newest: str) -> None:
        self._keep(agent, {"seen": max(newest, self.seen(agent) or "")})

    def _kept(self, agent: str | None) -> dict[str, str]:
        with suppress(OSError, ValueError, TypeError, KeyError):
            kept = json.loads(self._file.read_text("utf-8"))
            if kept["where"] == self._where(agent):
                return {name: kept["shown"][name] for name in (*SHOWN, "seen", "printed") if name in kept["shown"]}
        return {}

    def _keep(self, agent: str | None, shown: dict[str, str]) -> None:
        kept = {"where": self._where(agent), "shown": self._kept(agent) | shown}
        with suppress(OSError):  # whoever may not write there is asked once more, that is all
            self._file.parent.mkdir(exist_ok=True)
            self._file.write_text(json.dumps(kept), "utf-8")

    def _where(self, agent: str | None) -> list[Any]:
        """The terminal, as long as its shell lives, and with whom one talks there."""
        return [os.getsid(0), agent]
