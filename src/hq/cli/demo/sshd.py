"""A real sshd on this machine's loopback, with keys of its own: what the demo and the tests reach over ssh."""

from __future__ import annotations

import getpass
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from hq.errors import Outage

SSHD = shutil.which("sshd", path="/usr/sbin:/usr/local/sbin:" + os.environ.get("PATH", ""))
KEYGEN = shutil.which("ssh-keygen")
PRIVATE = Path("/run/sshd")
"""What sshd insists on when it is started as root."""
CONFIG = """
Port {port}
ListenAddress 127.0.0.1
HostKey {home}/host_key
AuthorizedKeysFile {home}/authorized_keys
PidFile {home}/pid
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
LogLevel VERBOSE
"""


@dataclass(frozen=True)
class Sshd:
    port: int
    home: Path
    host_key: str
    user: str

    def admit(self, public_key: str) -> None:
        with open(self.home / "authorized_keys", "a") as file:
            file.write(public_key + "\n")

    @property
    def log(self) -> str:
        return (self.home / "log").read_text()


def missing() -> str:
    """Why there can be none here; nothing if there can."""
    return "" if SSHD and KEYGEN else "no sshd is installed (`apt install openssh-server`)"


@contextmanager
def serving(home: Path) -> Iterator[Sshd]:
    if SSHD is None or KEYGEN is None:
        raise Outage(missing())
    home.mkdir(parents=True, exist_ok=True)
    subprocess.run([KEYGEN, "-q", "-t", "ed25519", "-N", "", "-f", home / "host_key"], check=True)
    (home / "authorized_keys").touch()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    (home / "config").write_text(CONFIG.format(port=port, home=home))
    if os.geteuid() == 0:
        PRIVATE.mkdir(mode=0o755, exist_ok=True)
    with open(home / "log", "w") as log:
        process = subprocess.Popen([SSHD, "-D", "-e", "-f", home / "config"], stderr=log)
    try:
        _wait_for(port, process)
        key = " ".join((home / "host_key.pub").read_text().split()[:2])
        yield Sshd(port, home, key, getpass.getuser())
    finally:
        process.terminate()
        process.wait(10)


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with socket.create_connection(("127.0.0.1", port), 1) as line:
                if line.recv(4) == b"SSH-":
                    return
        except OSError:
            time.sleep(0.02)
    raise Outage("sshd did not start")
