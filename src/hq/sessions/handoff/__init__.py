"""Handing work on: a document of six sections, a successor that begins with it, a predecessor that lives on (003 §0.3)."""

__all__ = (
    "phrases",
    "verbs",
)
