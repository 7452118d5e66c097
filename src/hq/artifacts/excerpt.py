"""Part of a text that stands for all of it: its beginning and its end, without what a terminal would obey."""

from __future__ import annotations

import unicodedata

KEPT = "\n\t"


def readable(content: bytes) -> str:
    """Bytes as text. Control characters go: they would move a reader's cursor, or hide what stands there."""
    text = content.decode("utf-8", "replace").replace("\r\n", "\n")
    return "".join(c for c in text if c in KEPT or unicodedata.category(c) not in ("Cc", "Cf", "Co", "Cs"))


def excerpt(text: str, limit: int, artifact: str) -> tuple[str, bool]:
    """At most so many characters, and whether some were left out. What matters stands first or last."""
    if len(text) <= limit:
        return text, False
    head, tail = limit - limit // 4, limit // 4
    left_out = len(text) - head - tail
    return f"{text[:head]}\n[… {left_out} characters left out; artifact {artifact} has them …]\n{text[-tail:]}", True
