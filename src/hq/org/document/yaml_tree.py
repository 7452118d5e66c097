"""YAML as a tree that knows its lines. Only what such a document needs: no anchors, no tags, no depth, one document."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import yaml
from yaml import events

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
DEEPEST = 12
NOTHING = ("", "~", "null", "Null", "NULL")


@dataclass(frozen=True)
class Fault:
    """Something wrong with a document, and where."""

    line: int
    message: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}" if self.line else self.message


class YamlSyntaxError(Exception):
    """It is not even a tree."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.fault = Fault(line, message)


@dataclass(frozen=True)
class Scalar:
    line: int
    text: str
    plain: bool = True

    @property
    def nothing(self) -> bool:
        return self.plain and self.text in NOTHING


@dataclass(frozen=True)
class YamlTable:
    line: int
    entries: dict[str, tuple[int, Branch]] = field(default_factory=dict)
    """By key: the line of the key, and what it leads to."""


@dataclass(frozen=True)
class YamlRows:
    line: int
    items: list[Branch] = field(default_factory=list)


Branch = Scalar | YamlTable | YamlRows


def grow(text: str) -> Branch:
    """The tree of a document; `YamlSyntaxError` says where it is none."""
    try:
        return _Grower(yaml.parse(text, Loader=_LOADER)).document()
    except yaml.reader.ReaderError as error:
        line = text[: error.position].count("\n") + 1
        raise YamlSyntaxError(line, f"the character {error.character!r} is not allowed in YAML") from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise YamlSyntaxError(mark.line + 1 if mark else 1, f"not YAML: {error.problem or error.context}") from error
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        raise YamlSyntaxError(1, f"not YAML: {error}") from error


class _Grower:
    """Walks the parser's events, which come flat, so that no nesting can be too deep for us."""

    def __init__(self, stream: Iterator[events.Event]) -> None:
        self._stream = stream

    def document(self) -> Branch:
        tree: Branch | None = None
        for event in self._stream:
            if isinstance(event, events.DocumentStartEvent) and tree is not None:
                raise YamlSyntaxError(_line(event), "a second document begins here; one file is one organisation")
            if not isinstance(event, _OUTER):
                tree = self._branch(event, 1)
        if tree is None:
            raise YamlSyntaxError(1, "the document is empty")
        return tree

    def _branch(self, event: events.Event, depth: int) -> Branch:
        line = _line(event)
        if depth > DEEPEST:
            raise YamlSyntaxError(line, "nested too deep; an organisation is never that deep")
        if isinstance(event, events.AliasEvent) or getattr(event, "anchor", None) is not None:
            raise YamlSyntaxError(line, "anchors and aliases (& and *) are not taken; write it out")
        if (tag := getattr(event, "tag", None)) not in (None, "!"):
            raise YamlSyntaxError(line, f"the tag {tag} is not taken; leave it out")
        if isinstance(event, events.ScalarEvent):
            return Scalar(line, event.value, event.style in (None, ""))
        return self._table(line, depth) if isinstance(event, events.MappingStartEvent) else self._rows(line, depth)

    def _table(self, line: int, depth: int) -> YamlTable:
        entries: dict[str, tuple[int, Branch]] = {}
        for event in self._stream:
            if isinstance(event, events.MappingEndEvent):
                break
            key = self._branch(event, depth + 1)
            if not isinstance(key, Scalar):
                raise YamlSyntaxError(key.line, "a key must be a word")
            if key.text in entries:
                raise YamlSyntaxError(
                    key.line, f"{key.text} is said twice; the first is in line {entries[key.text][0]}"
                )
            entries[key.text] = (key.line, self._branch(next(self._stream), depth + 1))
        return YamlTable(line, entries)

    def _rows(self, line: int, depth: int) -> YamlRows:
        items: list[Branch] = []
        for event in self._stream:
            if isinstance(event, events.SequenceEndEvent):
                break
            items.append(self._branch(event, depth + 1))
        return YamlRows(line, items)


_OUTER = (events.StreamStartEvent, events.StreamEndEvent, events.DocumentStartEvent, events.DocumentEndEvent)


def _line(event: events.Event) -> int:
    return event.start_mark.line + 1
