"""Continuation of coding runs without anybody waiting for it: after an answer, and after the process that drove one died."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta

from hq.coding.adapter import OperationDecision
from hq.coding.record import workspace_of
from hq.coding.results import CodeExecuted
from hq.coding.rows import CodeDueRow
from hq.coding.run import at_work, call
from hq.coding.types import CodeRun
from hq.coding.verbs import INTERRUPTED, PreparedRun, again, carried_out, mission_of
from hq.door.access import STAFF, Touch
from hq.door.caller import new_token, token_hash
from hq.door.outcome import Outcome
from hq.door.tx import Call, Tx
from hq.door.verb import Args, Ref, first, verb
from hq.engine.tenancy import outside
from hq.errors import Refused
from hq.ids import new_id
from hq.jobs.job import Every, Job, JobResult, Topic, found_by
from hq.jobs.run import JobFailed, JobRun
from hq.workspace.directories import Workspaces
from hq.workspace.verbs.workspace_verbs import usable

TRIES = 3
"""How often a run whose process died is gone on with before it has failed."""
TOGETHER = 4
"""How many runs one process carries on at once."""
VALID = timedelta(hours=6)
WHY = {"answered": "It was answered.", "running": "Its process died."}


class CodeCarryOnArgs(Args):
    """Which run."""

    ref: Ref = first()
    """The run: slug or id."""


@dataclass(frozen=True)
class Lost:
    """A run that took its process down with it too often."""

    run: str
    why: str
    ready: PreparedRun


async def _what_is_due(tx: Tx, args: CodeCarryOnArgs) -> PreparedRun | Lost:
    run = await tx.get(args.ref, CodeRun)
    tx.target = run
    due = await tx.one(
        "select c.*, c.slug as item from ops.code_due() c where c.tenant_id = ops.tenant() and c.id = %s",
        [run.id],
        into=CodeDueRow,
    )
    if due is None:
        raise Refused.conflict(f"{run.slug} is {run.props.status}; there is nothing to carry on")
    workspace = await usable(tx, str((await workspace_of(tx, run)).id))
    turn = again(run, await mission_of(tx, workspace))
    match due.what, run.props.answer:
        case "answered", answer if answer:
            decision = OperationDecision("allow") if answer.allowed else OperationDecision("deny", answer.why)
            turn = replace(turn, answers={answer.operation: decision})
        case _:
            lost = run.props.lost + 1
            turn = replace(turn, prompt=INTERRUPTED + run.props.prompt, props={**turn.props, "lost": lost})
            if lost >= TRIES:
                return Lost(run.slug, f"the process that drove it died {lost} times", PreparedRun(workspace, turn))
    return PreparedRun(workspace, turn)


@verb(
    "code.carry_on",
    "effect",
    for_=STAFF,
    touches=Touch("ref", "requested_code_run", ceo="own", operator="own"),
    scope="write",
    internal=True,
    target="ref",
    prepare=_what_is_due,
)
async def carry_on(tx: Tx, args: CodeCarryOnArgs) -> CodeExecuted:
    """Let a coding run go on that was answered, or whose process died."""
    due: PreparedRun | Lost = tx.prepared
    if isinstance(due, PreparedRun):
        return await carried_out(tx, due)
    props = {"status": "failed", "why": due.why, "lost": due.ready.turn.props["lost"]}
    await call(tx, "code.settle", run=due.run, props=props)
    session = due.ready.turn.props["session"]
    return CodeExecuted(run=due.run, workspace=due.ready.workspace.slug, session=session, status="failed", why=due.why)


async def carry_on_code(run: JobRun) -> JobResult | None:
    """One run that was answered, or lost with its process. A coding program may take its time."""
    if not isinstance(due := run.found.facts, CodeDueRow) or _driven(run, due):
        return None
    outcome = await _call(run, due)
    if not outcome.ok:
        raise JobFailed(outcome.message)
    return JobResult(f"{due.what}: {due.slug}")


def _driven(run: JobRun, due: CodeDueRow) -> bool:
    return at_work(run.use(Workspaces).company(due.tenant_id), due.workspace, due.session)


async def _call(run: JobRun, due: CodeDueRow) -> Outcome:
    """As the agent it works for, so that its budget, its approvals and its name stay what they were."""
    now, token = run.now, new_token("agent")
    values = [due.id, due.tenant_id, due.requester or "", new_id(), token_hash(token), now, now + VALID]
    async with outside(run.door.pool) as reader:
        made = await reader.the_scalar("select ops.code_key(%s, %s, %s, %s, %s, %s, %s) as made", values, of=bool)
    args = {"ref": str(due.id)}
    if not made:  # a person's: the house does it, and what it asks waits for that person
        return await run.call(carry_on.name, args)
    return await run.door.call(Call(carry_on.name, args, token, reason=WHY[due.what]))


VERBS = (carry_on,)
JOBS = (
    Job(
        name="code",
        says="lets coding runs go on that were answered, or lost with their process",
        on=(Topic("code*", "session.*"), Every(60)),
        due=found_by("select c.*, c.slug as item from ops.code_due() c", into=CodeDueRow),
        work=carry_on_code,
        timeout=VALID.total_seconds(),
        together=TOGETHER,
        outlives=True,
    ),
)
