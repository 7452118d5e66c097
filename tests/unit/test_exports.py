"""Exports: a package says in `__all__` which of its modules others use, and nobody imports another, be it by name in a string. What
nobody uses is not said, so the list is what to think of when a room changes. A room's queries and their rows are its own."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src"
FREE = {"hq.app", "hq.rooms", "hq.__main__"}
"""The composition root, which knows the adapters."""
ROOTS = sorted(file.parent.name for file in (SOURCE / "hq").glob("*/__init__.py"))
NAMED = re.compile(r"(hq(?:\.\w+)+)(?::\w+)?")


@cache
def uses() -> dict[str, set[str]]:
    """The modules that others than those of their own package use, and who does."""
    found: dict[str, set[str]] = {}
    for file in (SOURCE / "hq").rglob("*.py"):
        here = ".".join(file.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
        for module in _imported(file):
            if here not in FREE and module.count(".") > 1 and _root(module) != _root(here):
                found.setdefault(module, set()).add(here)
    return found


def _root(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def _imported(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text())):
        match node:
            case ast.Import():
                yield from (each.name for each in node.names if each.name.startswith("hq."))
            case ast.ImportFrom(module=str(module)) if module.partition(".")[0] == "hq":
                yield from (_module(f"{module}.{each.name}") or module for each in node.names)
            case ast.Constant(value=str(text)) if (named := NAMED.fullmatch(text)) and (known := _module(named[1])):
                yield known
            case _:
                pass


def _module(name: str) -> str | None:
    path = SOURCE.joinpath(*name.split("."))
    return name if path.with_suffix(".py").exists() or (path / "__init__.py").exists() else None


def exported(module: str) -> bool:
    """Every package on the way to it says so."""
    parts = module.split(".")
    return all(parts[at] in getattr(import_module(".".join(parts[:at])), "__all__", ()) for at in range(2, len(parts)))


@pytest.mark.parametrize("root", ROOTS)
def test_others_use_only_what_a_package_exports(root):
    assert {m: sorted(by) for m, by in uses().items() if _root(m) == root and not exported(m)} == {}


@pytest.mark.parametrize("root", ROOTS)
def test_a_package_exports_only_what_others_use(root):
    packages = [".".join(file.parent.relative_to(SOURCE).parts) for file in (SOURCE / "hq" / root).rglob("__init__.py")]
    said = {
        f"{package}.{name}"
        for package in packages
        for name in getattr(import_module(package), "__all__", ())
        if _module(f"{package}.{name}") and not callable(getattr(import_module(package), name, None))
    }
    used = {".".join(m.split(".")[: at + 1]) for m in uses() if _root(m) == root for at in range(2, m.count(".") + 1)}

    assert said - used == set()


def test_a_rooms_queries_and_their_rows_are_its_own():
    assert {
        module: by for module, by in uses().items() if module.endswith(".rows") and _root(module) != "database"
    } == {}
    assert list(_borrowed_queries()) == []


def _borrowed_queries() -> Iterator[str]:
    for file in (SOURCE / "hq").rglob("*.py"):
        here = file.relative_to(SOURCE).parts[1]
        for node in ast.walk(ast.parse(file.read_text())):
            match node:
                case ast.ImportFrom(module=str(module)) if module.startswith("hq.") and _root(module) != here:
                    yield from (f"{file.name}: {module}.SQL" for each in node.names if each.name == "SQL")
                case ast.Call(func=ast.Name(id="beside"), args=[ast.Attribute(), *_]):
                    yield f"{file.name}: {ast.unparse(node)}"
                case _:
                    pass
