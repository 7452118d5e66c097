"""Content kept by its hash, one file each. What is there never changes; what nothing refers to can be swept away."""

from __future__ import annotations

import ctypes
import hashlib
import os
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from hq.errors import Defect, Refused

HASH = re.compile(r"^[0-9a-f]{64}$")
PIECE = 1 << 20
YOUNG = 3600.0
"""Seconds for which something is kept although nothing refers to it yet: its snapshot may still be under way."""
_libc = ctypes.CDLL(None, use_errno=True)


class Blobs:
    def __init__(self, root: Path) -> None:
        self.root = root
        self._new = root / "new"
        self._new.mkdir(mode=0o700, parents=True, exist_ok=True)
        root.chmod(0o700)

    def put(self, content: bytes) -> str:
        name = hashlib.sha256(content).hexdigest()
        if not self._touched(name):
            fresh = self._fresh()
            with open(fresh, "xb", opener=_private) as out:
                out.write(content)
            self._keep(fresh, name)
        return name

    def put_file(self, source: int) -> str:
        """Keep what an open file holds now. Its hash is that of the copy, whatever others write to it meanwhile."""
        first = os.read(source, PIECE)
        rest = os.read(source, PIECE) if first else b""
        if not rest:
            return self.put(first)
        first += rest
        digest, fresh = hashlib.sha256(first), self._fresh()
        try:
            with open(fresh, "xb", opener=_private) as out:
                out.write(first)
                while piece := os.read(source, PIECE):
                    digest.update(piece)
                    out.write(piece)
            name = digest.hexdigest()
            if not self._touched(name):
                self._keep(fresh, name)
        finally:
            fresh.unlink(missing_ok=True)
        return name

    def read(self, name: str) -> bytes:
        """The content, proven."""
        try:
            content = self._place(name).read_bytes()
        except FileNotFoundError:
            raise _gone(name) from None
        if hashlib.sha256(content).hexdigest() != name:
            raise Defect(f"what is kept as {name[:12]} is damaged")
        return content

    def copy(self, name: str, into: int) -> None:
        """Write the content to an open file, proven."""
        digest = hashlib.sha256()
        try:
            with open(self._place(name), "rb") as source:
                while piece := source.read(PIECE):
                    digest.update(piece)
                    os.write(into, piece)
        except FileNotFoundError:
            raise _gone(name) from None
        if digest.hexdigest() != name:
            raise Defect(f"what is kept as {name[:12]} is damaged")

    def has(self, name: str) -> bool:
        return bool(HASH.match(name)) and self._place(name).exists()

    def settle(self) -> None:
        """See to it that everything put so far outlives a loss of power."""
        descriptor = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY)
        try:
            _libc.syncfs(descriptor)
        finally:
            os.close(descriptor)

    def sweep(self, wanted: set[str]) -> tuple[int, int]:
        """Remove what is not wanted and not young. How many, and how many bytes."""
        count = size = 0
        before = time.time() - YOUNG
        for path in self._all():
            with suppress(FileNotFoundError):
                found = path.stat()
                if path.parent.name + path.name not in wanted and found.st_mtime < before:
                    path.unlink()
                    count, size = count + 1, size + found.st_size
        return count, size

    def _all(self) -> Iterator[Path]:
        yield from self._new.iterdir()
        for directory in self.root.iterdir():
            if len(directory.name) == 2:
                yield from directory.iterdir()

    def _place(self, name: str) -> Path:
        if not HASH.match(name):
            raise Refused.invalid(f"{name!r} is no snapshot; `hq workspace history` shows them")
        return self.root / name[:2] / name[2:]

    def _touched(self, name: str) -> bool:
        """Whether it is there already; then it counts as new again, so that a sweep leaves it alone."""
        try:
            os.utime(self._place(name))
        except FileNotFoundError:
            return False
        return True

    def _fresh(self) -> Path:
        return self._new / os.urandom(16).hex()

    def _keep(self, fresh: Path, name: str) -> None:
        place = self._place(name)
        try:
            fresh.rename(place)
        except FileNotFoundError:
            place.parent.mkdir(mode=0o700, exist_ok=True)
            fresh.rename(place)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _gone(name: str) -> Refused:
    return Refused.not_found(
        f"the snapshot or file {name[:12]} is no longer kept", hint="`hq workspace prune` removes old ones"
    )
