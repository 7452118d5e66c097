"""Postgres, embedded or not: the server, the schema, the connections. Knows nothing of what is stored."""

__all__ = (
    "address",
    "connection",
    "embedded",
    "migrate",
    "queries",
    "rows",
    "schema_history",
)
