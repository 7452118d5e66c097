"""The page of the settings, from the docstrings of `Settings`."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator

from hq.settings import Settings
from scripts.reference.markdown import head, table

INTRO = """
Everything is set by the environment. There is no configuration file.
"""
# Read outside Settings, because they must work before, or without, anything else of hq.
BESIDE = {
    "HQ_DEBUG": "1 makes the command line print the whole traceback of what went wrong.",
    "NO_COLOR": "Any text turns colours off on a terminal.",
    "COLUMNS": "How wide the terminal is taken to be, instead of what it says itself.",
}


def page() -> Iterator[str]:
    yield from head("Settings", INTRO)
    loaded = Settings.load({"HQ_HOME": "/nowhere"})
    rows = []
    for field, (name, says) in documented().items():
        value = getattr(loaded, field)
        shown = "" if field == "home" or value in (None, (), False) else f"`{value}`"
        rows.append((f"`{name}`", shown, says))
    yield from table(("variable", "default", "meaning"), rows)
    yield "## Beside them"
    yield ""
    yield from table(("variable", "meaning"), [(f"`{name}`", says) for name, says in BESIDE.items()])


def documented() -> dict[str, tuple[str, str]]:
    """For every field of Settings the variable and the meaning its docstring gives it."""
    tree = ast.parse(inspect.getsource(Settings)).body[0]
    assert isinstance(tree, ast.ClassDef)
    found = {}
    for field, text in zip(tree.body, tree.body[1:], strict=False):
        match field, text:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str() as says)):
                variable, _, meaning = says.partition(": ")
                found[name] = (variable, meaning)
    return found
