"""Quiet hours by the clocks of a place, on the nights on which they change too."""

from __future__ import annotations

from datetime import UTC, datetime, time

import pytest

from hq.ceo.quiet_hours import quiet_until

NIGHT = (time(22), time(7))


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("now", "until"),
    [
        ("2026-01-01T21:59", None),
        ("2026-01-01T22:00", "2026-01-02T07:00"),
        ("2026-01-02T06:59", "2026-01-02T07:00"),
        ("2026-01-02T07:00", None),
        ("2026-03-28T23:00", "2026-03-29T06:00"),  # clocks go forward in Lisbon
        ("2026-03-29T06:00", None),
        ("2026-10-24T21:00", "2026-10-25T07:00"),  # and back again
        ("2026-10-25T06:30", "2026-10-25T07:00"),
    ],
)
def test_the_night_ends_at_seven_whatever_the_clocks_did(now, until):
    assert quiet_until(utc(now), "Europe/Lisbon", *NIGHT) == (utc(until) if until else None)


def test_a_siesta_is_within_one_day():
    assert quiet_until(utc("2026-01-01T13:30"), "UTC", time(13), time(15)) == utc("2026-01-01T15:00")
    assert quiet_until(utc("2026-01-01T15:00"), "UTC", time(13), time(15)) is None


def test_no_hours_are_never_quiet():
    assert quiet_until(utc("2026-01-01T03:00"), "UTC", None, None) is None
