"""The context window: what of a long conversation a mind still sees word for word; what is older has been summed up
(000 §A, tier 2)."""

from __future__ import annotations

from collections.abc import Sequence

from hq.engine.sessions.journal import JournalStep
from hq.engine.sessions.steps import WindowNote

EXCHANGES = 25
"""How many stay word for word at least; twice as many fill the window: about fifty messages on average."""
TOKENS = 30_000
"""How much the mind may have to read before the older half is summed up, however few messages that are."""


def older(steps: Sequence[JournalStep], tokens: int) -> tuple[int, list[JournalStep]] | None:
    """The step from which on everything stays, and what comes before it, where that is due."""
    begun = [step.number for step in steps if step.kind == "wake"]
    if len(begun) > 2 * EXCHANGES:
        upto = begun[-EXCHANGES]
    elif tokens > TOKENS and len(begun) > 1:
        upto = begun[len(begun) // 2]
    else:
        return None
    # The last summary comes before what it left, so it is summed up again with what has followed.
    return upto, [step for step in steps if step.number < upto or isinstance(step.payload, WindowNote)]
