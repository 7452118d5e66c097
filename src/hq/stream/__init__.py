"""Following: one cursor, one filter, one hub that pushes; whatever somebody follows is a view on it."""

__all__ = (
    "cursor",
    "event",
    "events_view",
    "follow",
    "hub",
    "opened",
    "topics",
)
