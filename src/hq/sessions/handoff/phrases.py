"""Phrases that ask an agent to hand off, as people say it."""

from __future__ import annotations

import re

VERB = r"(?:hand(?:ing)?[\s-]?(?:it\s+|this\s+|everything\s+|your\s+work\s+)?(?:off|over)|pass\s+(?:it|this|your\s+work)\s+on)"
SUCCESSOR = r"(?:a\s+|your\s+)?(?:fresh|new|next)?\s*(?:successor|session|agent|you(?:rself)?|context)"
PHRASES = tuple(
    re.compile(
        rf"^(?:please\s+|can\s+you\s+|could\s+you\s+|you\s+should\s+|it'?s\s+time\s+to\s+)?{each}[\s.!?]*$", re.I
    )
    for each in (
        rf"{VERB}(?:\s+(?:now|please))?",
        rf"{VERB}\s+to\s+{SUCCESSOR}(?:\s+(?:now|please))?",
        r"(?:do|start|begin|trigger|initiate|prepare|write)\s+(?:a|the|your)\s+hand[\s-]?(?:off|over)(?:\s+(?:now|document))?",
        r"(?:time\s+for|let'?s\s+do)\s+a\s+hand[\s-]?(?:off|over)",
        r"(?:bring\s+in|start|spawn|get)\s+(?:a|your)\s+(?:fresh\s+|new\s+)?successor",
        r"your\s+context\s+is\s+(?:nearly\s+|almost\s+)?full,?\s+hand[\s-]?(?:off|over)",
    )
)


def asks_for_handoff(text: str) -> bool:
    """Only where that is all that is said: `hand over the keys to Ana` is work, no handoff."""
    return any(phrase.match(text.strip()) for phrase in PHRASES)
