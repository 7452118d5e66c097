"""The cluster of an embedded Postgres on disk: every path under `HQ_HOME`, and who may open it."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from hq.database.embedded.account import Account
from hq.errors import Outage

PORT = 5432  # only names the socket file: nothing listens on the network
SOCKET_PATH_LIMIT = 85  # sockaddr_un holds 104 bytes on macOS, and Postgres appends `/.s.PGSQL.5432.lock`
LOG_LIMIT = 16 * 1024 * 1024
PLAIN_PATH = re.compile(r"[A-Za-z0-9/._-]+")


@dataclass(frozen=True)
class Cluster:
    """The files of one embedded server; they all lie in `home`/postgres, but for a socket whose path is too long."""

    home: Path

    @property
    def place(self) -> Path:
        return self.home / "postgres"

    @property
    def data(self) -> Path:
        return self.place / "data"

    @property
    def config(self) -> Path:
        return self.place / "server.conf"

    @property
    def log(self) -> Path:
        return self.place / "server.log"

    @property
    def start_lock(self) -> Path:
        """Held by whoever starts or stops the server."""
        return self.place / "start.lock"

    @property
    def life_lock(self) -> Path:
        """Held by the server's own processes for as long as one of them lives."""
        return self.place / "life.lock"

    @property
    def sockets(self) -> Path:
        """Inside the home; under /tmp when that path is too long, or cannot stand in a URL as it is."""
        inside = self.place / "socket"
        if len(os.fsencode(inside)) <= SOCKET_PATH_LIMIT and PLAIN_PATH.fullmatch(str(inside)):
            return inside
        name = hashlib.sha256(os.fsencode(self.home)).hexdigest()[:16]
        return Path("/tmp") / f"hq-{name}"  # noqa: S108 - short everywhere; `open_sockets` checks whose it is

    @property
    def socket(self) -> Path:
        return self.sockets / f".s.PGSQL.{PORT}"

    def password_file(self, role: str) -> Path:
        return self.place / f"{role}.password"

    def password(self, role: str) -> str:
        try:
            return self.password_file(role).read_text().strip()
        except FileNotFoundError:
            raise Outage(
                f"The database has no {self.password_file(role)}; start it once, or restore that file from a backup."
            ) from None

    def url(self, role: str, database: str) -> str:
        return f"postgresql://{role}:{self.password(role)}@/{database}?host={self.sockets}&port={PORT}"

    def lay_out(self, account: Account) -> None:
        """Make the directories and locks. Whatever exists is left exactly as it is, ancestors above all."""
        mode = 0o711 if account.demoted else 0o700  # the account must pass through what root owns
        for missing in reversed([path for path in (self.place, *self.place.parents) if not path.exists()]):
            make_directory(missing, mode)
        for lock in (self.start_lock, self.life_lock):
            # Never replaced: a lock belongs to the file, and somebody may already hold it.
            os.close(os.open(lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600))

    def open_sockets(self, account: Account) -> None:
        """Anybody can take a name in /tmp first, so the directory must be ours or the server's, and closed."""
        make_directory(self.sockets, 0o700)
        found = self.sockets.lstat()
        ours = stat.S_ISDIR(found.st_mode) and found.st_uid in (os.geteuid(), account.uid)
        if not ours or found.st_mode & 0o077:
            raise Outage(f"The database needs {self.sockets} for itself and somebody else made it; remove it.")
        account.own(self.sockets)

    def open_log(self, account: Account) -> None:
        """The log lies in a directory the server may not write to, so it finds the file made."""
        if self.log.exists() and self.log.stat().st_size > LOG_LIMIT:
            self.log.rename(self.log.with_name("server.log.1"))
        if not self.log.exists():
            write(self.log, "", account)

    def keep_password(self, role: str, account: Account) -> None:
        """Invent the role's password the first time."""
        if not self.password_file(role).exists():
            write(self.password_file(role), secrets.token_urlsafe(24), account)

    def forget_dead_server(self) -> None:
        """Postgres trusts these files when a process has their pid, even a zombie or a stranger."""
        for stale in (self.data / "postmaster.pid", self.socket, Path(f"{self.socket}.lock")):
            stale.unlink(missing_ok=True)

    def leave_no_socket(self) -> None:
        """What stands outside the home is taken away when the server stops."""
        if not self.sockets.is_relative_to(self.home):
            with suppress(OSError):
                self.sockets.rmdir()


def make_directory(path: Path, mode: int) -> None:
    """Make it with exactly this mode, whatever the umask; leave one that is there alone."""
    try:
        path.mkdir(mode)
    except FileExistsError:
        if not path.is_dir():
            raise
    else:
        path.chmod(mode)


def write(path: Path, text: str, account: Account) -> None:
    """Write a private file of the server's account in one step: it is there whole or not at all."""
    draft = path.with_name(f"{path.name}.new")
    draft.unlink(missing_ok=True)
    with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    account.own(draft)
    rename(draft, path)


def rename(source: Path, target: Path) -> None:
    """Rename and make the new name survive a power cut."""
    source.rename(target)
    directory = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)
