"""The skills that come with hq: there for every company, and its own once enabled."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from hq.skills.folder import Folder, read_folder
from hq.skills.types import SkillFile

HERE = Path(__file__).with_name("shipped")


@cache
def shipped() -> dict[str, dict[str, bytes]]:
    """By name, the files of each."""
    return {
        folder.name: {
            str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()
        }
        for folder in sorted(HERE.iterdir())
        if (folder / "SKILL.md").is_file()
    }


@cache
def shipped_folder(name: str) -> Folder:
    return read_folder(shipped()[name])


def is_shipped(name: str, files: Sequence[SkillFile]) -> bool:
    """Whether it is, byte for byte, one of ours: only those run on the machine of hq itself."""
    ours = {path: hashlib.sha256(content).hexdigest() for path, content in shipped().get(name, {}).items()}
    return bool(ours) and ours == {file.path: file.hash for file in files}
