"""Durable work on Postgres: sessions and their journal, the announcer, and other pumps."""
