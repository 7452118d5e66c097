"""Missions: what is to be done, by whom, within what, and what proves that it was."""

__all__ = (
    "delivery",
    "files",
    "life",
    "output",
    "progress",
)
