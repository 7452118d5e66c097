"""Loops that cost money and lead nowhere: the same call again and again, or a few calls in a circle."""

from __future__ import annotations

from collections.abc import Sequence

REPEATS = 4
ROUNDS = 3


def looping(calls: Sequence[tuple[str, str]]) -> str | None:
    """Why these calls, each as (tool, arguments), are going in circles; nothing if they are not."""
    if len(calls) > REPEATS and len(set(calls[-REPEATS - 1 :])) == 1:
        return f"called {calls[-1][0]} with the same arguments {REPEATS + 1} times in a row"
    for length in (2, 3, 4):
        tail = list(calls[-length * ROUNDS :])
        if len(tail) == length * ROUNDS and len(set(tail)) > 1 and tail == tail[:length] * ROUNDS:
            return f"went round in a circle of {length} calls {ROUNDS} times: {', '.join(name for name, _ in tail[:length])}"
    return None
