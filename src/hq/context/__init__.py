"""Context: what a mind is told: who it is, what is known, what came in, and how much of a conversation."""

__all__ = (
    "assembly",
    "company_now",
    "inbound_format",
    "recollection",
    "reconstruction",
    "window",
)
