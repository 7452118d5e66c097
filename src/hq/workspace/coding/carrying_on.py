"""Carries coding runs on without anybody waiting for it: after a yes, after a no, and after the process that drove one died."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Protocol
from uuid import UUID

import structlog

from hq.door.access import STAFF
from hq.door.caller import new_token, token_hash
from hq.door.door import Door
from hq.door.tx import Call, Tx
from hq.door.verb import Args, Ref, first, verb
from hq.engine.house import House
from hq.engine.tenancy import rows
from hq.errors import Refused
from hq.ids import new_id
from hq.workspace.coding.adapter import Decision
from hq.workspace.coding.recording import workspace_of
from hq.workspace.coding.types import CodeRun
from hq.workspace.coding.verbs import INTERRUPTED, Ready, again, carried_out, mission_of
from hq.workspace.coding.working import Executed, at_work, call
from hq.workspace.places import Workspaces
from hq.workspace.verbs.keeping import usable

log = structlog.get_logger("hq.code")
TRIES = 3
"""How often a run whose process died is gone on with before it has failed."""
TOGETHER = 4
"""How many runs one process carries on at once."""
VALID = timedelta(hours=6)
WHY = {"answered": "It was answered.", "refused": "It was refused.", "running": "Its process died."}
REFUSED = "the founder said no; find another way, or leave it out"


class CarryOn(Args):
    """Which run."""

    ref: Ref = first()
    """The run: slug or id."""


@dataclass(frozen=True)
class Lost:
    """A run that took its process down with it too often."""

    run: str
    why: str
    ready: Ready


async def _what_is_due(tx: Tx, args: CarryOn) -> Ready | Lost:
    run = await tx.get(args.ref, CodeRun)
    tx.target = run
    due = await tx.one(
        "select what, why from ops.code_due(%s) where tenant_id = ops.tenant() and id = %s", [tx.now, run.id]
    )
    if due is None:
        raise Refused.conflict(f"{run.slug} is {run.props.status}; there is nothing to carry on")
    workspace = await usable(tx, str((await workspace_of(tx, run)).id))
    turn = again(run, await mission_of(tx, workspace))
    match due.what, run.props.answer, run.props.wants:
        case "answered", answer, _ if answer:
            decision = Decision("allow") if answer.allowed else Decision("deny", answer.why)
            turn = replace(turn, answers={answer.operation: decision})
        case "refused", _, wants if wants:
            why = f"the founder said no: {due.why}" if due.why else REFUSED
            turn = replace(turn, answers={wants.fingerprint: Decision("deny", why)})
        case _:
            lost = run.props.lost + 1
            turn = replace(turn, prompt=INTERRUPTED, props={**turn.props, "lost": lost})
            if lost >= TRIES:
                return Lost(run.slug, f"the process that drove it died {lost} times", Ready(workspace, turn))
    return Ready(workspace, turn)


@verb("code.carry_on", "effect", for_=STAFF, scope="write", hidden=True, target="ref", prepare=_what_is_due)
async def carry_on(tx: Tx, args: CarryOn) -> Executed:
    """Let a coding run go on that was answered or refused, or whose process died."""
    due: Ready | Lost = tx.prepared
    if isinstance(due, Ready):
        return await carried_out(tx, due)
    props = {"status": "failed", "why": due.why, "lost": due.ready.turn.props["lost"]}
    await call(tx, "code.settle", run=due.run, props=props)
    session = due.ready.turn.props["session"]
    return Executed(run=due.run, workspace=due.ready.workspace.slug, session=session, status="failed", why=due.why)


class Companies(Protocol):
    """What the house's duties share."""

    door: Door
    house: House

    def now(self) -> datetime: ...

    async def note(self, tenant: UUID, duty: str, did: str | None = None, failed: str | None = None) -> None: ...


@dataclass
class CarryOnCode:
    """Looks in SQL, and starts what is due beside the other duties: a coding program may take its time."""

    companies: Companies
    name: str = "code"
    says: str = "lets coding runs go on that were answered, refused, or lost with their process"
    every: float = 30.0
    on_news: bool = True
    _under_way: dict[UUID, asyncio.Task[None]] = field(default_factory=dict)

    async def run_once(self) -> int:
        started = 0
        for run in await rows(self.companies.door.pool, "select * from ops.code_due(%s)", [self.companies.now()]):
            if run.id in self._under_way or len(self._under_way) >= TOGETHER or self._driven(run):
                continue
            self._under_way[run.id] = asyncio.create_task(self._carry_on(run))
            started += 1
        return started

    async def finish(self) -> None:
        """Wait for what was started."""
        await asyncio.gather(*self._under_way.values())

    def _driven(self, run: Any) -> bool:
        here = self.companies.door.services[Workspaces].company(run.tenant_id)
        return at_work(here, run.workspace, run.session)

    async def _carry_on(self, run: Any) -> None:
        try:
            outcome = await self._call(run)
            failed = None if outcome.ok else str((outcome.error or {}).get("message"))
            await self.companies.note(run.tenant_id, self.name, f"{run.what}: {run.slug}", failed)
        except Exception:
            log.exception("a coding run could not be carried on", run=run.slug)
        finally:
            del self._under_way[run.id]

    async def _call(self, run: Any):
        """As the agent it works for, so that its budget, its approvals and its name stay what they were."""
        door, now, token = self.companies.door, self.companies.now(), new_token("agent")
        values = [run.id, run.tenant_id, run.requester or "", new_id(), token_hash(token), now, now + VALID]
        (made,) = await rows(door.pool, "select ops.code_key(%s, %s, %s, %s, %s, %s, %s) as made", values)
        args = {"ref": str(run.id)}
        if not made.made:  # a person's: the house does it, and what it asks waits for that person
            return await self.companies.house.call(run.tenant_id, carry_on.name, args)
        return await door.call(Call(carry_on.name, args, token, reason=WHY[run.what]))


VERBS = (carry_on,)
