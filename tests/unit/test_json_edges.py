"""JSON without a shape has the name of its edge, from `json_types.py`: nobody else says `dict[str, Any]`, and few say `JsonObject`."""

from __future__ import annotations

import ast
import re
from pathlib import Path

SRC = Path(__file__).parents[2] / "src" / "hq"
EDGES = SRC / "json_types.py"
UNKNOWN = {
    "api/openai/fields.py": "labels that a program wants kept, and settings for whichever provider: passed on as they came",
    "asks/proposals.py": "what speaks for a proposal is its author's to say",
    "cli/logs.py": "a line of a log says what whoever logged it had to say",
    "door/json_shape.py": "the schema of any shape says no more than that it is an object",
    "sessions/completions/request.py": "those labels and settings, as `client.ask` takes them",
}
"""Who says `JsonObject`, and why nobody could say more."""


def _sources() -> dict[str, ast.Module]:
    files = (file for file in SRC.rglob("*.py") if file != EDGES)
    return {str(file.relative_to(SRC)): ast.parse(file.read_text()) for file in files}


def test_nobody_makes_an_edge_of_their_own():
    says = {
        f"{name}:{node.lineno}"
        for name, tree in _sources().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Subscript) and ast.unparse(node) in ("dict[str, Any]", "Dict[str, Any]")
    }

    assert says == set(), "give it a dataclass, a model or a TypedDict (door/json_shape.py says how), or name its edge"


def test_json_of_which_nobody_knows_the_keys_is_rare():
    says = {
        name
        for name, tree in _sources().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and node.id == "JsonObject"
    }

    assert says == set(UNKNOWN)


def test_every_edge_is_one():
    named = set(re.findall(r"^(\w+) = dict\[str, Any\]$", EDGES.read_text(), re.MULTILINE))
    used = {node.id for tree in _sources().values() for node in ast.walk(tree) if isinstance(node, ast.Name)}

    assert named and named <= used
