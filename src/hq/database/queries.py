"""SQL lives in `.sql` files: each query a `-- name:` line, a sentence, the statement."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import LiteralString, cast

_NAME = re.compile(r"^-- name: (\w+)\s*$", re.MULTILINE)


@cache
def load(file: Path) -> dict[str, LiteralString]:
    """Every named query of a file. What is in the tree is ours, so it may be treated as literal."""
    parts = _NAME.split(file.read_text("utf-8"))
    return {
        name: cast(LiteralString, body.strip().rstrip(";")) for name, body in zip(parts[1::2], parts[2::2], strict=True)
    }


def beside(module_file: str, name: str = "queries.sql") -> dict[str, LiteralString]:
    """The queries in the `.sql` file next to a module: `SQL = beside(__file__)`."""
    return load(Path(module_file).with_name(name))
