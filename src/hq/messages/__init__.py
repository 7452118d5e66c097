"""Messages between agents, seats and the founder: addressed, delivered, answered, with receipts (003 §2, 002 §33.10)."""

__all__ = (
    "addresses",
    "post",
)
