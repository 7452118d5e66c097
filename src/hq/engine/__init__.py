"""Durable work on Postgres: the announcer and other duties."""
