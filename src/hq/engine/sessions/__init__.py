"""Durable sessions: claimed under a lease, written down step by step, laid down while they wait."""

__all__ = (
    "journal",
    "leases",
    "life",
    "lookup",
    "places",
    "reply",
    "steps",
    "trigger",
)
