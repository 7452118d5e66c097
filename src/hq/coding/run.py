"""A run of a coding program, one stretch of it: from its start to its end or to where it has to ask.

Begin a tree, drive the program on it, take a snapshot, try the check, judge, write down, merge. Each of these is a call
through the door, so that the ledger has it; killed in between, the run stays `running` and `hq code resume` goes on.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

from hq.coding.adapter import HOME, Adapter, AnsweredOperation, CodingStep, Operation, OperationDecision, Order
from hq.coding.adapters import adapter
from hq.coding.destructive import destructive, policy
from hq.coding.driver import Driven, Driver, complaint
from hq.coding.gateway import Metered, MindUsage, open_gateway
from hq.coding.programs import CodingPrograms
from hq.coding.record import RunWait
from hq.coding.results import ChangedFiles, CheckRan, CodeExecuted, RunOutcome
from hq.door.outcome import Outcome
from hq.door.tx import Tx
from hq.errors import HqError, Outage, Refused
from hq.graph.records import Stored
from hq.guard.budgets import Budgets, Spender
from hq.ids import event_name
from hq.minds.service import Minds
from hq.sandbox import Sandbox, SandboxResult
from hq.workspace.directories import EMPTY, GLOBAL, TenantDirectories, limits_of
from hq.workspace.empty_test_run import ran_no_tests
from hq.workspace.program_run import ProgramRun
from hq.workspace.snapshots.changes import changes
from hq.workspace.snapshots.entries import printable
from hq.workspace.snapshots.threads import in_thread
from hq.workspace.types import Workspace
from hq.workspace.verbs.workspace_verbs import company, inside

SHOWN = 200
TAIL = 4000
SAID = 80_000
CHECK_SECONDS = 300
ENV = {"PYTHONDONTWRITEBYTECODE": "1"}


@dataclass(frozen=True)
class CodingTurn:
    """What the program is given this time."""

    props: Mapping[str, Any]
    """Of the run: everything when it begins, else what is different now."""
    run: str | None = None
    """The run to go on with."""
    prompt: str = ""
    answers: Mapping[str, OperationDecision] = field(default_factory=dict)
    """What was decided about operations, by their fingerprints."""
    asked: Operation | None = None
    """What the run stopped before, as it was told then."""
    used_before: int = 0
    cost_before: float | None = 0
    mission: UUID | None = None
    """Whose budget it is."""
    before: str | None = None
    """The snapshot that what is done counts from; unsaid, what is there now."""


async def call(tx: Tx, verb: str, **args: Any) -> Outcome:
    """A further call that belongs to this one."""
    made = await tx.door.call(inside(tx, verb, args))
    if not made.ok:
        kind = Refused if made.code not in ("outage", "defect", "busy") else Outage
        raise kind(made.message, code=made.code)
    return made


def call_key(tx: Tx) -> str | None:
    """By which a run is found again where the call that began it never reported back."""
    return f"{tx.caller.principal_id}:{tx.call.key}" if tx.call.key else None


def at_work(here: TenantDirectories, workspace: UUID, session: str) -> bool:
    """Whether some process of this machine drives a program in that tree."""
    try:
        with _alone(here, workspace, session):
            return False
    except Refused:
        return True


async def carry_out(tx: Tx, workspace: Stored[Workspace], turn: CodingTurn) -> CodeExecuted:
    here, session = company(tx), turn.props["session"]
    with _alone(here, workspace.id, session):
        await call(tx, "workspace.begin", ref=str(workspace.id), session=session)
        saved = await call(tx, "workspace.save", ref=str(workspace.id), session=session)
        before = turn.before or saved.data["snapshot"]
        props = {**turn.props, "began_with": before}
        key = call_key(tx) if turn.run is None else None
        program = await ProgramRun.begin(tx, workspace.id, session)
        begun = await call(tx, "code.begin", workspace=str(workspace.id), run=turn.run, call_key=key, props=props)
        work = CodingWork(tx, workspace, here, begun.data["slug"], replace(turn, before=before), program)
        try:
            return await work.do()
        except HqError as error:
            await call(tx, "code.settle", run=work.run, props={"status": "failed", "why": error.message})
            raise


class CodingWork:
    """What one stretch needs to know all along."""

    def __init__(
        self,
        tx: Tx,
        workspace: Stored[Workspace],
        here: TenantDirectories,
        run: str,
        turn: CodingTurn,
        program: ProgramRun,
    ) -> None:
        self.tx = tx
        self.workspace = workspace
        self.here = here
        self.run = run
        self.turn = turn
        self.program = program
        self.outcomes: list[SandboxResult] = []
        self.props: Mapping[str, Any] = turn.props

    async def do(self) -> CodeExecuted:
        driven, used = await self._drive()
        check = await self._check() if self._may_check(driven) else None
        changed, after = await self._changed()
        await self._taint()
        why = self._verdict(driven, check, changed) or _nothing(driven, used, changed)
        if check and not why and after == EMPTY:
            why = f"there is nothing that `{check['command']}` could show: no file was written"
        asked = driven.told.asked if not why else None
        merged = (
            await self._merge() if not why and not asked and self.props["merges"] and any(changed.values()) else None
        )
        told: RunOutcome = {
            "status": "failed" if why else "waiting" if asked else "done",
            "why": why or (f"it wants to run {asked.says}" if asked else None) or _left(merged),
            "wants": {
                "tool": asked.tool, "says": asked.says, "why": destructive(asked), "fingerprint": asked.fingerprint,
            } if asked else None,
            "exit_code": driven.outcome.exit,
            "tokens_used": self.turn.used_before + used.tokens,
            "cost": _sum(self.turn.cost_before, used),
            "merged": merged is not None and merged.ok,
            "undo": event_name(merged.action_id) if merged and merged.ok and merged.action_id else None,
            **changed,
        }  # fmt: skip
        said = driven.told.text[:SAID].replace("\0", "")
        kept = {
            "said": said,
            "answered_by": used.model or None,
            "left": after,
            "conversation": driven.told.conversation,
            "denied": len(driven.told.denied),
        }
        settled = await call(self.tx, "code.settle", run=self.run, props={**told, **kept})
        await self._log(told)
        return CodeExecuted(
            run=self.run,
            workspace=self.workspace.slug,
            session=self.props["session"],
            stdout=said,
            stderr=driven.outcome.stderr[-TAIL:].decode(errors="replace"),
            denied=[operation.says[:TAIL] for operation in driven.told.denied[:SHOWN]],
            check=check,
            seconds=round(driven.outcome.usage.seconds, 2),
            model=used.model,
            **told,
            **(self._waits(settled) if asked else RunWait()),
        )

    def _waits(self, settled: Outcome) -> RunWait:
        """An agent's call goes on waiting, at no cost, until the run is over; a person is told and decides."""
        if self.tx.caller.agent is None:
            return {}
        return {"waits_for": f"code:{self.run}", "waits_since": int(settled.sequence or 0)}

    async def _drive(self) -> tuple[Driven, MindUsage]:
        tx, props = self.tx, self.props
        minds = tx.use(Minds)
        found = (await minds.company(tx.caller.tenant_id)).choice("default")
        chain = found.chain or found.asked
        if props.get("model") and chain:
            chain = (replace(chain[0], model=props["model"]),)
            mind = await minds.one(tx.caller.tenant_id, chain[0])
        else:
            mind = await minds.mind(tx.caller.tenant_id)
        who: str = props.get("requester") or tx.caller.actor
        spender = Spender(
            tx.caller.tenant_id,
            who.partition(":")[2].partition("/")[0] or who,
            str(self.turn.mission) if self.turn.mission else None,
            tx.call.session_id,
            tx.call.task_id,
            purpose=f"code {self.run}",
        )
        stopping: list[str] = []
        left = props["token_budget"] - self.turn.used_before
        metered = Metered(
            mind,
            chain,
            Budgets(tx.door.pool, tx.door.clock),
            spender,
            left,
            props["mode"] == "cautious",
            stopping.append,
            tx.door.clock,
        )
        program = adapter(props["cli"])
        async with open_gateway(metered) as gateway:
            order = Order(
                prompt=self.turn.prompt,
                mode=props["mode"],
                model=(chain[0].model_for("default") if chain else "") or "script",
                key=gateway.key,
                conversation=props["conversation"],
                resume=self._goes_on(program),
                decide=policy(props["mode"], self.turn.answers),
                answered=self._answered(),
            )
            driver = Driver(program, order, self._note)
            metered.stop = driver.stop
            make = partial(self.here.job, self.workspace.id, self.workspace.props, props["session"])
            job = driver.job(make, gateway)
            limits = limits_of(self.workspace.props)
            seconds = min(limits.runtime_seconds, 60 * props["timeout_minutes"])
            job = replace(job, env={**ENV, **job.env}, limits=replace(limits, runtime_seconds=seconds))
            session = str(tx.call.session_id) if tx.call.session_id else None
            with tx.use(CodingPrograms).under_way(session, driver.stop):
                driven = await driver.run(tx.use(Sandbox), job)
        self.outcomes.append(driven.outcome)
        return driven, metered.used

    def _goes_on(self, program: Adapter) -> bool:
        """With the conversation of before. One that was killed before it wrote any down is asked again from the start."""
        if self.turn.run is None or not self.turn.prompt:
            return self.turn.run is not None
        home = self.here.tree(self.workspace.id, self.props["session"]) / Path(HOME).relative_to("/mission")
        return program.kept(home, self.props["conversation"])

    def _answered(self) -> AnsweredOperation | None:
        asked, answers = self.turn.asked, self.turn.answers
        return AnsweredOperation(asked, *answers.values()) if asked and answers else None

    async def _note(self, steps: Sequence[CodingStep]) -> None:
        await call(self.tx, "code.note", run=self.run, steps=[step.__dict__ for step in steps])

    def _may_check(self, driven: Driven) -> bool:
        return bool(self.props.get("check")) and not complaint(driven) and not driven.told.asked

    async def _check(self) -> CheckRan:
        """Evidence: the command is run by us, after the program has gone."""
        command = str(self.props["check"])
        limits = replace(limits_of(self.workspace.props), runtime_seconds=CHECK_SECONDS)
        job = self.here.job(
            self.workspace.id, self.workspace.props, self.props["session"], ["/bin/bash", "-c", command],
            env=ENV, limits=limits,
        )  # fmt: skip
        outcome = await self.tx.use(Sandbox).run(job)
        self.outcomes.append(outcome)
        said = (outcome.stdout + outcome.stderr)[-TAIL:].decode(errors="replace").replace("\0", "")
        await self._note([CodingStep.of("did", f"check: {command}", "check"), CodingStep.of("got", said)])
        return {"command": command, "exit_code": outcome.exit, "output": said.strip()}

    async def _changed(self) -> tuple[ChangedFiles, str]:
        """By comparing snapshots: what is on the disk, not what the program says it wrote."""
        saved = await call(self.tx, "workspace.save", ref=str(self.workspace.id), session=self.props["session"])
        after = saved.data["snapshot"]
        assert self.turn.before
        found = await in_thread(changes, self.here.blobs, self.turn.before, after)

        def those(what: str) -> list[str]:
            return [printable(each.path) for each in found if each.what == what][:SHOWN]

        return {
            "files_created": those("added"),
            "files_modified": those("changed"),
            "files_deleted": those("removed"),
        }, after

    def _verdict(self, driven: Driven, check: CheckRan | None, changed: ChangedFiles) -> str:
        """Why it failed; nothing if it did not."""
        if why := complaint(driven):
            return why
        if self.props["mode"] == "plan_only" and any(changed.values()):
            return "it changed files although only a plan was asked for"
        if check and check["exit_code"]:
            return f"the check failed: `{check['command']}` ended with exit code {check['exit_code']}"
        if check and ran_no_tests(check["output"]):
            return f"the check shows nothing: `{check['command']}` ran no tests"
        return ""

    async def _merge(self) -> Outcome:
        """A conflict is no failure of the run: it is said, and somebody decides."""
        args = {"ref": str(self.workspace.id), "session": self.props["session"]}
        return await self.tx.door.call(inside(self.tx, "workspace.merge", args))

    async def _log(self, told: RunOutcome) -> None:
        """The seed's execution log, which agents can read and not write."""
        entry = {
            "timestamp": self.tx.now, "run": self.run, "prompt": self.turn.prompt, "tokens_used": told["tokens_used"],
            "cost": told["cost"], "status": told["status"], "exit_code": told["exit_code"],
            "files_changed": [*told["files_created"], *told["files_modified"], *told["files_deleted"]],
        }  # fmt: skip
        await asyncio.to_thread(self.here.log, self.workspace.props, entry)

    async def _taint(self) -> None:
        """What came over the network, or lay there from outside, may have ended up in every word and every file."""
        if not await self.program.end(reached_outside=any(each.reached_outside for each in self.outcomes)):
            self.tx.taint.add(f"code:{self.run}")


def _nothing(driven: Driven, used: MindUsage, changed: ChangedFiles) -> str:
    """Why it is not done, where nothing was written and nothing was said that would be an answer."""
    said = driven.told.text.strip()
    if any(changed.values()) or driven.told.asked or (said and used.understood):
        return ""
    return said[:TAIL] or "it wrote nothing and said nothing"


def _left(merged: Outcome | None) -> str | None:
    return f"not merged: {merged.message}" if merged and not merged.ok else None


def _sum(before: float | None, used: MindUsage) -> float | None:
    return None if before is None or used.cost_usd is None else before + float(used.cost_usd)


@contextmanager
def _alone(here: TenantDirectories, workspace: UUID, session: str) -> Iterator[None]:
    """One program at a time in one tree. The lock goes with the process, so one that died holds nothing."""
    here.blobs  # noqa: B018 (makes the directories)
    descriptor = os.open(
        here.root / GLOBAL / f"{workspace}.{session}.run", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600
    )
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Refused.conflict(
                f"a coding program is at work in {session}; wait for it, or take another session"
            ) from None
        yield
    finally:
        os.close(descriptor)
