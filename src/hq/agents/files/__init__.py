"""Agents are files: how an agent's markdown is read, checked and kept."""

__all__ = (
    "folder",
    "introduction",
)
