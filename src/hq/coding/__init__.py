"""Coding agents: a program that writes code is driven in the sandbox, one adapter for each."""

__all__ = (
    "adapters",
    "coding_text",
    "programs",
)
