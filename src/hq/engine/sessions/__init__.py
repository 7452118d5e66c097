"""Durable sessions: claimed under a lease, written down step by step, laid down while they wait."""

__all__ = (
    "journal",
    "leases",
    "lookup",
    "places",
    "reply",
    "steps",
    "trigger",
)
