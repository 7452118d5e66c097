"""Server-sent events: the one encoder and the one parser of the format."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple


class SentEvent(NamedTuple):
    """One event off the wire."""

    name: str
    data: str
    id: str | None = None

    def json(self) -> Any:
        return json.loads(self.data)


def encode(data: Mapping[str, Any] | bytes, name: str | None = None, id: str | None = None) -> bytes:
    """One event as bytes. Data that is bytes already is one line and stands as it is."""
    head = (f"event: {name}\n" if name else "") + (f"id: {id}\n" if id is not None else "")
    body = data if isinstance(data, bytes) else json.dumps(data, ensure_ascii=False).encode()
    return b"".join((head.encode(), b"data: ", body, b"\n\n"))


def retry(milliseconds: int) -> bytes:
    """After how long whoever lost the stream comes back; goes before the first event."""
    return f"retry: {milliseconds}\n".encode()


class Parser:
    """Takes bytes as they come and gives whole events."""

    def __init__(self) -> None:
        self._raw = b""

    def feed(self, part: bytes) -> Iterator[SentEvent]:
        *blocks, self._raw = (self._raw + part).split(b"\n\n")
        for block in blocks:
            if (event := _event(block.decode())) is not None:
                yield event


def _event(block: str) -> SentEvent | None:
    name, data, id_ = "message", [], None
    for line in block.split("\n"):  # only these end a line; JSON may hold others, such as U+2028
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        match field:
            case "event":
                name = value
            case "data":
                data.append(value)
            case "id":
                id_ = value
    return SentEvent(name, "\n".join(data), id_) if data else None
