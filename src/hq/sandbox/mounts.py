"""Mounts of a sandbox, all that its program sees of the world: the arguments bubblewrap is started with.

They go through a descriptor, so that no secret of an environment shows in a list of processes. Nothing is ever mounted
below /mission: bubblewrap before 0.12 follows a link that the program left there (CVE-2026-87766).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from hq.errors import Refused
from hq.sandbox import seccomp
from hq.sandbox.job import DATA, MISSION, SandboxJob, Shared

NAMESPACES = (
    "--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try",
    "--disable-userns", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--hostname", "mission",
    "--uid", "1000", "--gid", "1000",
)  # fmt: skip
TOP = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
# What programs look up in /etc. Certificates, but not the keys that may lie beside them.
ETC = (
    "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "localtime", "mime.types", "ca-certificates",
    "ssl/certs", "ssl/cert.pem", "ssl/openssl.cnf", "pki/tls/certs", "pki/ca-trust/extracted", "fonts",
)  # fmt: skip
MADE = {
    "/etc/passwd": "mission:x:1000:1000:mission:/mission:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n",
    "/etc/group": "mission:x:1000:\nnogroup:x:65534:\n",
    "/etc/hosts": "127.0.0.1 localhost mission\n::1 localhost\n",
    "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
    "/etc/resolv.conf": "",
}
ENV = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": MISSION,
    "USER": "mission",
    "TMPDIR": "/tmp",  # noqa: S108 (the sandbox's own)
    "LANG": "C.UTF-8",
    "TERM": "dumb",
}
SHM = 64 << 20
OURS = ("/", "/etc", "/proc", "/dev", "/tmp", "/usr", MISSION, DATA)  # noqa: S108


class Descriptors:
    """What is handed to bubblewrap by descriptor; closed here once it has it."""

    def __init__(self) -> None:
        self.open: list[int] = []

    def add(self, descriptor: int) -> str:
        self.open.append(descriptor)
        return str(descriptor)

    def data(self, content: bytes) -> str:
        descriptor = os.memfd_create("data", 0)
        os.write(descriptor, content)
        os.lseek(descriptor, 0, os.SEEK_SET)
        return self.add(descriptor)

    def directory(self, path: Path) -> str:
        return self.add(os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_DIRECTORY | os.O_CLOEXEC))

    def close(self) -> None:
        while self.open:
            os.close(self.open.pop())


def arguments(
    job: SandboxJob, tmp: Path, env: Mapping[str, str], given: Descriptors, status: int, block: int | None
) -> bytes:
    """Everything but the command, as `--args` takes it."""
    told = [*NAMESPACES, "--ro-bind", "/usr", "/usr", *_top(), *_etc(given)]
    told += ["--proc", "/proc", "--dev", "/dev", "--size", str(SHM), "--tmpfs", "/dev/shm", "--remount-ro", "/dev"]  # noqa: S108
    told += ["--bind-fd", given.directory(tmp), "/tmp"]  # noqa: S108
    for shared in job.shared:
        told += ["--ro-bind", str(shared.path), _place(shared)]
    told += ["--bind-fd", _tree(job.writable, given), MISSION]
    if job.kept:
        told += ["--bind-fd", _tree(job.kept, given), DATA]
    told += ["--remount-ro", "/", "--chdir", job.cwd, "--clearenv"]
    for name, value in (ENV | dict(env)).items():
        told += ["--setenv", _plain(name), _plain(value)]
    if seccomp.available():
        told += ["--seccomp", given.add(seccomp.filter_file())]
    told += ["--json-status-fd", str(status)]
    if block is not None:
        told += ["--block-fd", str(block)]
    return b"".join(os.fsencode(part) + b"\0" for part in told)


def _tree(path: Path, given: Descriptors) -> str:
    try:
        return given.directory(path)
    except OSError as error:
        raise Refused.conflict(f"{path} cannot be given to a program: {error.strerror}") from error


def _place(shared: Shared) -> str:
    """Where it shows: a plain absolute path of its own."""
    place = shared.at
    if (
        not place.startswith("/")
        or os.path.normpath(place) != place
        or place in OURS
        or place.startswith(MISSION + "/")
    ):
        raise Refused.invalid(f"{place!r} is no place to show something at; take a path of its own, such as /shared")
    if not shared.path.exists():
        raise Refused.not_found(f"{shared.path} is not there to be shared")
    return place


def _plain(text: str) -> str:
    if "\0" in text:
        raise Refused.invalid("an environment variable holds a zero byte")
    return text


def _top() -> Iterable[str]:
    for name in TOP:
        path = Path("/", name)
        if path.is_symlink():
            yield from ("--symlink", str(path.readlink()), str(path))
        elif path.is_dir():
            yield from ("--ro-bind", str(path), str(path))


def _etc(given: Descriptors) -> Iterable[str]:
    for name in ETC:
        yield from ("--ro-bind-try", f"/etc/{name}", f"/etc/{name}")
    for place, text in MADE.items():
        yield from ("--ro-bind-data", given.data(text.encode()), place)
