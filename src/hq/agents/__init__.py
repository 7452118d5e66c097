"""Agents: who works here. Their files, hiring, control, beats, and what wakes them."""

__all__ = (
    "context_text",
    "context_verbs",
    "control",
    "event_router",
    "files",
    "granted_verbs",
    "hire",
    "loader",
    "presence",
    "wakeup",
    "worker_process",
)
