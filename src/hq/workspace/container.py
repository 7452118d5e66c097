"""`container_exec`: a shell command in the sandbox, on a session's working tree (seed 001 §3.5)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pydantic import Field

from hq.artifacts.store import Output, leave
from hq.channels.command_result import CommandResult
from hq.door.access import CREW
from hq.door.tx import Tx
from hq.door.verb import Verb, first, verb
from hq.errors import Refused
from hq.sandbox import Sandbox
from hq.workspace.directories import limits_of
from hq.workspace.program_run import ProgramRun
from hq.workspace.session_tree import IN_WORKSPACE, OWN_TREE, InTree, WorkingTree, place_of
from hq.workspace.verbs.workspace_verbs import company

MOST = 2 * 2**20


class ContainerExecArgs(InTree):
    command: str = first(min_length=1, max_length=100_000)
    """What the shell is to run, such as "pytest -q"."""
    stdin: str = Field("", max_length=200_000)
    """What it finds on its standard input."""
    network: bool = False
    """Let it reach what the workspace may reach. Without, there is no network at all."""
    timeout: float = Field(120, gt=0, le=1800)
    """Seconds until it is stopped; never more than the workspace allows."""


class ContainerExecuted(Output):
    """What a command did."""

    workspace: str
    exit_code: int | None = None
    """Absent where it was stopped."""
    killed_by: str | None = None
    """The limit it was stopped for: processes, memory, disk or runtime."""
    why: str = ""
    seconds: float
    memory_mb: float
    enforced_by: dict[str, str]
    """What each limit rested on: the kernel, somebody watching, or nothing."""
    reached: list[str] = Field(default_factory=list)
    """Where it connected to, or was not let."""


async def _ready(tx: Tx, args: ContainerExecArgs) -> WorkingTree:
    place = await place_of(tx, args)
    tx.target = place.workspace
    if args.network and not place.workspace.props.network:
        raise Refused.forbidden(
            f"programs in {place.workspace.slug} may not reach the network",
            hint=f"`hq workspace set {place.workspace.slug} --network` lets them",
        )
    return place


@verb("container.exec", "effect", shows=("network", "timeout"), for_=CREW, touches=(IN_WORKSPACE, OWN_TREE), emits="container.executed", target="workspace", prepare=_ready, tool="container_exec",
      examples=[{"command": "python3 -m pytest -q", "workspace": "app1", "session": "first"}], text="hq.channels.output_text:output")  # fmt: skip
async def exec_(tx: Tx, args: ContainerExecArgs) -> ContainerExecuted:
    """Run a shell command in the sandbox, on the working tree; nothing else is within its reach."""
    place: WorkingTree = tx.prepared
    tx.target = place.workspace
    workspace = place.workspace.props
    limits = limits_of(workspace)
    limits = replace(limits, runtime_seconds=min(args.timeout, limits.runtime_seconds), output_bytes=MOST)
    job = company(tx).job(
        place.workspace.id,
        workspace,
        place.session,
        ["sh", "-c", args.command],
        stdin=args.stdin.encode(),
        limits=limits,
    )
    run = await ProgramRun.begin(tx, place.workspace.id, place.session)
    done = await tx.use(Sandbox).run(job if args.network else replace(job, network="off", blocked=()))
    clean = await run.end(reached_outside=done.reached_outside)
    ran = CommandResult(done.stdout, done.stderr, done.exit if done.killed_by is None else None)
    return ContainerExecuted(
        workspace=place.workspace.slug,
        exit_code=ran.exit_code,
        killed_by=done.killed_by,
        why=done.why,
        seconds=round(done.usage.seconds, 3),
        memory_mb=round(done.usage.memory_mb, 1),
        enforced_by=dict(done.enforced_by),
        reached=[f"{r.host}:{r.port}{f' (refused: {r.refused})' if r.refused else ''}" for r in done.reached[:50]],
        **leave(tx, "container_exec", ran.printed, taint=None if clean else place.mark, complete=not done.truncated),
    )


class ContainerPolicy:
    """Without the network nothing leaves the sandbox. With it, a program can tell the world what it has read."""

    async def judge(self, tx: Tx, verb: Verb, args: Any) -> str | None:
        if verb.name != exec_.name or not args.network:
            return None
        place = await place_of(tx, args)
        if tx.taint:
            return "untargeted"
        return "reversible" if place.workspace.props.allowed_domains else "irreversible"


VERBS = (exec_,)
