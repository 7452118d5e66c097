"""Asks: one life, one query, one verb to answer, for everything that waits for somebody's word."""

__all__ = (
    "answer",
    "approvals",
    "ask",
    "ask_text",
    "asked_text",
    "authority",
    "desk",
    "effect_text",
    "faces",
    "follow_up",
    "forecast",
    "kinds",
    "open_asks",
    "plain_words",
    "proposals",
    "quotation",
    "snooze",
    "types",
    "withdrawal",
    "word",
)
