"""Wishes of a run: how long its answer should be, and what was said before it elsewhere. They are no part of what is said."""

from __future__ import annotations

from collections.abc import Sequence

from hq.engine.sessions.steps import RunRequest
from hq.minds.prompt_data import enclosed

HOW_LONG = {"concise": "Answer in a sentence or two.", "normal": "", "detailed": "Answer in detail."}
BEFORE = "Before this was said{where}, for you to know and not to answer:"


def wishes(runs: Sequence[RunRequest]) -> str:
    """What the mind is told beside the words of whoever waits."""
    return "\n\n".join(filter(None, (each for run in runs for each in (HOW_LONG[run.verbosity], _before(run)))))


def _before(run: RunRequest) -> str:
    if not run.previous:
        return ""
    where = f" in {run.conversation}" if run.conversation else ""
    return "\n".join((BEFORE.format(where=where), enclosed("message", "\n".join(run.previous))))
