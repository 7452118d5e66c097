"""Asks: one life, one query, one verb to answer, for everything that waits for somebody's word."""
