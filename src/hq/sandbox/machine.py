"""The machine, and what it has to build a sandbox from; what to do where something is missing."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from hq.errors import Refused
from hq.sandbox import paths
from hq.sandbox.bubblewrap import Bubblewrap, choose

PLACES = "/usr/bin:/bin:/usr/local/bin:/usr/sbin:/sbin"
"""Where the system keeps its programs: PATH is not to be trusted here."""
ACCOUNT = 64851
"""Whose files and programs they are when hq runs as root: nobody's in particular, and nobody else's."""


@dataclass(frozen=True)
class Machine:
    bubblewrap: Bubblewrap
    limiter: str
    """`prlimit`, which sets limits from within, where the kernel counts each sandbox by itself."""
    changer: str | None
    """`setpriv`, by which root becomes the sandbox's account first; only where hq runs as root."""

    @property
    def account(self) -> int | None:
        return ACCOUNT if self.changer else None


def look() -> Machine:
    """What is here; refuses where it is not enough."""
    if not sys.platform.startswith("linux"):
        raise Refused.conflict(
            "programs are only run in a sandbox, and that needs Linux with bubblewrap",
            hint="run hq in a Linux container or virtual machine to let agents run programs",
        )
    root = os.geteuid() == 0
    return Machine(
        choose(PLACES, ACCOUNT if root else None) or _missing("bwrap", "bubblewrap"),
        _found("prlimit", "util-linux"),
        _found("setpriv", "util-linux") if root else None,
    )


def _found(program: str, package: str) -> str:
    return shutil.which(program, path=PLACES) or _missing(program, package)


def _missing(program: str, package: str) -> NoReturn:
    raise Refused.conflict(
        f"programs are only run in a sandbox, and {program} is not installed",
        hint=f"install it, on Debian and Ubuntu with `apt install {package}`, then see `hq sandbox test`",
    )


def own(descriptor: int) -> None:
    """Hand a file or directory to the account that sandboxed programs run as."""
    if os.geteuid() == 0:
        os.fchown(descriptor, ACCOUNT, ACCOUNT)


def hand_over(tree: Path) -> None:
    """Hand a whole tree to that account: what root put into it would be closed to programs."""
    if os.geteuid() == 0:
        _hand_over(paths.open_top(tree), 0)


def _hand_over(directory: int, depth: int) -> None:
    try:
        if depth > paths.DEEPEST:
            raise paths.TooDeep
        own(directory)
        with os.scandir(directory) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    _hand_over(paths.open_directory(entry.name, directory), depth + 1)
                elif entry.stat(follow_symlinks=False).st_uid != ACCOUNT:
                    os.chown(entry.name, ACCOUNT, ACCOUNT, dir_fd=directory, follow_symlinks=False)
    finally:
        os.close(directory)
