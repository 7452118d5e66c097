"""YAML as a tree that knows its lines. Only what such a document needs: no anchors, no tags, no depth, one document."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from yaml import events

from hq.outside_yaml import YamlSyntaxError, yaml_events

NOTHING = ("", "~", "null", "Null", "NULL")


@dataclass(frozen=True)
class Fault:
    """Something wrong with a document, and where."""

    line: int
    message: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}" if self.line else self.message


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
    return _Grower(yaml_events(text)).document()


class _Grower:
    """Walks the events of the parser, which are no deeper than we take."""

    def __init__(self, stream: Iterator[events.Event]) -> None:
        self._stream = stream

    def document(self) -> Branch:
        tree: Branch | None = None
        for event in self._stream:
            if isinstance(event, events.DocumentStartEvent) and tree is not None:
                raise YamlSyntaxError(_line(event), "a second document begins here; one file is one organisation")
            if not isinstance(event, _OUTER):
                tree = self._branch(event)
        if tree is None:
            raise YamlSyntaxError(1, "the document is empty")
        return tree

    def _branch(self, event: events.Event) -> Branch:
        line = _line(event)
        if isinstance(event, events.ScalarEvent):
            return Scalar(line, event.value, event.style in (None, ""))
        return self._table(line) if isinstance(event, events.MappingStartEvent) else self._rows(line)

    def _table(self, line: int) -> YamlTable:
        entries: dict[str, tuple[int, Branch]] = {}
        for event in self._stream:
            if isinstance(event, events.MappingEndEvent):
                break
            key = self._branch(event)
            if not isinstance(key, Scalar):
                raise YamlSyntaxError(key.line, "a key must be a word")
            if key.text in entries:
                raise YamlSyntaxError(
                    key.line, f"{key.text} is said twice; the first is in line {entries[key.text][0]}"
                )
            entries[key.text] = (key.line, self._branch(next(self._stream)))
        return YamlTable(line, entries)

    def _rows(self, line: int) -> YamlRows:
        items: list[Branch] = []
        for event in self._stream:
            if isinstance(event, events.SequenceEndEvent):
                break
            items.append(self._branch(event))
        return YamlRows(line, items)


_OUTER = (events.StreamStartEvent, events.StreamEndEvent, events.DocumentStartEvent, events.DocumentEndEvent)


def _line(event: events.Event) -> int:
    return event.start_mark.line + 1
