"""Rhythm of a schedule: as people say it in either language, as another one is made of it, and as it is read out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from cronsim import CronSim

from hq.calendar_words import WEEKDAYS
from hq.minds.scripted.functions import on

OFTEN = (
    r"(?:(?:every|each|daily|weekly|monthly|hourly|on weekdays|weekdays|on (?:mon|tues|wednes|thurs|fri|satur|sun)days)\b.*?"
    r"|(?:todos os|todas as|cada|diariamente|semanalmente|mensalmente)\b.*?)"
)
"""A pattern for what comes again and again, for scripts."""
_ENGLISH = (
    (r"(?:todos os|cada) dias? úte(?:is|l)|nos dias úteis", "every weekday"),
    (r"todos os dias|cada dia|diariamente", "every day"),
    (r"todas as semanas|cada semana|semanalmente", "every week"),
    (r"todos os meses|cada mês|mensalmente", "every month"),
    (r"todas as horas|cada hora", "every hour"),
    (r"(?:todas as|todos os|cada|à|às) (segunda|terça|quarta|quinta|sexta|sábado|domingo)s?(?:-feiras?)?", r"every \1"),
    (r"\b(?:às|as|pelas) (\d{1,2})(?:h|:)(\d\d)\b", r"at \1:\2"),
    (r"\b(?:às|as|pelas) (\d{1,2})(?: ?h(?:oras)?)?\b", r"at \1"),
    (r"\b(?:de|da|pela) manhã\b", "in the morning"),
    (r"\b(?:da|à) tarde\b", "in the afternoon"),
    (r"\bamanhã\b", "tomorrow"),
    (r"\bhoje\b", "today"),
)
_NAMES = list(WEEKDAYS)[:7]
_CLOCK = re.compile(r"\b(?:at|to|às|as|para as)? ?(\d{1,2})(?:[:h](\d\d))? ?(am|pm|o'?clock|horas)?\b")
_SPAN = r"\b(?:weeks?|weekly|seman|months?|monthly|mens|mês|hourly|every hour|hora em hora|de hora)"
"""Words for how often, beside the days that are named."""
_EACH = {
    r"\b(?:weekday|workday|dias? úte)": "1-5",
    r"\b(?:weekend|fim de semana)": "0,6",
    r"\b(?:daily|every day|each day|diári|todos os dias)": "*",
}


def in_english(phrase: Any) -> str:
    """When, in the words that schedules are kept in."""
    said = str(phrase or "").lower().strip()
    for pattern, english in _ENGLISH:
        said = re.sub(pattern, english, said)
    for name, number in WEEKDAYS.items():
        said = re.sub(rf"\b{name}\b", _NAMES[number], said)
    return said


def changed(schedule: Any, words: str, now: datetime) -> str:
    """Another rhythm for the same: with what the words say, and the rest as it was, so that every week is on the day on which it
    comes next. What comes once and is given another hour still comes once, on its day. Nothing where they say neither days nor a time,
    or a time that does not exist."""
    cron = str(schedule.get("cron") or "").split() if isinstance(schedule, Mapping) else []
    comes = _comes(schedule, now)
    minute, hour, date, _, days = cron if len(cron) == 5 else (str(comes.minute), str(comes.hour), "*", "*", "*")
    said = str(words).lower()
    once = isinstance(schedule, Mapping) and bool(schedule.get("once_at"))
    rhythmic = any(re.search(pattern, said) for pattern in (*_EACH, _SPAN, *(rf"\b{name}s?\b" for name in WEEKDAYS)))
    if once and not rhythmic and (clock := _time(said)):
        return f"{comes:%Y-%m-%d} at {clock[0]:02}:{clock[1]:02}"
    if each := next((days for pattern, days in _EACH.items() if re.search(pattern, said)), None):
        date, days = "*", each
    elif named := [n for name, n in WEEKDAYS.items() if re.search(rf"\b{name}s?\b", said)]:
        date, days = "*", ",".join(str((n + 1) % 7) for n in sorted(set(named)))
    elif re.search(r"\b(?:week|seman)", said):
        date, days = "*", days if days.isdigit() else str(comes.isoweekday() % 7)
    elif re.search(r"\b(?:month|mens|mês)", said):
        date, days = date if date.isdigit() else str(comes.day), "*"
    elif re.search(r"\b(?:hour|hora em hora|de hora)", said) and not _CLOCK.search(said):
        return "0 * * * *"
    elif not _CLOCK.search(said):
        return ""
    if _CLOCK.search(said):
        if (clock := _time(said)) is None:
            return ""
        hour, minute = str(clock[0]), str(clock[1])
    return f"{int(minute) if minute.isdigit() else minute} {hour} {date} * {days}"


def _time(said: str) -> tuple[int, int] | None:
    """The hour and the minute that words say; nothing where they say none, or one that does not exist."""
    if (clock := _CLOCK.search(said)) is None:
        return None
    hour = int(clock[1]) % 12 + 12 if clock[3] == "pm" else int(clock[1])
    minute = int(clock[2] or 0)
    return (hour, minute) if hour < 24 and minute < 60 else None


def _comes(schedule: Any, now: datetime) -> datetime:
    """When a schedule starts next, by the clocks of its place; a moment of its own that is over says its day and hour as well."""
    if not isinstance(schedule, Mapping):
        return now.replace(hour=7, minute=0)
    local = now.astimezone(ZoneInfo(str(schedule.get("timezone") or "UTC")))
    if once := schedule.get("once_at"):
        return datetime.fromisoformat(str(once)).astimezone(local.tzinfo)
    if cron := schedule.get("cron"):
        return next(CronSim(str(cron), local))
    return local.replace(hour=7, minute=0)


def rhythm(schedule: Any, language: str = "en") -> str:
    """When a schedule starts, as it is read out."""
    if not isinstance(schedule, Mapping):
        return ""
    if schedule.get("once_at"):
        return on(schedule["once_at"])
    cron = str(schedule.get("cron") or "").split()
    if len(cron) != 5 or not (cron[0].isdigit() and cron[1].isdigit()):
        return str(schedule.get("cron") or "")
    minute, hour, date, _, days = cron
    english, portuguese = {"1-5": ("every weekday", "dias úteis"), "0,6": ("every weekend", "fins de semana")}.get(
        days, ("every day", "todos os dias")
    )
    if date != "*":
        english, portuguese = f"every month on the {date}.", f"todos os meses no dia {date}"
    elif re.fullmatch(r"[0-6](?:,[0-6])*", days) and days != "0,6":
        named = [(int(day) - 1) % 7 for day in days.split(",")]
        english = "every " + " and ".join(_NAMES[day].capitalize() for day in named)
        portuguese = "todas as semanas: " + ", ".join(list(WEEKDAYS)[7 + day] for day in named)
    at = f"{int(hour):02}:{int(minute):02}"
    return f"{portuguese} às {at}" if language == "pt" else f"{english} at {at}"


def other_day(schedule: Any, words: str, date: str, now: datetime) -> str:
    """The same on another day: at its hour where none is said, and on that day of the week where it comes again and again."""
    if not isinstance(schedule, Mapping) or not date:
        return date
    if schedule.get("cron"):
        number = (datetime.fromisoformat(date[:10]).weekday() + 1) % 7
        minute, hour = str(schedule["cron"]).split()[:2]
        clock = re.search(r"T(\d\d):(\d\d)", date)
        return f"{int(clock[2])} {int(clock[1])} * * {number}" if clock else f"{minute} {hour} * * {number}"
    return date if len(date) > len("2026-01-01") else f"{date} at {_comes(schedule, now):%H:%M}"


def later_times(said: Any, thing: Any) -> list[str]:
    """Next times at which a time of today comes again that is over, in the words that ask for a reminder then."""
    clock = re.search(r"\b(\d{1,2})(?:[:h](\d\d))? ?(am|pm)?\s*$", str(said or "").strip().lower())
    if clock is None or re.search(r"\d{4}-\d\d", str(said)):
        return []
    hour, minute = int(clock[1]), clock[2] or "00"
    ways = [f"remind me at {hour + 12}:{minute} to {thing}"] if not clock[3] and 0 < hour < 12 else []
    return [*ways, f"remind me tomorrow at {hour}:{minute}{clock[3] or ''} to {thing}"]
