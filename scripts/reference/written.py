"""Events as they stand in the source, read from its syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import hq

SOURCE = Path(hq.__file__).parent


@dataclass(frozen=True, order=True)
class Said:
    """An event, the code that emits it, and the keys it carries."""

    topic: str
    by: str
    payload: tuple[str, ...]


def written() -> Iterator[Said]:
    """Every `tx.emit("topic", …)` and `{"topic": …}` whose topic can be read."""
    for file in sorted(SOURCE.rglob("*.py")):
        module = ".".join(("hq", *file.relative_to(SOURCE).with_suffix("").parts))
        for function, node in _within(ast.parse(file.read_text("utf-8"))):
            if said := _emit(node) or _literal(node):
                topic, payload = said
                yield Said(topic, f"`{module}.{function}`", payload)


def _within(tree: ast.AST, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ast.AST]]:
    """Every node with the dotted name of the function it stands in."""
    for node in ast.iter_child_nodes(tree):
        named = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        inner = (*path, node.name) if named else path  # type: ignore[attr-defined]
        yield ".".join(inner), node
        yield from _within(node, inner)


def _emit(node: ast.AST) -> tuple[str, tuple[str, ...]] | None:
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "emit"):
        return None
    topic = _topic(node.args[0]) if node.args else None
    return (topic, tuple(word.arg for word in node.keywords if word.arg)) if topic else None


def _literal(node: ast.AST) -> tuple[str, tuple[str, ...]] | None:
    if not isinstance(node, ast.Dict):
        return None
    parts = {
        key.value: value for key, value in zip(node.keys, node.values, strict=True) if isinstance(key, ast.Constant)
    }
    topic, payload = _topic(parts.get("topic")), parts.get("payload")
    keys = payload.keys if isinstance(payload, ast.Dict) else []
    return (topic, tuple(str(key.value) for key in keys if isinstance(key, ast.Constant))) if topic else None


def _topic(node: ast.AST | None) -> str | None:
    """A plain string, or one with holes: `<type>.status_changed`."""
    match node:
        case ast.Constant(value=str() as text):
            return text
        case ast.JoinedStr(values=values):
            return "".join(str(v.value) if isinstance(v, ast.Constant) else f"<{_hole(v)}>" for v in values)
    return None


def _hole(node: ast.AST) -> str:
    return ast.unparse(node.value).rpartition(".")[2] if isinstance(node, ast.FormattedValue) else "?"
