"""Workers: disposable sessions that do one task with a prompt and tools of their own, and leave artifacts (001 §3.3, §6.2)."""

__all__ = (
    "record",
    "spawn",
    "verbs",
    "worker_text",
)
