"""A shipment: the agents' files that come with hq, and those of them in a home that nobody has edited since.

`shipped.tsv` has the hash of every text that ever came with hq. A file that says just what one of them said is ours to renew; what the
founder told an agent of itself is put back into it. Anything else is somebody's own, and stays.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from hq.agents.files.introduction import introduced, replace_file, unintroduced

KNOWN = Path(__file__).parent / "shipped.tsv"
HIRED = Path(__file__).parent / "hired.md"
AGENT, ROLE = "agent.md", "CLAUDE.md"


@cache
def known_texts() -> frozenset[tuple[str, str]]:
    """Each file that ever came with hq, with the hash of what it said."""
    lines = KNOWN.read_text("utf-8").splitlines()
    return frozenset((name, digest) for name, _, digest in (line.partition("\t") for line in lines))


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def shipped_texts(shipped: Path) -> dict[str, str]:
    files = (file for file in sorted(shipped.rglob("*.md")) if file.name != "MEMORY.md")
    return {str(file.relative_to(shipped)): file.read_text("utf-8") for file in files}


def renewed(folder: Path, shipped: Path) -> list[str]:
    """Bring the files of a home up to date; says which."""
    changed: list[str] = []
    now = shipped_texts(shipped)
    for name, text in now.items():
        if (ours := _ours(folder, name)) is not None and (new := introduced(text, like=ours)) != ours:
            replace_file(folder / name, new)
            changed.append(name)
    for file in sorted(folder.glob(f"*/{ROLE}")):
        if (name := f"{file.parent.name}/{ROLE}") not in now and _hired_as_it_came(file):
            replace_file(file, HIRED.read_text("utf-8"))
            changed.append(name)
    for name in sorted({name for name, _ in known_texts()} - {*now, HIRED.name}):
        if _ours(folder, name) is not None and not _named(folder, name):
            (folder / name).unlink()
            changed.append(name)
    return changed


def _ours(folder: Path, name: str) -> str | None:
    """What the file says, where it is one of ours as it came."""
    try:
        text = (folder / name).read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    return text if (name, digest(unintroduced(text))) in known_texts() else None


def _hired_as_it_came(file: Path) -> bool:
    """Whether an agent that was hired has the words of an earlier hq; its name stood in them once."""
    text = file.read_text("utf-8", "replace")
    said = "".join(text.partition("## How you work")[1:]) or text
    return (HIRED.name, digest(said)) in known_texts() and text != HIRED.read_text("utf-8")


def _named(folder: Path, name: str) -> bool:
    """Whether somebody's agent is still told it."""
    return any(f"- {name}" in file.read_text("utf-8", "replace") for file in folder.glob(f"*/{AGENT}"))
