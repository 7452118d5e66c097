"""The operating system account an embedded Postgres runs as: our own, or an unprivileged one when we are root.

Postgres refuses to run as root, so root starts it as somebody else and hands over what it must own.
"""

from __future__ import annotations

import os
import pwd
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from hq.errors import Outage

CANDIDATES = ("hqpg", "postgres", "nobody")
READ, ENTER = 4, 1


class ChildOptions(TypedDict, total=False):
    """What `subprocess` needs to know to run a child as another account."""

    user: int
    group: int
    extra_groups: list[int]


@dataclass(frozen=True)
class Account:
    """Who the server is to the operating system; `demoted` when that is not who we are."""

    name: str
    uid: int
    gid: int
    demoted: bool = False

    @property
    def child_options(self) -> ChildOptions:
        return ChildOptions(user=self.uid, group=self.gid, extra_groups=[]) if self.demoted else ChildOptions()

    def own(self, path: Path) -> None:
        """Hand a path that we made to this account."""
        if self.demoted:
            os.chown(path, self.uid, self.gid, follow_symlinks=False)

    def may(self, path: Path, bits: int) -> bool:
        """Whether the mode of `path` grants this account all of `bits`."""
        found = path.stat()
        shift = 6 if found.st_uid == self.uid else 3 if found.st_gid == self.gid else 0
        return (found.st_mode >> shift) & bits == bits

    def barrier(self, path: Path) -> Path | None:
        """The first existing directory on the way to `path`, itself included, that this account cannot enter."""
        way = [*reversed(path.parents), path]
        return next((step for step in way if step.is_dir() and not self.may(step, ENTER)), None)


def account_for(data: Path) -> Account:
    """Who runs, or will run, the server of this data directory."""
    if os.geteuid() != 0:
        return _ourselves()
    return _owner(data) or _unprivileged()


def _ourselves() -> Account:
    return Account(_name(os.geteuid()), os.geteuid(), os.getegid())


def _owner(data: Path) -> Account | None:
    """Postgres only opens a directory that its own account owns, so who made it once runs it for ever."""
    try:
        found = data.stat()
    except OSError:
        return None
    return Account(_name(found.st_uid), found.st_uid, found.st_gid, demoted=True) if found.st_uid else None


def _name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:  # a container started with a bare number
        return str(uid)


def _unprivileged() -> Account:
    for name in CANDIDATES:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(name, entry.pw_uid, entry.pw_gid, demoted=True)
    raise Outage("Postgres does not run as root and there is no user to run it as; add one with `useradd -r hqpg`.")
