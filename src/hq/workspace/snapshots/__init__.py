"""Snapshots: a tree as it was, kept by the hash of its content, so that two can be compared, merged and brought back."""

__all__ = (
    "blobs",
    "changes",
    "entries",
    "lookup",
    "threads",
)
