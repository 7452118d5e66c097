"""Postgres, embedded or not: the server, the schema, the connections. Knows nothing of what is stored."""
