"""Identifiers: time-ordered UUIDs, and the short names the result contract gives them (`evt_…`, `trc_…`)."""

from __future__ import annotations

import os
import threading
import time
from uuid import UUID

from hq.errors import Refused


class _Ticks:
    """Moments of this process, each later than the one before: milliseconds, and 4,096ths of one."""

    def __init__(self) -> None:
        self._last = 0
        self._lock = threading.Lock()

    def next(self) -> int:
        with self._lock:
            self._last = max(self._last + 1, (time.time_ns() << 12) // 1_000_000)
            return self._last


_TICKS = _Ticks()


def new_id() -> UUID:
    """A version 7 UUID: sorts by the moment it was made, so indexes stay dense, and in this process always after the one before.
    Machine time, not business time."""
    tick = _TICKS.next()
    random = int.from_bytes(os.urandom(8), "big") & ~(0x3 << 62)
    return UUID(int=(tick >> 12) << 80 | 0x7 << 76 | (tick & 0xFFF) << 64 | 0x2 << 62 | random)


def event_name(action_id: UUID) -> str:
    return f"evt_{action_id.hex}"


def trace_name(trace_id: UUID) -> str:
    return f"trc_{trace_id.hex}"


def parse_id(text: str) -> UUID:
    """Reads a plain UUID as well as `evt_…` and `trc_…`."""
    try:
        return UUID(text.removeprefix("evt_").removeprefix("trc_"))
    except ValueError:
        raise Refused.invalid(f"{text!r} is not an id; ids look like evt_0198… or a UUID") from None


def is_id(text: str) -> bool:
    try:
        parse_id(text)
    except Refused:
        return False
    return True
