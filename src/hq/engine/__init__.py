"""Durable work on Postgres: sessions and their journal, the announcer, and other pumps."""

__all__ = (
    "announcer",
    "duty",
    "house",
    "indexer",
    "session_waker",
    "sessions",
    "tenancy",
)
