"""Execution of a skill's script: over ssh, in the sandbox, or on the machine of hq itself. The script comes in on its
standard input and its parameters in its environment, so that no value can become part of a command.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from hq.channels.command_result import CommandResult
from hq.channels.ssh import client as ssh
from hq.sandbox import Sandbox, SandboxJob, SandboxLimits, Shared
from hq.skills.folder import INTERPRETERS

MOST = 2**20
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
INSIDE = "/skill"


@dataclass(frozen=True)
class SkillScript:
    """What to run, ready to be sent anywhere."""

    path: str
    files: Mapping[str, bytes]
    env: Mapping[str, str]

    @property
    def interpreter(self) -> tuple[str, ...]:
        return INTERPRETERS[PurePosixPath(self.path).suffix]


async def over_ssh(target: ssh.SshTarget, script: SkillScript, seconds: float) -> CommandResult:
    command = ["env", *(f"{name}={value}" for name, value in script.env.items()), *script.interpreter]
    return await ssh.run(target, shlex.join(command), stdin=script.files[script.path], seconds=seconds, most=MOST)


async def in_sandbox(sandbox: Sandbox, script: SkillScript, seconds: float) -> CommandResult:
    """With all of the skill's files to read, and an empty directory to work in."""
    with tempfile.TemporaryDirectory(prefix="hq-skill-") as scratch:
        await asyncio.to_thread(_lay_out, Path(scratch), script.files)
        job = SandboxJob(
            [script.interpreter[0], f"{INSIDE}/{script.path}"],
            writable=Path(scratch) / "work",
            shared=[Shared(Path(scratch) / "skill", INSIDE)],
            env=script.env,
            limits=SandboxLimits(runtime_seconds=seconds, output_bytes=MOST),
        )
        outcome = await sandbox.run(job)
    code = outcome.exit if outcome.killed_by is None else None
    why = b"" if outcome.killed_by in (None, "runtime") else f"\n[stopped: {outcome.why}]\n".encode()
    return CommandResult(
        outcome.stdout, outcome.stderr + why, code, outcome.killed_by == "runtime", not outcome.truncated
    )


def _lay_out(scratch: Path, files: Mapping[str, bytes]) -> None:
    scratch.chmod(0o755)
    (scratch / "work").mkdir(mode=0o777)
    (scratch / "work").chmod(0o777)
    for path, content in files.items():
        place = scratch / "skill" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
        place.chmod(0o755)


async def here(script: SkillScript, seconds: float) -> CommandResult:
    """On this machine, outside the sandbox, which would hide what a check has to see. For hq's own scripts alone."""
    process = await asyncio.create_subprocess_exec(
        *script.interpreter,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={"PATH": PATH, "LANG": "C.UTF-8", "HOME": "/", **script.env},
        cwd="/",
        start_new_session=True,
    )
    timed_out = False
    out, err = b"", b""
    try:
        async with asyncio.timeout(seconds):
            out, err = await process.communicate(script.files[script.path])
    except TimeoutError:
        timed_out = True
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
    code = None if timed_out else process.returncode
    return CommandResult(out[:MOST], err[:MOST], code, timed_out, max(len(out), len(err)) <= MOST)
