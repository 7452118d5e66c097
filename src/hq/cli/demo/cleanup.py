"""Cleanup of the demo's home, by a process beside it: so it is done however the demo ends, even killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from hq.errors import Outage


@contextmanager
def cleaned_up(home: Path) -> Iterator[None]:
    """The home is gone after the block, or after the end of this process, whichever comes first."""
    command = [sys.executable, "-P", "-m", "hq.cli.demo.cleanup", str(home)]
    # The pipe is how it learns of the end: the kernel closes our side, whatever becomes of us. No Ctrl-C reaches it.
    cleaner = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True)
    with cleaner:
        yield
    if cleaner.returncode:
        raise Outage(f"the demo's home {home} could not be removed; remove it by hand")


def clean(home: Path) -> None:
    """End what still runs in a home, and remove it."""
    from hq.database.embedded import EmbeddedServer
    from hq.sandbox import paths

    for file in home.glob("machines/*/pid"):
        _end_sshd(int(file.read_text()), file.with_name("config"))
    EmbeddedServer(home).stop()
    paths.remove(home)


def _end_sshd(pid: int, config: Path) -> None:
    """Only one that really is ours: a number is given anew."""
    with suppress(OSError):
        if str(config).encode() in Path(f"/proc/{pid}/cmdline").read_bytes():
            os.kill(pid, signal.SIGTERM)


if __name__ == "__main__":
    import hq.database.embedded
    import hq.sandbox.paths  # noqa: F401 (read while there is time: at the end somebody waits for the prompt)

    sys.stdin.buffer.read()
    if (place := Path(sys.argv[1])).exists():
        clean(place)
