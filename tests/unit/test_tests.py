"""The tests: a folder for each room or face, and what several folders use is in `tests/support`."""

from __future__ import annotations

import ast
from pathlib import Path

TESTS = Path(__file__).parents[1]
SOURCE = TESTS.parent / "src" / "hq"
BESIDE = {
    "bench": "the measurements run",
    "crash": "killed at any instant",
    "docs": "the pages are true",
    "processes": "what starts `hq`",
    "stories": "what crosses rooms",
    "support": "what tests share",
    "unit": "contracts on the tree",
}
FOLDERS = {each.name for each in TESTS.iterdir() if each.is_dir() and each.name != "__pycache__"}


def test_every_folder_of_tests_is_that_of_a_room_or_said_here():
    assert {name for name in FOLDERS - set(BESIDE) if not (SOURCE / name / "__init__.py").exists()} == set()


def test_folders_share_only_what_is_in_support():
    assert [
        f"{file.relative_to(TESTS)} imports {node.module}"
        for file in sorted(TESTS.rglob("*.py"))
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tests.") and node.module
        if node.module.split(".")[1] not in ("support", file.relative_to(TESTS).parts[0])
    ] == []
