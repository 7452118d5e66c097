"""Markdown, a line at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

NOTE = "<!-- Made by scripts/reference from the code. Change the code, then run `make docs`. -->"


def head(title: str, intro: str) -> Iterator[str]:
    yield NOTE
    yield ""
    yield f"# {title}"
    yield ""
    yield intro.strip()
    yield ""


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(columns)} |"
    yield f"|{'---|' * len(columns)}"
    for row in rows:
        yield f"| {' | '.join(cell.replace(chr(10), ' ') for cell in row)} |"
    yield ""


def paragraph(text: str) -> str:
    return " ".join(text.split())


def codes(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def link(text: str, to: str) -> str:
    return f"[{text}]({to})"


def anchor(heading: str) -> str:
    """What GitHub makes of a heading."""
    kept = "".join(char for char in heading.lower() if char.isalnum() or char in " -_")
    return kept.replace(" ", "-")
