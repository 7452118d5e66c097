"""Jobs: whatever runs by itself, by its trigger and by hand through the same handler."""

__all__ = (
    "clock_stop",
    "cron",
    "job",
    "run",
)
