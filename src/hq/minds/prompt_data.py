"""Prompt data: words of a node or of a message in a prompt, so that none of them is taken for the prompt itself."""

from __future__ import annotations

import json
import re


def quoted(text: str) -> str:
    """A name: in quotes, on one line, whatever is in it."""
    return json.dumps(text, ensure_ascii=False)


def one_line(text: str) -> str:
    """An item of a list: it begins no heading and no other item."""
    return " ".join(text.split())


def enclosed(tag: str, text: str) -> str:
    """Words between two tags, which do not end before them."""
    return f"<{tag}>{re.sub(f'<(?=/{tag})', '&lt;', text, flags=re.IGNORECASE)}</{tag}>"
