"""The outcome of a worker, by what the system saw: one that did nothing is no success, whatever it says (001 §6.2)."""

from __future__ import annotations

from hq.sessions.transcript import Transcript


def undone(talk: Transcript, reason: str) -> str | None:
    """Why it did nothing; nothing where it did something."""
    if talk.made and not any(call.verb for call in talk.made):
        return f"none of its {len(talk.made)} calls worked: {talk.spoken[:300]}".rstrip(": ")
    return None if talk.made or talk.spoken or reason else "it did nothing and said nothing"
