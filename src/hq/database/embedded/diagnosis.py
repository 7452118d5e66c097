"""Trouble with an embedded server, in one sentence that says what to do about it."""

from __future__ import annotations

import errno
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hq.database.embedded.account import Account
from hq.database.embedded.cluster import Cluster
from hq.errors import Outage

NO_ROOM = re.compile(r"No space left on device|Disk quota exceeded")
COMPLAINT = re.compile(r"(?:FATAL|PANIC|ERROR|error|fatal):\s+(.*)")
ROOM = 4 * 1024 * 1024  # with less than this free, Postgres fails in ways that do not name the disk


@contextmanager
def explained(home: Path, account: Account) -> Iterator[None]:
    """Say a refusal of the operating system in words."""
    try:
        yield
    except OSError as error:
        raise Outage(_sentence(home, account, error)) from error


def _sentence(home: Path, account: Account, error: OSError) -> str:
    where = error.filename or home
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT:
            return disk_full(home)
        case errno.ENOTDIR | errno.EEXIST:
            return f"HQ_HOME is {home}, which is a file or lies in one; set HQ_HOME to a directory."
        case errno.EACCES | errno.EPERM | errno.EROFS:
            return (
                f"HQ_HOME is {home}, and the user {account.name} may not use {where}; "
                "set HQ_HOME to a directory that user can write to."
            )
        case _:
            return f"HQ_HOME is {home}, and {where} cannot be used: {error.strerror}; set HQ_HOME to another directory."


def disk_full(home: Path) -> str:
    return f"The disk that holds {home} is full; free some space there, or set HQ_HOME to a directory on another disk."


def shut_out(home: Path, account: Account, barrier: Path) -> str:
    return (
        f"Postgres does not run as root, and the user {account.name} that runs it cannot enter {barrier}; "
        f"set HQ_HOME, which is {home}, to a directory such as /var/lib/hq."
    )


def foreign_version(cluster: Cluster, found: str, ours: str) -> str:
    return (
        f"{cluster.data} was made by Postgres {found} and this hq brings Postgres {ours}; set HQ_HOME to a new "
        f"directory, or install the hq that made it and take the data out with pg_dump."
    )


def failed(cluster: Cluster, what: str, said: str) -> str:
    """Why a program of Postgres gave up, told by its own last complaint."""
    if NO_ROOM.search(said) or shutil.disk_usage(cluster.place).free < ROOM:
        return disk_full(cluster.home)
    return f"The database {what}: {last_complaint(said).rstrip('.')}; the whole log is {cluster.log}."


def last_complaint(said: str) -> str:
    """The last line that says what is wrong; failing that the last line at all."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    complaints = [match[1] for line in lines if (match := COMPLAINT.search(line))]
    return (complaints or lines or ["it left no message"])[-1]
