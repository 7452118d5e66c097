"""Cron by the clocks of a place: always later, never between, never twice, whatever the clocks do."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from hq.jobs.cron import next_after

ZONES = ("UTC", "Europe/Lisbon", "America/New_York", "America/Sao_Paulo", "Australia/Lord_Howe", "Asia/Kolkata")
moments = st.datetimes(datetime(2024, 1, 1), datetime(2032, 1, 1), timezones=st.just(UTC)).map(
    lambda moment: moment.replace(second=0, microsecond=0)
)
daily = st.tuples(st.integers(0, 59), st.integers(0, 23))


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@settings(max_examples=300)
@given(daily, moments, st.sampled_from(ZONES))
def test_a_day_has_it_once_and_never_earlier(clock, moment, zone):
    minute, hour = clock
    first = next_after(f"{minute} {hour} * * *", moment, zone)
    second = next_after(f"{minute} {hour} * * *", first, zone)

    assert moment < first <= moment + timedelta(hours=49)
    assert timedelta(hours=22) <= second - first <= timedelta(hours=26)
    there = [each.astimezone(ZoneInfo(zone)) for each in (first, second)]
    assert there[1].date() - there[0].date() == timedelta(days=1), "one each day"
    assert any((each.hour, each.minute) == (hour, minute) for each in there), "a gap is only on one of two days"


@settings(max_examples=100)
@given(st.sampled_from(("*/15 * * * *", "0 */2 * * *", "30 7 * * 1-5", "0 4 1 * *")), moments, st.sampled_from(ZONES))
def test_from_any_moment_before_it_the_next_one_is_the_same(cron, moment, zone):
    due = next_after(cron, moment, zone)
    between = moment + (due - moment) / 2

    assert next_after(cron, between, zone) == due
    assert next_after(cron, due - timedelta(minutes=1), zone) == due
    assert next_after(cron, due, zone) > due


@pytest.mark.parametrize(
    ("cron", "after", "expected"),
    [
        ("0 7 * * *", "2026-03-27T08:00", "2026-03-28T07:00"),
        ("0 7 * * *", "2026-03-28T08:00", "2026-03-29T06:00"),  # clocks go forward at 01:00 UTC
        ("0 7 * * *", "2026-10-24T12:00", "2026-10-25T07:00"),  # and back again
        ("30 1 * * *", "2026-03-28T12:00", "2026-03-29T01:00"),  # 01:30 does not exist: right after the gap
        ("30 1 * * *", "2026-10-24T12:00", "2026-10-25T00:30"),  # 01:30 comes twice: the first
        ("30 1 * * *", "2026-10-25T00:30", "2026-10-26T01:30"),  # and not again
        ("0 4 * * 0", "2026-01-01T00:00", "2026-01-04T04:00"),
    ],
)
def test_the_next_occurrence_follows_the_clocks_of_the_place(cron, after, expected):
    assert next_after(cron, utc(after), "Europe/Lisbon") == utc(expected)
