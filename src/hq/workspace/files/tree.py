"""Files in a working tree, whatever a program left there: no link is followed and nothing outside is ever reached.

Everything here blocks; verbs call it in a thread.
"""

from __future__ import annotations

import os
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NotRequired, TypedDict

from hq import patterns
from hq.artifacts.search import matching
from hq.errors import Refused
from hq.sandbox import paths
from hq.sandbox.machine import own
from hq.sandbox.paths import DEEPEST
from hq.workspace.snapshots.capture import RESERVED

MOST = 10 * 2**20
SEARCHED = 2 * 2**20
PATIENCE = 5.0
LONGEST_LINE = 500


class FoundText(TypedDict):
    """A line of a file."""

    path: str
    line: int
    text: str
    workspace: NotRequired[str]
    """Whose it is, where it lies in no tree of yours: of the mission that yours is a part of."""


class FoundFile(TypedDict):
    """A file, and how long it is."""

    path: str
    size: int
    workspace: NotRequired[str]
    """Whose it is, where it lies in no tree of yours: of the mission that yours is a part of."""


class FileTree:
    def __init__(self, top: Path) -> None:
        self._top = top

    def read(self, path: str) -> bytes:
        with self._directory(path) as (directory, name):
            return _content(name, directory, path, MOST)

    def write(self, path: str, content: bytes, *, make: bool = True) -> bytes | None:
        """Put a file there, whole or not at all. Returns what was there before, or None."""
        with self._directory(path, make=make) as (directory, name):
            before, mode = self._before(name, directory, path)
            fresh = f".hq-{secrets.token_hex(8)}"
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            with open(os.open(fresh, flags, 0o600, dir_fd=directory), "wb") as out:
                try:
                    out.write(content)
                    out.flush()
                    os.fchmod(out.fileno(), mode)
                    own(out.fileno())
                    os.rename(fresh, name, src_dir_fd=directory, dst_dir_fd=directory)
                except BaseException:
                    with suppress(FileNotFoundError):
                        os.unlink(fresh, dir_fd=directory)
                    raise
            return before

    def remove(self, path: str) -> None:
        with self._directory(path) as (directory, name):
            if self._before(name, directory, path)[0] is not None:
                os.unlink(name, dir_fd=directory)

    def grep(self, pattern: str, glob: str, *, ignore_case: bool, most: int) -> tuple[list[FoundText], bool]:
        """Lines that match, and whether the search was cut short."""
        wanted, hits = patterns.compiled(pattern, ignore_case=ignore_case), list[FoundText]()
        for path, directory, name, size in self._files(glob):
            if size > SEARCHED:
                continue
            with suppress(OSError, Refused):
                content = _content(name, directory, path, SEARCHED)
                if b"\0" in content[:8192]:
                    continue
                for number, line in matching(wanted, content.decode("utf-8", "replace")):
                    if len(hits) == most:
                        return hits, True
                    hits.append({"path": path, "line": number, "text": line[:LONGEST_LINE]})
        return hits, False

    def glob(self, pattern: str, most: int) -> tuple[list[FoundFile], bool]:
        """Files whose path matches, and whether there are more."""
        found: list[FoundFile] = []
        for path, _, _, size in self._files(pattern):
            if len(found) == most:
                return found, True
            found.append({"path": path, "size": size})
        return found, False

    @contextmanager
    def _directory(self, path: str, *, make: bool = False) -> Iterator[tuple[int, str]]:
        """The directory a file is in, open, and the file's own name."""
        names = paths.parts(path)
        if not names:
            raise Refused.invalid("path: name a file")
        if names[0] == RESERVED:
            raise Refused.forbidden(f"{RESERVED} is hq's own and not part of a working tree")
        top = self._open()
        try:
            if make:
                _make(top, names[:-1])
            with paths.within(top, names[:-1]) as directory:
                yield directory, names[-1]
        except (NotADirectoryError, FileNotFoundError):
            raise Refused.not_found(
                f"there is no file {path!r}", hint="`hq file glob '**'` lists what there is"
            ) from None
        except OSError as error:
            raise Refused.conflict(f"{path}: {error.strerror}") from None
        finally:
            os.close(top)

    def _open(self) -> int:
        try:
            return paths.open_top(self._top)
        except OSError:
            raise Refused.not_found(
                "the working tree is not on this machine", hint="`hq workspace begin` makes it"
            ) from None

    def _before(self, name: str, directory: int, path: str) -> tuple[bytes | None, int]:
        """What is there and how it may be used, for what comes in its place."""
        try:
            found = os.stat(name, dir_fd=directory, follow_symlinks=False)
        except FileNotFoundError:
            return None, 0o644
        if not stat.S_ISREG(found.st_mode):
            raise Refused.conflict(f"{path} is a directory, a link or something else that is no file")
        return _content(name, directory, path, MOST), stat.S_IMODE(found.st_mode) & 0o755 | 0o600

    def _files(self, glob: str) -> Iterator[tuple[str, int, str, int]]:
        """Every regular file that matches: its path, the directory it is in, its name there, its size."""
        wanted = patterns.compiled(as_regex(glob), ignore_case=False)
        deadline = time.monotonic() + PATIENCE
        top = self._open()
        try:
            for path, directory, name, size in _walk(top, "", 0):
                if time.monotonic() > deadline:
                    raise Refused("the tree is too large to look through; say a narrower glob", code="too_large")
                if wanted.fullmatch(path):
                    yield path, directory, name, size
        finally:
            os.close(top)


def _walk(directory: int, above: str, depth: int) -> Iterator[tuple[str, int, str, int]]:
    with os.scandir(directory) as entries:
        found = sorted(entries, key=lambda entry: entry.name)
    for entry in found:
        path = above + entry.name
        if path == RESERVED or not path.isprintable():
            continue
        if entry.is_dir(follow_symlinks=False) and depth < DEEPEST:
            with suppress(OSError):
                below = paths.open_directory(entry.name, directory)
                try:
                    yield from _walk(below, path + "/", depth + 1)
                finally:
                    os.close(below)
        elif entry.is_file(follow_symlinks=False) and (size := _size(entry)) is not None:
            yield path, directory, entry.name, size


def _size(entry: os.DirEntry[str]) -> int | None:
    """Nothing where a program has removed it in between."""
    with suppress(FileNotFoundError):
        return entry.stat(follow_symlinks=False).st_size
    return None


def _content(name: str, directory: int, path: str, most: int) -> bytes:
    with open(paths.open_file(name, directory), "rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise Refused(
            f"{path} is larger than {most // 2**20} MB", code="too_large", hint="look at it with `hq container exec`"
        )
    return content


def _make(top: int, names: list[str]) -> None:
    """Directories on the way to a new file, each whosever the tree is."""
    current = os.dup(top)
    try:
        for name in names:
            made = False
            with suppress(FileExistsError):
                os.mkdir(name, 0o755, dir_fd=current)
                made = True
            inner = paths.open_directory(name, current)
            os.close(current)
            current = inner
            if made:
                own(current)
    finally:
        os.close(current)


def as_regex(glob: str) -> str:
    """`*` within a name, `**` across directories, `?` for one character; everything else is itself."""
    made, rest = "", glob.removeprefix("./")
    while rest:
        for mark, means in (("**/", "(?:.*/)?"), ("**", ".*"), ("*", "[^/]*"), ("?", "[^/]")):
            if rest.startswith(mark):
                made, rest = made + means, rest[len(mark) :]
                break
        else:
            made, rest = (
                made + (rest[0] if rest[0].isalnum() or rest[0] in "/_" else f"\\x{{{ord(rest[0]):x}}}"),
                rest[1:],
            )
    return made
