"""Files of a tree that others write to, reached one name at a time from an open directory.

No link is ever followed and no path is ever compared: what a name means is asked of the kernel with `openat` and
O_NOFOLLOW, so a tree that changes under our feet can at worst make us miss something of its own.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from hq.errors import Refused

DEEPEST = 128
"""Directories within directories; more is not how anybody works, only how one hides."""
LONGEST = 4096
DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class TooDeep(Refused):
    """A tree with more levels than are looked at."""

    def __init__(self) -> None:
        super().__init__(f"directories are nested more than {DEEPEST} deep", code="conflict")


def parts(path: str) -> list[str]:
    """The names a relative path is made of. Refuses what could lead anywhere else."""
    names = [name for name in path.split("/") if name not in ("", ".")]
    if path.startswith("/") or ".." in names or "\0" in path or len(path) > LONGEST or len(names) > DEEPEST:
        raise Refused.invalid(f"{path!r} is not a path within the tree; say it relative to the top, without ..")
    return names


def open_top(path: Path) -> int:
    """The top of a tree. Only its last name is in doubt; the rest is ours."""
    return os.open(path, DIRECTORY)


def open_directory(name: str, directory: int) -> int:
    """A directory in a directory; one that its owner closed to himself is opened again."""
    try:
        return os.open(name, DIRECTORY, dir_fd=directory)
    except PermissionError:
        handle = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=directory)
        try:
            os.chmod(f"/proc/self/fd/{handle}", 0o700)
        finally:
            os.close(handle)
        return os.open(name, DIRECTORY, dir_fd=directory)


def open_file(name: str, directory: int) -> int:
    """A regular file to read. Anything else, a pipe that would block too, is refused."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    try:
        descriptor = os.open(name, flags, dir_fd=directory)
    except PermissionError:
        handle = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=directory)
        try:
            if stat.S_ISREG(os.fstat(handle).st_mode):
                os.chmod(f"/proc/self/fd/{handle}", 0o600)
        finally:
            os.close(handle)
        descriptor = os.open(name, flags, dir_fd=directory)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise FileNotFoundError(name)
    return descriptor


@contextmanager
def within(top: int, names: list[str], *, make: bool = False) -> Iterator[int]:
    """The directory that names lead to from the top, made on the way if wanted."""
    current = os.dup(top)
    try:
        for name in names:
            if make:
                with suppress(FileExistsError):
                    os.mkdir(name, 0o755, dir_fd=current)
            inner = open_directory(name, current)
            os.close(current)
            current = inner
        yield current
    finally:
        os.close(current)


def clear(directory: int) -> None:
    """Remove everything in a directory, however deep: what lies too deep is brought up first."""
    lifted = [0]
    while _clear(directory, directory, 0, lifted):
        pass


def _clear(top: int, directory: int, depth: int, lifted: list[int]) -> bool:
    """Empty a directory. Says whether something was brought up to the top and is still there."""
    again = False
    with os.scandir(directory) as entries:
        found = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
    for name, inner in found:
        if not inner:
            os.unlink(name, dir_fd=directory)
        elif depth >= DEEPEST:
            lifted[0] += 1
            os.rename(name, f".lifted-{os.getpid()}-{lifted[0]}", src_dir_fd=directory, dst_dir_fd=top)
            again = True
        else:
            below = open_directory(name, directory)
            try:
                again = _clear(top, below, depth + 1, lifted) or again
            finally:
                os.close(below)
            os.rmdir(name, dir_fd=directory)
    return again


def remove(path: Path) -> None:
    """Remove a tree of ours, whatever was put into it. Nothing there is as good."""
    try:
        top = open_top(path)
    except FileNotFoundError:
        return
    try:
        clear(top)
    finally:
        os.close(top)
    path.rmdir()
