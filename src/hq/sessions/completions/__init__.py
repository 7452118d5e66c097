"""Completions: a program talks to an agent as to a model. Each request is a session of its own, apart from the founder's thread."""

__all__ = (
    "completion",
    "request",
    "text_limit",
    "view",
)
