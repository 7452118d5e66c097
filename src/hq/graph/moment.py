"""The past, named: a time, or the sequence a read returned.

`--at` takes `2026-11-15`, `2026-11-15T09:30:00Z`, `3d` (ago) or a sequence such as `812` or `812+815`. The last form
is what a read returns while an earlier call is still under way: everything up to 812, and 815.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from hq.errors import Refused

FAR = datetime(9999, 12, 31, tzinfo=UTC)
FIRST_YEAR, LAST_YEAR = 1900, 2200
_SEQUENCE = re.compile(r"^(\d{1,18})(?:\+(\d{1,18}(?:,\d{1,18})*))?$")
_AGO = re.compile(r"^(\d{1,6})(s|m|h|d|w)$")
_DAY = (
    r"(?:(?:19|20|21)\d\d-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|02-(?:0[1-9]|1\d|2[0-8]))"
    r"|(?:(?:19|20|21)(?:0[48]|[2468][048]|[13579][26])|2000)-02-29)"
)
_TIME = r"[T ](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,6})?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?"
_SPAN = r"[0-9]{1,6}[smh]|[0-9]{1,4}d|[0-9]{1,3}w"
MOMENT = f"^(?:now|{_SPAN}|{_DAY}(?:{_TIME})?)$".replace(r"\d", "[0-9]")
"""How a point in time is written; what else Python reads as one is taken too, and promised to nobody."""
AS_OF = f"{MOMENT[:-2]}|[0-9]{{1,18}}(?:[+][0-9]{{1,18}}(?:,[0-9]{{1,18}})*)?)$"
"""The same, or the sequence of a read."""
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


@dataclass(frozen=True)
class AsOf:
    """Two times: when it was true, and when (or up to which call) we believed it."""

    true_at: datetime | None
    """None is the moment of the call that the sequence names; the door fills it in."""
    known_at: datetime = FAR
    upto: int | None = None
    also: tuple[int, ...] = ()
    true_upto: int | None = None
    """The call at whose moment it was true, where that is another than the one up to which it was believed."""


def parse_moment(text: str, now: datetime) -> datetime:
    """A point in time. Without a zone it is UTC; a date alone is its first instant."""
    if text == "now":
        return now
    try:
        ago = _AGO.match(text)
        moment = now - timedelta(**{_UNITS[ago[2]]: int(ago[1])}) if ago else datetime.fromisoformat(text)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        if not FIRST_YEAR <= moment.year <= LAST_YEAR:
            raise OverflowError
        return moment
    except (ValueError, OverflowError):
        raise Refused.invalid(
            f"{text!r} is not a moment; say 2026-11-15, 2026-11-15T09:30:00Z, or 3d for three days ago (years 1900 to 2200)"
        ) from None


def parse_later(text: str, now: datetime) -> datetime:
    """A point in time that is still to come: 3h is three hours on."""
    span = _AGO.match(text)
    moment = now + timedelta(**{_UNITS[span[2]]: int(span[1])}) if span else parse_moment(text, now)
    if moment <= now:
        raise Refused.invalid(f"{text!r} is over; say 3h, or a date or a time that is still to come")
    return moment


def parse_as_of(at: str | None, known_at: str | None, now: datetime) -> AsOf | None:
    """`at` alone means both times; `known_at` holds the belief to another moment or sequence."""
    if at is None and known_at is None:
        return None
    belief = known_at or at or ""
    true_at, true_upto = None, None
    if at and known_at:
        named = _SEQUENCE.match(at)
        true_upto = max(_calls(named)) if named else None
        true_at = None if named else parse_moment(at, now)
    if found := _SEQUENCE.match(belief):
        upto, *also = _calls(found)
        return AsOf(true_at, FAR, upto, tuple(also), true_upto)
    known = parse_moment(belief, now)
    if true_upto is not None:
        return AsOf(None, known, true_upto=true_upto)
    return AsOf(true_at or (now if known_at else known), known)


def _calls(sequence: re.Match[str]) -> list[int]:
    return [int(sequence[1]), *(int(part) for part in (sequence[2] or "").split(",") if part)]


def sequence_name(watermark: int, seen: list[int]) -> str:
    """The name of what a read saw: short when nothing was under way, exact always."""
    return f"{watermark}+{','.join(map(str, seen))}" if seen else str(watermark)


def check_period(begins: datetime, ends: datetime | None) -> None:
    """What is true until before it begins is never true: most likely the two were mixed up."""
    if ends is not None and ends <= begins:
        raise Refused.invalid(
            f"valid_to {ends:%Y-%m-%d %H:%M} is not after {begins:%Y-%m-%d %H:%M}, when it begins; "
            "say an earlier --valid-from or a later --valid-to"
        )
