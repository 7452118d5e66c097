"""JSON without a shape is read at the edges alone; `json_edges.tsv` says in which files, and how often, and that only shrinks.

`HQ_PIN=1` takes smaller numbers over. A greater one is written by hand, by who can say which edge it is."""

from __future__ import annotations

import ast
import os
from collections import Counter
from pathlib import Path

SRC = Path(__file__).parents[2] / "src" / "hq"
PINNED = Path(__file__).with_name("json_edges.tsv")


def _uses(file: Path) -> int:
    """How often a file says `JsonObject`, or `dict[str, Any]`, which is the same under its own name."""
    return sum(
        (isinstance(node, ast.Name) and node.id == "JsonObject")
        or (isinstance(node, ast.Subscript) and ast.unparse(node) == "dict[str, Any]")
        for node in ast.walk(ast.parse(file.read_text()))
    )


def test_json_without_a_shape_stays_at_the_edges():
    found = Counter({str(file.relative_to(SRC)): _uses(file) for file in SRC.rglob("*.py")})
    pinned = Counter({name: int(many) for name, many in map(str.split, PINNED.read_text().splitlines())})
    if os.environ.get("HQ_PIN"):
        pinned &= found
        PINNED.write_text("".join(f"{name}\t{many}\n" for name, many in sorted(pinned.items())))

    assert dict(found - pinned) == {}, "give it a dataclass, a model or a TypedDict; door/json_shape.py says how"
    assert dict(pinned - found) == {}, "it became less: run this with HQ_PIN=1"
