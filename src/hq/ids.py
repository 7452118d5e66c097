"""Identifiers: time-ordered UUIDs, and the short names the result contract gives them (`evt_…`, `trc_…`)."""

from __future__ import annotations

import os
import time
from uuid import UUID

from hq.errors import Refused


def new_id() -> UUID:
    """A version 7 UUID: sorts by the moment it was made, so indexes stay dense. Machine time, not business time."""
    value = int.from_bytes(os.urandom(16), "big")
    value = (value & ~(0xFFFF_FFFF_FFFF << 80)) | (time.time_ns() // 1_000_000 << 80)
    value = (value & ~(0xF << 76)) | (0x7 << 76)
    return UUID(int=(value & ~(0x3 << 62)) | (0x2 << 62))


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
