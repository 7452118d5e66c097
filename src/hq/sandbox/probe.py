"""Try the sandbox for real: what each limit rests on here, and whether it holds. Nothing is believed that was not seen."""

from __future__ import annotations

import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from hq.sandbox import paths
from hq.sandbox.job import Basis, SandboxJob, SandboxLimits, SandboxResult
from hq.sandbox.machine import hand_over
from hq.sandbox.process import enforced
from hq.sandbox.sandbox import Sandbox

SMALL = SandboxLimits(memory_mb=64, disk_mb=8, runtime_seconds=20)
FORK = "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 15 & done; wait"
HOG = "dd if=/dev/zero bs=40M count=1 | sleep 15 & dd if=/dev/zero bs=40M count=1 | sleep 15"  # each may, both may not
FILL = "for i in 1 2 3 4 5 6; do dd if=/dev/zero of=$i bs=1M count=4 2>/dev/null; done; sleep 15"


@dataclass(frozen=True)
class TriedLimit:
    """One limit, tried."""

    limit: str
    holds: bool
    rests_on: Basis
    how: str
    seen: str


Run = Callable[..., Awaitable[SandboxResult]]


async def probe(sandbox: Sandbox, scratch: Path) -> list[TriedLimit]:
    """Every limit, each in a sandbox of its own."""
    tree, outside = _ground(scratch)

    async def run(script: str, limits: SandboxLimits = SandboxLimits()) -> SandboxResult:
        return await sandbox.run(SandboxJob(["/bin/sh", "-c", script], tree, limits=limits))

    tries = (
        partial(_files, run, outside),
        partial(_network, run),
        partial(_privileges, run),
        partial(_syscalls, run),
        partial(
            _over,
            run,
            "processes",
            FORK,
            "counted many times a second and killed; the kernel stops 32 threads for each",
        ),
        partial(
            _over,
            run,
            "memory",
            HOG,
            "summed many times a second and killed; for each process the kernel refuses at once",
        ),
        partial(_over, run, "disk", FILL, "summed twice a second and killed; for each file the kernel refuses at once"),
        partial(
            _over, run, "runtime", "sleep 15", "killed, with everything it started", SandboxLimits(runtime_seconds=0.5)
        ),
    )
    try:
        # One after the other: where the sandbox cannot be built, the first says why.
        return [await each() for each in tries]
    finally:
        paths.remove(tree)
        outside.unlink()


def _ground(scratch: Path) -> tuple[Path, Path]:
    """A tree to try things in, and a file beside it that is none of its business."""
    scratch.mkdir(mode=0o711, parents=True, exist_ok=True)
    tree = Path(tempfile.mkdtemp(prefix="probe-", dir=scratch))
    hand_over(tree)
    outside = scratch / f"{tree.name}.outside"
    outside.write_text("not to be seen")
    return tree, outside


async def _files(run: Run, outside: Path) -> TriedLimit:
    outcome = await run(
        f"cat {outside}; touch /etc/x /usr/x {outside}; ls -A /root /home /var; touch mine && echo wrote"
    )
    holds = outcome.stdout == b"wrote\n"
    return _seen("files", holds, "mount namespace", "its own tree and nothing else" if holds else _short(outcome))


async def _network(run: Run) -> TriedLimit:
    outcome = await run("cat /proc/net/dev | tail -n +3 | cut -d: -f1")
    holds = outcome.stdout.split() == [b"lo"]
    return _seen(
        "network", holds, "network namespace; domains through a proxy", "no way out" if holds else _short(outcome)
    )


async def _privileges(run: Run) -> TriedLimit:
    outcome = await run("grep -hE 'CapEff|CapBnd|NoNewPrivs' /proc/self/status | cut -f2")
    holds = outcome.stdout.split() == [b"0" * 16, b"0" * 16, b"1"]
    seen = "none, and none to be had" if holds else _short(outcome)
    return TriedLimit("privileges", holds, "kernel", "user namespace, no capabilities, no new privileges", seen)


async def _syscalls(run: Run) -> TriedLimit:
    outcome = await run("grep Seccomp: /proc/self/status | cut -f2; unshare -U true 2>/dev/null && echo nested")
    holds = outcome.stdout == b"2\n"
    return _seen(
        "syscalls", holds, "seccomp", "filtered; no namespace within" if holds else "not filtered: " + _short(outcome)
    )


async def _over(run: Run, limit: str, script: str, how: str, limits: SandboxLimits = SMALL) -> TriedLimit:
    outcome = await run(script, limits)
    holds = outcome.killed_by == limit
    return _seen(limit, holds, how, f"{outcome.why}" if holds else "not stopped: " + _short(outcome))


def _seen(limit: str, holds: bool, how: str, seen: str) -> TriedLimit:
    return TriedLimit(limit, holds, enforced()[limit] if holds else "nothing", how, seen)


def _short(outcome: SandboxResult) -> str:
    return (outcome.stdout + outcome.stderr).decode(errors="replace").strip()[:200] or f"exit {outcome.exit}"
