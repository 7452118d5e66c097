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


def introduce(folder: Path, *, title: str | None, about: Sequence[str]) -> None:
    """Told anew, it takes the place of what was told before; what people wrote there themselves stays."""
    if title:
        file = folder / DEFINITION
        text = _TITLE.sub("", file.read_text("utf-8"), count=1)
        _write(file, _NAME.sub(lambda name: f"{name.group(0)}title: {_plain(title)}\n", text, count=1))
    file = folder / PERSONALITY
    rest = _BLOCK.sub("", file.read_text("utf-8") if file.exists() else "")
    told = "\n".join(f"- {_plain(line)}" for line in about)
    _write(file, f"{BEGIN}\n# Who you are here\n\n{told}\n{END}\n\n{rest}" if told else rest)


def _plain(text: str) -> str:
    """One line, and nothing that would end the block."""
    return " ".join(text.split()).replace("-->", "→")


def _write(file: Path, text: str) -> None:
    fresh = file.with_name(f".{file.name}.new")
    fresh.write_text(text, "utf-8")
    fresh.replace(file)
