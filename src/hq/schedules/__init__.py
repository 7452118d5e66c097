"""Schedules, which start things by the clock: in words or as cron."""

__all__ = ("verbs",)
