"""Days and times as people say them, in English and Portuguese, relative to a moment."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from hq.calendar_words import MONTHS, WEEKDAYS

_MONTHS = MONTHS | {name[:3]: number for name, number in list(MONTHS.items())[:12]}
_DAYS = WEEKDAYS | {"terca": 1, "sabado": 5}
_SPANS = {
    "day": 1, "days": 1, "dia": 1, "dias": 1, "week": 7, "weeks": 7, "semana": 7, "semanas": 7,
    "month": 30, "months": 30, "mês": 30, "meses": 30,
}  # fmt: skip
_WORDS = {
    "today": 0, "hoje": 0, "tonight": 0, "tomorrow": 1, "amanhã": 1, "amanha": 1,
    "the day after tomorrow": 2, "day after tomorrow": 2, "depois de amanhã": 2,
}  # fmt: skip
_SMALL = {"a": 1, "an": 1, "one": 1, "um": 1, "uma": 1, "two": 2, "dois": 2, "duas": 2, "three": 3, "três": 3}

_day = "|".join(sorted(map(re.escape, (*_WORDS, *_DAYS)), key=len, reverse=True))
_month = "|".join(sorted(_MONTHS, key=len, reverse=True))
_clock = r"(?:\s*(?:at|às|as|@)\s*\d{1,2}(?:[:h]\d{2})?\s*(?:am|pm|h)?)?"
WHEN = (
    r"(?:\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d)?"
    rf"|(?:next |this |on |na |no |próxim[ao] )?(?:{_day})(?:-feira)?"
    rf"|(?:in|em|daqui a) (?:\d+|{'|'.join(_SMALL)}) (?:{'|'.join(_SPANS)})"
    r"|next week|this week|próxima semana|na próxima semana|end of (?:the )?(?:week|month)|fim d[ao] (?:semana|mês)"
    rf"|(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of| de)? (?:{_month})(?:(?:,| de)? \d{{4}})?"
    rf"|(?:{_month}) \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?){_clock}"
)
"""A pattern for such phrases, for scripts."""

_ISO = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d)?")
_AT = re.compile(r"(?:at|às|as|@)\s*(\d{1,2})(?:[:h](\d{2}))?\s*(am|pm|h)?\s*$")
_IN = re.compile(r"(?:in|em|daqui a) (\w+) (\w+)")
_DATE = re.compile(rf"(?:(\d{{1,2}})(?:st|nd|rd|th)?(?: of| de)? ({_month})|({_month}) (\d{{1,2}}))\D*(\d{{4}})?")
_NAMED = re.compile(rf"({'|'.join(map(re.escape, _DAYS))})")


def day(phrase: str | None, now: datetime) -> str:
    """The day or moment a phrase names, in ISO 8601; empty when it names none."""
    text = (phrase or "")[:200].strip().lower()
    if not text:
        return ""
    if iso := _ISO.search(text):
        return iso[0].replace(" ", "T") + ("Z" if len(iso[0]) > 10 else "")
    at = _AT.search(text)
    found = _date(text[: at.start()].strip() if at else text, now)
    if found is None:
        return ""
    if at is None:
        return found.date().isoformat()
    hour = int(at[1]) % 12 + 12 if at[3] == "pm" else int(at[1])
    if hour > 23:
        return found.date().isoformat()
    return found.replace(hour=hour, minute=int(at[2] or 0), second=0, microsecond=0).isoformat().replace("+00:00", "Z")


def _date(text: str, now: datetime) -> datetime | None:
    text = text.removeprefix("on ").removeprefix("na ").removeprefix("no ")
    if text in _WORDS:
        return now + timedelta(days=_WORDS[text])
    if span := _IN.fullmatch(text):
        count = int(span[1]) if span[1].isdigit() else _SMALL.get(span[1], 1)
        return now + timedelta(days=count * _SPANS.get(span[2], 1))
    if "week" in text or "semana" in text:
        friday = now + timedelta(days=(4 - now.weekday()) % 7)
        ends = text.startswith(("this", "end", "fim"))
        return friday if ends else now + timedelta(days=7 - now.weekday())
    if text.startswith(("end of", "fim d")):
        return (now.replace(day=28) + timedelta(days=4)).replace(day=1) - timedelta(days=1)
    if date := _DATE.search(text):
        return _calendar(int(date[1] or date[4]), _MONTHS[date[2] or date[3]], date[5], now)
    if named := _NAMED.search(text):
        ahead = (_DAYS[named[1]] - now.weekday()) % 7 or 7
        return now + timedelta(days=ahead)
    return None


def _calendar(number: int, month: int, year: str | None, now: datetime) -> datetime | None:
    try:
        found = datetime(int(year or now.year), month, number, tzinfo=now.tzinfo or UTC)
    except ValueError:
        return None
    return found if year or found.date() >= now.date() else found.replace(year=found.year + 1)
