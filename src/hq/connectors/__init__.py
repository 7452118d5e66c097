"""Other servers' tools behind the same door: declared, pinned, gated, and tainted on the way in."""

__all__ = (
    "offer",
    "program",
)
