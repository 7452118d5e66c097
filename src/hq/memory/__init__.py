"""Memory: what is remembered, and since when it was true."""

__all__ = (
    "confidence",
    "extraction",
    "known_facts",
    "types",
    "verbs",
)
