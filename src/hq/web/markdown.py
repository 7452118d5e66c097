"""Markdown that a model wrote, as HTML that can do nothing: one renderer and one sanitiser, also while it streams."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape

import nh3
from markdown_it import MarkdownIt

# Whoever writes into a conversation means the ends of lines.
_MARKDOWN = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"])
_TAGS = frozenset(
    "p br hr strong em s code pre blockquote ul ol li table thead tbody tr th td h1 h2 h3 h4 h5 h6 a".split()  # noqa: SIM905
)
_ATTRIBUTES = {"a": {"href", "title"}, "ol": {"start"}, "code": {"class"}}
_SCHEMES = {"http", "https", "mailto"}
_MARKUP = re.compile(r"[*_\[\]|`<&!~]|^[ >]*(?:[-+#]|\d{1,9}[.)])", re.MULTILINE)
MOST_MARKUP = 6_000
"""The time that a text takes to render grows with this. A page of words has some; a table of a thousand rows has these."""


def html(text: str) -> str:
    """Pictures are left out: to load one would tell somebody that it was read. What is more marks than text is shown as it is."""
    if len(_MARKUP.findall(text)) > MOST_MARKUP:
        return f'<pre tabindex="0">{escape(text)}</pre>'
    clean = nh3.clean(
        _MARKDOWN.render(text),
        tags=set(_TAGS),
        attributes=_ATTRIBUTES,
        url_schemes=_SCHEMES,
        link_rel="noopener noreferrer nofollow",
    )
    return clean.replace("<pre>", '<pre tabindex="0">')  # what scrolls sideways must be reachable by keyboard


@dataclass(frozen=True)
class MarkdownUpdate:
    fresh: bool
    """What was shown before has to go."""
    blocks: str
    """HTML of blocks that are finished: to be added."""
    tail: str
    """HTML of the block under way: in place of the one before."""


class StreamingMarkdown:
    """Renders a text while it grows. What is finished is rendered once; only the last block again and again."""

    def __init__(self) -> None:
        self._done = ""

    def became(self, text: str) -> MarkdownUpdate:
        fresh = not text.startswith(self._done)
        if fresh:
            self._done = ""
        cut = _last_break(text, len(self._done))
        blocks = text[len(self._done) : cut]
        self._done = text[:cut]
        return MarkdownUpdate(fresh, html(blocks) if blocks.strip() else "", html(_showable(text[cut:])))


def _last_break(text: str, start: int) -> int:
    """Behind the last blank line that is not inside a fence."""
    cut = text.rfind("\n\n", start)
    while cut >= start:
        fences = text.count("\n```", start, cut + 1) + text.startswith("```", start)
        if fences % 2 == 0:
            return cut + 2
        cut = text.rfind("\n\n", start, cut)
    return start


def _showable(tail: str) -> str:
    """A table of which only the head is there would be shown as a line of bars."""
    return "" if tail.lstrip().startswith("|") and tail.count("\n") < 2 else tail
