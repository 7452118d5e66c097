"""Decompression of an answer, without being drowned by it: never more is unpacked than is kept."""

from __future__ import annotations

import zlib
from typing import Any

from hq.errors import Refused


class Decoder:
    def __init__(self, encoding: str, most: int) -> None:
        self._most = most
        self._made = bytearray()
        self._raw_deflate = False
        match encoding.strip().lower():
            case "gzip" | "x-gzip":
                self._unpack: Any = zlib.decompressobj(16 + zlib.MAX_WBITS)
            case "deflate":
                self._unpack, self._raw_deflate = zlib.decompressobj(), True
            case _:  # none, or one that was not asked for: kept as it came
                self._unpack = None

    @property
    def content(self) -> bytes:
        return bytes(self._made[: self._most])

    @property
    def full(self) -> bool:
        """There is more than is kept."""
        return len(self._made) > self._most

    @property
    def over(self) -> bool:
        """What was compressed has ended; whatever still comes belongs to nothing, and zlib would pile it up."""
        return self._unpack is not None and self._unpack.eof

    def feed(self, chunk: bytes) -> None:
        room = self._most - len(self._made) + 1
        if room <= 0:  # and for zlib no limit would mean no limit
            return
        if self._unpack is None:
            self._made += chunk[:room]
            return
        try:
            self._made += self._unpack.decompress(chunk, room)
        except zlib.error:
            if not self._raw_deflate or self._made:
                raise Refused("what came back says it is compressed and cannot be unpacked", code="outage") from None
            self._unpack, self._raw_deflate = zlib.decompressobj(-zlib.MAX_WBITS), False
            self.feed(chunk)
