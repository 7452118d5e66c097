"""Phrases of time: "every weekday at 7", "every 15 minutes", "monthly on the 1st at 8:30", "tomorrow at 9"; or as
cron."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

from hq.calendar_words import WEEKDAYS
from hq.errors import Refused

DAYS = {name: (number + 1) % 7 for name, number in WEEKDAYS.items() if name.endswith("day")}
"""As cron counts them, from Sunday as 0; in English, as all of a schedule's words are."""
GROUPS = {"weekday": "1-5", "workday": "1-5", "weekend": "0,6"}
NAMED_TIMES = {"midnight": (0, 0), "noon": (12, 0), "morning": (7, 0), "afternoon": (14, 0), "evening": (18, 0)}
_TIME = re.compile(r"(?:\bat )?\b(?P<hour>\d{1,2})(?::(?P<minute>\d\d)| ?o'?clock)?(?: ?(?P<half>am|pm))?\b")
_LATE = re.compile(r"\b(?:afternoon|evening)\b")
_SMALL = re.compile(
    r"every|each|daily|weekly|monthly|day|week|month|on|at|the|of|in|and|weekdays?|workdays?|weekends?|midnight|noon|"
    r"morning|afternoon|evening|(?:sun|mon|tue|wed|thu|fri|sat)s?|(?:sun|mon|tues|wednes|thurs|fri|satur)days?"
)
"""Words that are understood beside a time and a date. Any other may change what is meant, so it is asked about."""
_EVERY = re.compile(r"every (?:(?P<many>\d{1,2}) )?(?P<unit>minute|hour)s?|(?P<word>hourly)")
_IN = re.compile(r"in (?P<many>\d{1,3}|an?) (?P<unit>minute|hour|day|week)s?")
_DATE = re.compile(r"(?:on )?(?P<date>\d{4}-\d\d-\d\d)[t ,]*(?P<rest>.*)")
_NTH = re.compile(r"\b(?P<day>\d{1,2})(?:st|nd|rd|th)\b")
FIELDS = 5
EXAMPLES = (
    '"every weekday at 7", "every monday at 9:30", "every 15 minutes", "tomorrow at 9", or cron such as "0 7 * * 1-5"'
)


@dataclass(frozen=True)
class When:
    """A cron expression, or one moment."""

    cron: str | None = None
    once: datetime | None = None


def parse_when(text: str, now: datetime, zone: str) -> When:
    """What those words mean by the clocks of that zone. Refuses what it does not understand, and says what it would."""
    said = " ".join(text.lower().replace(",", " ").split())
    if (cron := _cron(said)) or (cron := _every(said)) or (cron := _recurring(said)):
        return When(cron=_checked(cron, text))
    if once := _once(said, now, ZoneInfo(zone)):
        if once <= now:
            raise Refused.invalid(f"{text!r} is over already; say a moment to come")
        return When(once=once.astimezone(UTC))
    raise Refused.invalid(f"{text!r} does not say when; write {EXAMPLES}")


def _cron(said: str) -> str | None:
    fields = said.split()
    return said if len(fields) == FIELDS and re.fullmatch(r"[\d*/,\-]+", fields[0]) else None


def _checked(cron: str, text: str) -> str:
    try:
        next(CronSim(cron, datetime(2026, 1, 1, tzinfo=UTC)))
    except (CronSimError, StopIteration):
        raise Refused.invalid(f"{text!r} never comes; write {EXAMPLES}") from None
    return cron


def _every(said: str) -> str | None:
    """By intervals that fit into an hour or a day."""
    found = _EVERY.fullmatch(said)
    if found is None:
        return None
    many, unit = int(found["many"] or 1), found["unit"] or "hour"
    whole = 60 if unit == "minute" else 24
    if many == 0 or whole % many:
        raise Refused.invalid(
            f"every {many} {unit}s does not divide {'an hour' if unit == 'minute' else 'a day'} evenly"
        )
    if unit == "minute":
        return "* * * * *" if many == 1 else "0 * * * *" if many == whole else f"*/{many} * * * *"
    return "0 * * * *" if many == 1 else "0 0 * * *" if many == whole else f"0 */{many} * * *"


def _recurring(said: str) -> str | None:
    """By days of the week or the month, at a time."""
    if not re.match(r"every|each|daily|weekly|monthly|weekdays?|weekends?|on weekdays|(?:on )?\w+days\b", said):
        return None
    dates = [int(found["day"]) for found in _NTH.finditer(said)]
    rest = _NTH.sub("", said)
    clock = _clock(rest)
    if clock is None:
        return None
    hour, minute = clock
    days = _days(rest)
    if dates and re.search(r"month", rest) and not days:
        return f"{minute} {hour} {','.join(map(str, sorted(set(dates))))} * *"
    if dates:
        return None
    if re.search(r"\bmonth", rest):
        return f"{minute} {hour} 1 * *"
    if days is None:
        if re.search(r"\bweek(ly)?\b", rest):
            days = "1"
        elif re.search(r"\b(day|daily|morning|afternoon|evening|noon|midnight)\b", rest):
            days = "*"
        else:
            return None
    return f"{minute} {hour} * * {days}"


def _days(said: str) -> str | None:
    for word, days in GROUPS.items():
        if re.search(rf"\b{word}s?\b", said):
            return days
    found = [str(number) for name, number in DAYS.items() if re.search(rf"\b{name[:3]}(?:{name[3:]})?s?\b", said)]
    return ",".join(sorted(found)) or None


def _clock(said: str) -> tuple[int, int] | None:
    """The time of day; 7 in the morning where none is said. Nothing where more is said than is understood."""
    times = list(_TIME.finditer(said))
    if len(times) > 1 or not all(_SMALL.fullmatch(word) for word in _TIME.sub(" ", said).split()):
        return None
    if not times:
        return next((clock for word, clock in NAMED_TIMES.items() if re.search(rf"\b{word}\b", said)), (7, 0))
    hour, minute = int(times[0]["hour"]), int(times[0]["minute"] or 0)
    if times[0]["half"]:
        hour = hour % 12 + (12 if times[0]["half"] == "pm" else 0)
    elif _LATE.search(said) and hour < 12:
        hour += 12
    return (hour, minute) if hour < 24 and minute < 60 else None


def _once(said: str, now: datetime, zone: ZoneInfo) -> datetime | None:
    local = now.astimezone(zone)
    if exact := _exact(said, zone):
        return exact
    if found := _IN.fullmatch(said):
        many = 1 if found["many"] in ("a", "an") else int(found["many"])
        return now + timedelta(**{f"{found['unit']}s": many})
    if found := re.fullmatch(r"(?P<day>today|tomorrow)\b(?P<rest>.*)", said):
        day, rest = local.date() + timedelta(days=found["day"] == "tomorrow"), found["rest"].strip()
    elif found := _DATE.fullmatch(said):
        try:
            day, rest = datetime.fromisoformat(found["date"]).date(), found["rest"]
        except ValueError:
            return None
    else:
        return None
    clock = _clock(rest)
    return datetime(day.year, day.month, day.day, *clock, tzinfo=zone) if clock else None


def _exact(said: str, zone: ZoneInfo) -> datetime | None:
    """A date with a time as machines write it; one that names its own offset is by that."""
    if len(said) <= len("2026-01-01"):
        return None
    try:
        moment = datetime.fromisoformat(said.upper())
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=zone)
