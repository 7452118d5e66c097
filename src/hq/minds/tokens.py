"""About how many tokens a text is, without a tokenizer: near enough to budget by, and never a download."""

from __future__ import annotations

BYTES_PER_TOKEN = 3.6


def estimate(text: str) -> int:
    return round(len(text.encode()) / BYTES_PER_TOKEN)
