"""`hq code execute|resume|allow|deny`: let a coding program work in a workspace, and answer it when it asks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal
from uuid import UUID, uuid4

from pydantic import Field

from hq.asks.kinds import NO, YES
from hq.coding.adapter import Mode, Operation, OperationDecision
from hq.coding.adapters import adapter
from hq.coding.operations import ALLOW, REFUSED, open_ask
from hq.coding.record import EXAMPLE, SOURCE, waiting_for, workspace_of
from hq.coding.results import CodeExecuted
from hq.coding.run import CodingTurn, call, call_key, carry_out
from hq.coding.types import CodeRun
from hq.database.queries import beside
from hq.door.access import CREW, STAFF, Touch
from hq.door.tx import Tx
from hq.door.verb import Args, CostForecast, Ref, first, verb
from hq.errors import Refused
from hq.graph.records import Stored
from hq.graph.view import NodeFilter
from hq.guard.forecast import PastCostRow, of_past
from hq.ids import new_id
from hq.json_types import Props
from hq.sandbox import paths
from hq.workspace.lineage import mission_at_work
from hq.workspace.own_tree import own_tree
from hq.workspace.types import Workspace
from hq.workspace.verbs.workspace_verbs import NAME, company, inside, usable

Cli = Literal["claude", "codex", "chat"]

SQL = beside(__file__)


@dataclass(frozen=True)
class PreparedRun:
    workspace: Stored[Workspace]
    turn: CodingTurn
    asked: Stored[Any] | None = None
    """The ask that a person answers by answering the run itself."""


INTERRUPTED = "You were interrupted. Look at what is there and go on with what you were asked: "
"""Said again with the prompt, since of the conversation there may be nothing left."""
KEPT = (
    "mode", "cli", "model", "session", "conversation", "token_budget", "timeout_minutes", "check", "merges", "requester",
)  # fmt: skip
"""What a run goes on with as it was begun."""


class CodeExecuteArgs(Args):
    """What to build or change, and how."""

    workspace: Ref = first()
    """Slug of the workspace, or its path."""
    prompt: str = first(min_length=1, max_length=100_000)
    """What to build or change, in plain words."""
    mode: Mode = "yolo"
    """cautious asks before it destroys something, plan_only only plans."""
    context_files: list[str] = Field(default_factory=list, max_length=100)
    """Files to read first: paths within the mission, or shared/… ."""
    timeout_minutes: float = Field(15, gt=0, le=240)
    """How long the program may run at a time."""
    token_budget: int = Field(50_000, ge=1, le=100_000_000)
    """Tokens it may use, cached ones aside."""
    model: str | None = Field(None, max_length=200)
    """Model of the company's own mind to use; left out, the one it has for this."""
    cli: Cli | None = None
    """The coding program; left out, Claude's if installed, else hq's own."""
    session: str | None = Field(None, pattern=NAME)
    """Working tree to work on; left out, that of the session in which the call is made, else a new one."""
    resume: Ref | None = None
    """Run to go on with, in its tree."""
    check: str | None = Field(None, max_length=4000)
    """A command that must succeed in the end, such as the tests; hq runs it itself."""
    merge: bool = True
    """Whether what was done goes into the mission's files when it is done."""


async def find_workspace(tx: Tx, ref: str) -> Stored[Workspace]:
    """By slug or id, or by the path the seed calls it by."""
    if "/" not in ref:
        return await usable(tx, ref)
    path = ref.rstrip("/")
    workspace = await usable(tx, path.rpartition("/")[2])
    if not f"/{path}".endswith(f"/{workspace.props.path}"):
        raise Refused.not_found(f"{ref} is not the path of a workspace", hint="`hq workspace list` shows them")
    return workspace


async def mission_of(tx: Tx, workspace: Stored[Workspace]) -> UUID | None:
    mission = await mission_at_work(tx, workspace)
    return mission.id if mission else None


async def _to_execute(tx: Tx, args: CodeExecuteArgs) -> PreparedRun:
    workspace = await find_workspace(tx, args.workspace)
    if args.resume:
        run = await tx.get(args.resume, CodeRun)
        if run.props.status == "waiting":
            raise Refused.conflict(f"{run.slug} waits to be answered; `hq code allow` or `hq code deny` it first")
        if (await workspace_of(tx, run)).id != workspace.id:
            raise Refused.invalid(f"{run.slug} was not done in {workspace.slug}")
        turn = again(run, await mission_of(tx, workspace))
        told = {"token_budget": run.props.tokens_used + args.token_budget, "timeout_minutes": args.timeout_minutes}
        told |= {"prompt": args.prompt, "check": args.check, "mode": args.mode, "merges": args.merge}
        turn = replace(turn, prompt=_prompt(tx, workspace, args), props={**turn.props, **told}, before=None)
        return PreparedRun(workspace, turn)
    own = await own_tree(tx, workspace)  # whoever has a tree there finds in it what the program did
    props = {
        "title": " ".join(args.prompt.split())[:120],
        "prompt": args.prompt,
        "mode": args.mode,
        "cli": adapter(args.cli).name,
        "model": args.model,
        "session": args.session or (own.session if own else f"code-{new_id().hex[-8:]}"),
        "conversation": str(uuid4()),
        "token_budget": args.token_budget,
        "timeout_minutes": args.timeout_minutes,
        "check": args.check,
        "merges": args.merge and args.mode != "plan_only",
        "requester": tx.caller.actor,
    }
    return PreparedRun(
        workspace, CodingTurn(props, prompt=_prompt(tx, workspace, args), mission=await mission_of(tx, workspace))
    )


def _prompt(tx: Tx, workspace: Stored[Workspace], args: CodeExecuteArgs) -> str:
    """With the files to read first, as the program will find them."""
    named = []
    for file in args.context_files:
        top, _, rest = file.partition("/")
        names = paths.parts(rest if top == "shared" else file)
        if top == "shared" and not company(tx).root.joinpath("shared", *names).exists():
            raise Refused.not_found(f"there is no {file} in the shared tree")
        named.append("/".join(["/shared" if top == "shared" else "/mission", *names]))
    return args.prompt + ("\n\nRead these first:\n" + "\n".join(f"- {name}" for name in named) if named else "")


async def _settled(tx: Tx, earlier: Mapping[str, Any]) -> CodeExecuted | None:
    """What became of a run by now: the call that began it is answered with that, also where its process died."""
    if earlier:
        run = await tx.get(str(earlier["run"]), CodeRun)
    else:
        key = call_key(tx)
        found = await tx.find(NodeFilter(types=[CodeRun.type], external=(SOURCE, key), limit=1)) if key else ()
        if not found:
            return None
        run = found[0]
    tx.target = run
    props, workspace = run.props, await workspace_of(tx, run)
    same = {
        name: getattr(props, name) for name in CodeExecuted.model_fields if hasattr(props, name) and name != "denied"
    }
    return CodeExecuted.model_validate(
        same
        | {"wants": props.wants.model_dump() if props.wants else None}
        | {"run": run.slug, "workspace": workspace.slug, "stdout": props.said, "model": props.answered_by or ""}
        | {"check": earlier.get("check"), **waiting_for(run)}
    )


async def _cost(tx: Tx, args: CodeExecuteArgs) -> CostForecast:
    return of_past(await tx.rows(SQL["past_runs"], into=PastCostRow), "coding run")


@verb(
    "code.execute",
    "effect",
    forecast=_cost,
    shows=("mode", "check", "timeout_minutes", "resume"),
    for_=CREW,
    touches=(
        Touch("workspace", "tree", agent="mission", ceo="mission", project="own"),
        Touch("workspace", "workspace", agent="mission", ceo="mission", project="own", when=lambda args: args.merge),
    ),
    emits="code.executed",
    target="workspace",
    prepare=_to_execute,
    result_of_wait=_settled,
    examples=[{"workspace": "app1", "prompt": "Build a small web app that says hello.", "cli": "chat"}],
    text="hq.coding.coding_text:ran",
)
async def execute(tx: Tx, args: CodeExecuteArgs) -> CodeExecuted:
    """Let a coding program build or change something in a workspace, in the sandbox."""
    return await carried_out(tx, tx.prepared)


async def carried_out(tx: Tx, ready: PreparedRun) -> CodeExecuted:
    done = await carry_out(tx, ready.workspace, ready.turn)
    if not done.wants or not done.waits_for:
        return done
    # As the agent's own call: the gate parks it, and a yes of the founder carries it out.
    asks = inside(tx, ALLOW, {"ref": done.run, "operation": done.wants["fingerprint"]})
    who = tx.caller.actor.partition(":")[2] or tx.caller.actor
    tx.follow_ups.append(
        replace(asks, reason=f"{who} wants to run this in {done.workspace}: {done.wants['says']}"[:1000])
    )
    return done


class CodeAllowArgs(Args):
    """Which run."""

    ref: Ref = first()
    """The run: slug or id."""
    operation: str | None = Field(None, max_length=64)
    """The fingerprint of the operation, so that the answer is for that one alone; left out, what it waits for now."""


class CodeDenyArgs(CodeAllowArgs):
    why: str = Field(REFUSED, max_length=2000)
    """What the program is told."""


async def _to_answer(tx: Tx, args: CodeAllowArgs) -> PreparedRun:
    run = await tx.get(args.ref, CodeRun)
    wants = run.props.wants
    if run.props.status != "waiting" or wants is None:
        raise Refused.conflict(f"{run.slug} is {run.props.status}; it waits for no answer")
    if args.operation and args.operation != wants.fingerprint:
        raise Refused(f"{run.slug} waits for another operation by now: {wants.says}", code="stale")
    answer = OperationDecision("deny", args.why) if isinstance(args, CodeDenyArgs) else OperationDecision("allow")
    workspace = await workspace_of(tx, run)
    turn = again(run, await mission_of(tx, workspace))
    asked = await open_ask(tx, run, wants) if tx.caller.in_person else None
    return PreparedRun(await usable(tx, str(workspace.id)), replace(turn, answers={wants.fingerprint: answer}), asked)


async def _answered(tx: Tx, ready: PreparedRun, ask: Stored[Any], option: str, note: str | None = None) -> CodeExecuted:
    """What an agent's run asked is answered as every ask is; the house carries the run on, as that agent."""
    await call(tx, "ask.answer", ask=str(ask.id), option=option, note=note)
    run, session = ready.turn.run or "", ready.turn.props["session"]
    return CodeExecuted(run=run, workspace=ready.workspace.slug, session=session, status="answered")


def again(run: Stored[CodeRun], mission: UUID | None) -> CodingTurn:
    props: Props = {name: getattr(run.props, name) for name in KEPT}
    wants = run.props.wants
    return CodingTurn(
        props,
        run.slug,
        asked=Operation(wants.tool, {"command": wants.says.removeprefix(f"{wants.tool}: ")}) if wants else None,
        used_before=run.props.tokens_used,
        cost_before=run.props.cost,
        mission=mission,
        before=run.props.began_with,
    )


@verb(
    ALLOW,
    "effect",
    answers=True,
    for_=STAFF,
    touches=Touch("ref", "code_run", agent="mission", ceo="mission"),
    gate="destructive",
    emits="code.allowed",
    target="ref",
    prepare=_to_answer,
    examples=[{"ref": EXAMPLE}],
    text="hq.coding.coding_text:ran",
)
async def allow(tx: Tx, args: CodeAllowArgs) -> CodeExecuted:
    """Let a coding program that waits do what it asked for, once, and go on."""
    ready: PreparedRun = tx.prepared
    if ready.asked is not None:
        return await _answered(tx, ready, ready.asked, YES)
    return await carried_out(tx, ready)


@verb(
    "code.deny",
    "effect",
    answers=True,
    for_=STAFF,
    touches=Touch("ref", "code_run", agent="mission", ceo="mission"),
    emits="code.denied",
    target="ref",
    prepare=_to_answer,
    result_of_wait=_settled,
    examples=[{"ref": EXAMPLE}],
    text="hq.coding.coding_text:ran",
)
async def deny(tx: Tx, args: CodeDenyArgs) -> CodeExecuted:
    """Refuse what a coding program that waits asked for, and let it go on without."""
    ready: PreparedRun = tx.prepared
    if ready.asked is not None:
        return await _answered(tx, ready, ready.asked, NO, args.why if args.why != REFUSED else None)
    return await carried_out(tx, ready)


class CodeResumeArgs(Args):
    """Which run."""

    ref: Ref = first()
    """The run: slug or id."""
    token_budget: int | None = Field(None, ge=1, le=100_000_000)
    """Tokens it may use in all from now on."""
    prompt: str | None = Field(None, max_length=100_000)
    """What it is told; left out, to go on with what it was asked."""


async def _to_resume(tx: Tx, args: CodeResumeArgs) -> PreparedRun:
    run = await tx.get(args.ref, CodeRun)
    if run.props.status in ("waiting", "done"):
        hint = (
            "answer it with `hq code allow` or `hq code deny`"
            if run.props.status == "waiting"
            else (f"`hq code execute … --resume {run.slug}` goes on with its conversation")
        )
        raise Refused.conflict(f"{run.slug} is {run.props.status}", hint=hint)
    workspace = await workspace_of(tx, run)
    turn = again(run, await mission_of(tx, workspace))
    if args.token_budget:
        turn = replace(turn, props={**turn.props, "token_budget": args.token_budget})
    return PreparedRun(
        await usable(tx, str(workspace.id)), replace(turn, prompt=args.prompt or INTERRUPTED + run.props.prompt)
    )


@verb(
    "code.resume",
    "effect",
    for_=STAFF,
    touches=Touch("ref", "code_run", agent="mission", ceo="mission"),
    emits="code.resumed",
    target="ref",
    prepare=_to_resume,
    result_of_wait=_settled,
    examples=[{"ref": EXAMPLE}],
    text="hq.coding.coding_text:ran",
)
async def resume(tx: Tx, args: CodeResumeArgs) -> CodeExecuted:
    """Go on with a coding run that failed, or whose process died, from where it was."""
    return await carried_out(tx, tx.prepared)


VERBS = (execute, allow, deny, resume)
