"""Prompt data: words of somebody else in a prompt, so that none of them is taken for the prompt itself.

A line stays a line, a text stays between its tags, and no words hold a tag that a prompt of ours uses itself.
"""

from __future__ import annotations

import json
import re
from typing import Literal, get_args

Tag = Literal[
    "message",
    "memo",
    "context",
    "company-now",
    "house",
    "trigger",
    "event",
    "task",
    "escalate",
    "system-reminder",
    "environment_context",
    "turn_aborted",
]
"""What a prompt, or what a program says in the place of whoever talks to it, puts between tags."""
_BEGUN = re.compile(rf"<(?=[^\w<>]*(?:{'|'.join(get_args(Tag))})(?![^\W_]))", re.IGNORECASE)
_BRACKETS = str.maketrans("[]", "()")


NOT_TO_ANSWER = "To know, not to answer: "
"""How something begins that was settled without whom it is told to, and comes to them with what is said next."""

PREVIOUS, SO_FAR = "[PREVIOUS CONTEXT]", "What happened so far:"
"""How a summary begins that stands in place of what was said and done: of a long conversation, of a session that goes on."""


def escaped(text: str) -> str:
    """The words without a tag of ours, opening or closing, whatever it says besides its name."""
    return _BEGUN.sub("&lt;", text)


def one_line(text: str) -> str:
    """An item of a list: it begins no heading and no other item."""
    return " ".join(escaped(text).split())


def quoted(text: str) -> str:
    """A name: in quotes, on one line, whatever is in it."""
    return json.dumps(one_line(text), ensure_ascii=False)


def enclosed(tag: Tag, text: str) -> str:
    """Words between two tags, which do not end before them."""
    return f"<{tag}>{escaped(text)}</{tag}>"


def marked(text: str) -> str:
    """A text within another one: every line of it says that it is of somebody else."""
    return "\n".join(f"> {line}".rstrip() for line in escaped(text).splitlines())


def indented(text: str) -> str:
    """What somebody said, after their name: what follows its first line begins no line of anybody else's."""
    return "\n  ".join(escaped(text).splitlines())


def aside(text: str) -> str:
    """What is said only to be known: in brackets, which its words do not close."""
    return f"[{one_line(text).translate(_BRACKETS)}]"
