"""Memory: what is remembered, and since when it was true."""

__all__ = ("confidence", "discretion", "extraction", "known_facts", "types", "verbs")
