"""The life of a session: its states, and which of them mean that it is not over.

`life.sql` has the same words as functions; `scripts/sql_views.py` writes it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal, get_args

LiveState = Literal["queued", "running", "waiting"]
EndState = Literal["done", "failed", "stopped"]
SessionState = Literal[LiveState, EndState]
LIVE: tuple[LiveState, ...] = get_args(LiveState)
OVER: tuple[EndState, ...] = get_args(EndState)
BUSY: tuple[LiveState, ...] = ("queued", "running")
"""Somebody works on it, or takes it up as soon as there is a place."""

FILE = Path(__file__).with_name("life.sql")
TEXT = """-- Written by `scripts/sql_views.py` from life.py; do not edit.

-- Whether a session in that state is not over; and whether somebody works on it or is about to. Without a `search_path` of their own,
-- so that the planner reads them as the lists they stand for, and uses its indexes.
create or replace function ops.live(_state text) returns boolean
    language sql immutable
    return _state in ({live});
create or replace function ops.busy(_state text) returns boolean
    language sql immutable
    return _state in ({busy});
revoke all on function ops.live, ops.busy from public;
grant execute on function ops.live, ops.busy to {app};
"""


def written() -> str:
    return TEXT.replace("{live}", ", ".join(map(repr, LIVE))).replace("{busy}", ", ".join(map(repr, BUSY)))
