"""An agent's introduction, by the founder, written into its files: what it is called, and lines of its personality."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

DEFINITION, PERSONALITY = "agent.md", "personality.md"
BEGIN, END = "<!-- told by the founder -->", "<!-- end -->"
_BLOCK = re.compile(rf"{re.escape(BEGIN)}.*?{re.escape(END)}\n*", re.S)
_TITLE = re.compile(r"^title: .*\n", re.M)
_NAME = re.compile(r"^name: .*\n", re.M)


def unintroduced(text: str) -> str:
    """A file as it was before anybody was introduced in it."""
    return _BLOCK.sub("", _TITLE.sub("", text, count=1))


def introduced(text: str, *, like: str) -> str:
    """The text with what was told in another one."""
    if title := _TITLE.search(like):
        text = _NAME.sub(lambda name: name.group(0) + title.group(0), text, count=1)
    block = _BLOCK.search(like)
    return block.group(0) + text if block else text


def introduce(folder: Path, *, title: str | None, about: Sequence[str]) -> None:
    """Told anew, it takes the place of what was told before; what people wrote there themselves stays."""
    if title:
        file = folder / DEFINITION
        text = _TITLE.sub("", file.read_text("utf-8"), count=1)
        replace_file(file, _NAME.sub(lambda name: f"{name.group(0)}title: {_plain(title)}\n", text, count=1))
    file = folder / PERSONALITY
    rest = _BLOCK.sub("", file.read_text("utf-8") if file.exists() else "")
    told = "\n".join(f"- {_plain(line)}" for line in about)
    replace_file(file, f"{BEGIN}\n# Who you are here\n\n{told}\n{END}\n\n{rest}" if told else rest)


def _plain(text: str) -> str:
    """One line, and nothing that would end the block."""
    return " ".join(text.split()).replace("-->", "→")


def replace_file(file: Path, text: str) -> None:
    """Written whole or not at all."""
    fresh = file.with_name(f".{file.name}.new")
    fresh.write_text(text, "utf-8")
    fresh.replace(file)
