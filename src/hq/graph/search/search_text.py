"""The searchable text of a node: its text, the pieces of it that are indexed, and the words of its name."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from hq.graph.types import Node, choices

WHOLE, PIECE = 600, 400
"""Characters of a text that stays in one piece; what is longer is cut into pieces, at the ends of its sentences."""
MOST = 200
"""Passages of one text at most: what lies behind is not found by its words."""
_ENDS = re.compile(r"\n\s*\n|(?<=[.!?…。])\s+|\n")
_WORD = re.compile(r"[^\W\d_]{3,40}")


@dataclass(frozen=True)
class SearchText:
    """All that a node says, as one text."""

    body: str

    @property
    def hash(self) -> bytes:
        return digest(self.body)

    def passages(self) -> list[str]:
        return list(cut(self.body))[:MOST]


def digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def text_of(model: type[Node] | None, title: str, props: Mapping[str, Any]) -> SearchText:
    """The title's field first, then every other field a person wrote. Ids, choices and times are not words."""
    if model is None or model.redaction == "secret":
        return SearchText(title.strip())
    said = [line for name in _written(model) for line in _strings(props.get(name))]
    lines = [line for line in (part.strip() for part in said) if line]
    if not lines or model.title_field not in _written(model):
        lines.insert(0, title.strip())
    return SearchText("\n".join(dict.fromkeys(lines)))


def name_words(title: str, slug: str) -> set[str]:
    """The words somebody may misspell when looking for it by name."""
    return {word.lower() for word in _WORD.findall(title[:200])} | set(_WORD.findall(slug))


def cut(text: str) -> Iterator[str]:
    """Pieces of about the same size, each of whole sentences as far as it can be."""
    text = text.strip()
    while len(text) > WHOLE:
        ends = [found.end() for found in _ENDS.finditer(text, PIECE // 2, WHOLE)]
        near = min(ends, key=lambda end: abs(end - PIECE)) if ends else text.rfind(" ", PIECE // 2, PIECE)
        at = near if near > 0 else PIECE
        if piece := text[:at].strip():
            yield piece
        text = text[at:].lstrip()
    if text:
        yield text


@cache
def _written(model: type[Node]) -> tuple[str, ...]:
    names = [name for name, info in model.model_fields.items() if _is_written(model, name, info)]
    return tuple(sorted(names, key=lambda name: name != model.title_field))


def _is_written(model: type[Node], name: str, info: FieldInfo) -> bool:
    if (
        name == model.state_field
        or name in model.unsearched
        or name.endswith(("_id", "_ids", "_hash", "_start", "_end"))
        or name == "language"
    ):
        return False
    return not choices(model, name) and _holds_text(info.annotation)


def _holds_text(annotation: Any) -> bool:
    if annotation is str or annotation is Any:
        return True
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return any(_holds_text(info.annotation) for info in annotation.model_fields.values())
    return annotation is not datetime and any(_holds_text(inner) for inner in get_args(annotation))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _strings(inner)
