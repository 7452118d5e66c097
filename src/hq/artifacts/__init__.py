"""Artifacts, the output of tools: kept whole and by hash, shown in part, and marked as written by others."""

__all__ = (
    "content_text",
    "excerpt",
    "search",
    "store",
)
