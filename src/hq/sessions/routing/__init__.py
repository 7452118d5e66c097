"""Routing of messages: what the founder wants, told from labelled examples on this machine, in well under a
millisecond (001 §2.3)."""

__all__ = ("router",)
