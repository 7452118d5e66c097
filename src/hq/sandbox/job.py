"""A job for the sandbox and its result: the whole interface, without any of its workings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

Network = Literal["off", "on"] | Sequence[str]
"""Nothing; every public address; or these domains (`example.com`, `*.example.com`, `example.com:8443`). Only through a
proxy that dials for the program: the host's own network, and so hq's port, is never there."""

Killer = Literal["processes", "memory", "disk", "runtime", "caller"]
"""Why a program was ended before it was done."""

Basis = Literal["kernel", "supervised", "nothing"]
"""What a limit rests on: the kernel refuses; somebody watches and kills; nobody stops it."""

Stream = Literal["stdout", "stderr"]
Listener = Callable[[Stream, bytes], None]
"""Told every piece of output as it comes. Called in the event loop: it must not block."""

MISSION, SHARED, METADATA, DATA = "/mission", "/shared", "/hq", "/data"
"""Where a program finds its own tree (writable), the shared tree and the mission's metadata (both read-only), and what it keeps."""


@dataclass(frozen=True)
class SandboxLimits:
    """What a program may use; the seed's numbers unless a workspace says otherwise."""

    processes: int = 10
    memory_mb: int = 2048
    disk_mb: int = 5120
    runtime_seconds: float = 30 * 60
    output_bytes: int = 1 << 20
    """How much of each stream the outcome keeps; a listener still hears all of it."""


@dataclass(frozen=True)
class Shared:
    """A directory or file that the program may read."""

    path: Path
    at: str
    """Where it shows inside: an absolute path that is not below /mission."""


@dataclass(frozen=True)
class SandboxJob:
    """A program to run, and everything it may touch. What is not named here is not there."""

    argv: Sequence[str]
    writable: Path
    """The directory it may write to, seen as /mission."""
    kept: Path | None = None
    """Another one, seen as /data, for what it keeps apart from its own files."""
    shared: Sequence[Shared] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    """Added to PATH, HOME, TMPDIR, LANG and TERM; nothing of hq's own environment is passed on."""
    stdin: bytes | None = None
    """Written to the program, which then finds the end of its input; with `Sandbox.start` more may follow by `send`."""
    network: Network = "off"
    blocked: Sequence[str] = ()
    """Domains that are not reached even where the network is on."""
    doors: Mapping[int, tuple[str, int]] = field(default_factory=dict)
    """Ports on the program's own loopback that lead to one address each, such as a model server on this machine."""
    served: bool = False
    """Whether it serves something on its own loopback that we connect to, by `SandboxProcess.way_in`."""
    limits: SandboxLimits = SandboxLimits()
    cwd: str = MISSION
    """Where it starts, as seen inside."""


@dataclass(frozen=True)
class ResourceUsage:
    """What it used at most, as far as it was seen; short peaks between two looks are not."""

    seconds: float = 0.0
    processes: int = 0
    memory_mb: float = 0.0
    disk_mb: float = 0.0


@dataclass(frozen=True)
class ReachedHost:
    """A connection the proxy made or refused."""

    host: str
    port: int
    refused: str = ""
    """Why not; empty when it was made."""


@dataclass(frozen=True)
class SandboxResult:
    """What became of it. `exit` is the program's own status, or 128 and the signal that ended it."""

    exit: int
    stdout: bytes
    stderr: bytes
    truncated: bool
    """Some output was more than is kept."""
    killed_by: Killer | None
    why: str
    """A sentence, where it was killed."""
    usage: ResourceUsage
    enforced_by: Mapping[str, Basis]
    """What each limit rested on in this run: files, processes, memory, disk, runtime, network, syscalls."""
    reached: Sequence[ReachedHost] = ()

    @property
    def reached_outside(self) -> bool:
        """Whether anything came in over the network."""
        return any(not each.refused for each in self.reached)

    @property
    def ok(self) -> bool:
        return self.exit == 0 and self.killed_by is None
