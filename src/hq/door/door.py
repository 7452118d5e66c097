"""The door itself: every call, by whoever, takes these steps in this order."""

from __future__ import annotations

import asyncio
import random
import time
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, TypeVar
from uuid import UUID

import psycopg
import structlog
from psycopg import AsyncConnection, errors
from psycopg_pool import AsyncConnectionPool, PoolTimeout
from pydantic import BaseModel, ValidationError

from hq.clock import Clock
from hq.database.queries import beside
from hq.door.arguments import check_call, parse
from hq.door.borders import not_given
from hq.door.caller import Caller, OpenedCallRow, caller_from, token_hash
from hq.door.driver_errors import FENCE, as_defect, fenced, translated
from hq.door.effect import run_effect
from hq.door.gate import AskDesk, GateVerdict, Policy, judge
from hq.door.names import name_slugs
from hq.door.outcome import Outcome
from hq.door.rate_limit import RateLimit, from_outside
from hq.door.record import announce, record
from hq.door.replay import EarlierCall, done_before, waiting
from hq.door.statements import in_one_trip, roll_back
from hq.door.tx import Call, Freeze, Tx
from hq.door.verb import Args, Registry, Verb
from hq.door.waker import STEPS, WORK, Waker
from hq.errors import Defect, HqError, Outage, Refused, Waiting
from hq.graph.catalogue import Catalogue
from hq.graph.moment import AsOf, parse_as_of
from hq.graph.records import End
from hq.graph.rules import invalid
from hq.ids import new_id
from hq.json_types import CallResult

SQL = beside(__file__)
log = structlog.get_logger("hq.door")
T = TypeVar("T")
TRIES = 12
REASON = 500
"""Characters of why a call failed that what is made instead of it hears."""
SKEW = timedelta(days=1)


class Door:
    def __init__(
        self,
        pool: AsyncConnectionPool[AsyncConnection[Any]],
        registry: Registry,
        catalogue: Catalogue,
        clock: Clock,
        *,
        policies: Sequence[Policy] = (),
        desk: AskDesk | None = None,
        services: Sequence[object] = (),
        rate: RateLimit | None = None,
        given: Callable[[Registry, str], frozenset[str] | None] | None = None,
    ) -> None:
        self.pool = pool
        self.registry = registry
        self.catalogue = catalogue
        self.clock = clock
        self.policies = list(policies)
        self.desk = desk
        self.rate = rate or RateLimit()
        self._given = given
        self.services: dict[type[Any], Any] = {type(service): service for service in services}
        self.waker = Waker(pool)
        self.workers = Waker(pool, WORK)
        self.followers = Waker(pool, STEPS)
        self.founders: dict[UUID, End] = {}

    async def call(self, call: Call) -> Outcome:
        """Make a call. What goes wrong comes back in the outcome; nothing is half done."""
        started = time.perf_counter()
        try:
            verb = self.registry.get(call.verb)
            if from_outside(call):  # not even noted down: that would be as much work as the call
                self.rate.check(call.token)
        except (Refused, Outage) as error:
            return Outcome.failed(call.verb, error, call.trace_id)
        try:
            outcome, then = await self._attempt(verb, call)
        except HqError as error:
            outcome, then = await self._refused(verb, call, error, started), []
        except Exception as error:
            # The plain traceback: one with local variables would show the caller's token.
            log.error("defect", verb=verb.name, trace_id=str(call.trace_id), traceback=traceback.format_exc())
            outcome, then = await self._refused(verb, call, as_defect(error), started), []
        if call.session_id is not None:
            self.followers.wake(call.session_id)
        for index, following in enumerate(then):
            followed = await self.call(following)
            if not followed.ok or (index == 0 and not following.quiet):
                outcome = replace(outcome, data={**(outcome.data or {}), "result": followed.as_dict()})
            if not followed.ok:
                if following.fallback:
                    why = (followed.error or {}).get("message", "")
                    await self.call(replace(following.fallback, reason=why[:REASON]))
                break
        return outcome

    async def admit(self, token: str) -> None:
        """Refused where nobody holds this token."""
        async with self.opened_to_read(Call("auth.whoami", {}, token)):
            pass

    @asynccontextmanager
    async def opened_to_read(self, call: Call) -> AsyncIterator[Tx]:
        """For several reads in one transaction. Whether the caller may make each of them is asked of each of them."""
        async with self.opened(_noting(self.registry.get(call.verb)), call, noting=True) as tx:
            yield tx

    async def answer(self, tx: Tx, verb: Verb, args: Args) -> CallResult:
        """One of them: gated like any call, and done."""
        if tx.as_of is not None and tx.as_of.true_at is None:
            tx.as_of = await self._dated(tx, tx.as_of)
        await self.gated(tx, verb, args)
        return await self.do(tx, verb, args)

    async def _attempt(self, verb: Verb, call: Call) -> tuple[Outcome, list[Call]]:
        """Run it, again where Postgres asks for that: two calls met, or another one just used the same key."""
        args = parse(verb, call.args)
        check_call(call)
        if verb.preview and getattr(args, verb.preview):
            verb = replace(verb, kind="read", scope="read", gate="internal", emits=None)
        if verb.kind == "effect":
            return await run_effect(self, verb, args, call)
        return await self.again(lambda: self._run(verb, args, call))

    async def again(self, step: Callable[[], Awaitable[T]]) -> T:
        """Take a step until no other call is in its way: two met, or another was first with a key or a name."""
        taken = False
        for attempt in range(TRIES):
            try:
                return await step()
            except (errors.SerializationFailure, errors.DeadlockDetected):
                await asyncio.sleep(random.uniform(0, 0.004 * 2 ** min(attempt, 5)))
            except errors.UniqueViolation as error:
                if error.diag.constraint_name == FENCE:
                    raise fenced() from error
                if taken and error.diag.constraint_name != "agent_actions_once":
                    raise translated(error) from error
                taken = True
            except (psycopg.Error, PoolTimeout) as error:
                raise translated(error) from error
        raise Outage("too many calls met at the same place; try again")

    async def _run(self, verb: Verb, args: Args, call: Call) -> tuple[Outcome, list[Call]]:
        started = time.perf_counter()
        async with self.opened(verb, call) as tx:
            verdict = await self.gated(tx, verb, args)
            if earlier := await done_before(tx, verb, args):
                return earlier, []
            if verdict.decision == "ask":
                return await self.parked(tx, verb, args, verdict, started), []
            if verdict.grant and self.desk:
                await self.desk.use(tx, verdict.grant)
            data = await self.do(tx, verb, args)
            await self.resumed(tx)
            announce(tx, verb, verdict, data)
            waits = verb.kind == "wait" and bool(data.get("waits_for"))
            status = "waiting" if waits else "ok"
            sequence = await record(tx, verb, args, data, status, started, verdict=verdict)
            then = tx.follow_ups
        if tx.events:
            self.waker.wake()
        if tx.queues_work:
            self.workers.wake()
        await self._afterwards(tx)
        if waits:
            return waiting(verb, data, tx.action_id, call.trace_id, sequence), then
        marks = frozenset(tx.taint)
        return Outcome(
            True, verb.name, data, tx.action_id, call.trace_id, sequence=sequence, taint=marks, has_mail=tx.has_mail
        ), then

    async def _afterwards(self, tx: Tx) -> None:
        """What follows outside the database. The call is made, so nothing here can fail it."""
        for step in tx.on_committed:
            try:
                await step()
            except Exception:
                log.error("what follows a call did not work", verb=tx.call.verb, traceback=traceback.format_exc())

    # ---- the steps

    @asynccontextmanager
    async def opened(
        self, verb: Verb, call: Call, action_id: UUID | None = None, *, finishing: bool = False, noting: bool = False
    ) -> AsyncIterator[Tx]:
        """Identify and authorise: one transaction for the tenant of the token. Commits at the end, or leaves nothing
        behind. For a call that is only noted down as refused, knowing whose it was is enough.
        """
        action_id = action_id or new_id()
        now = self.clock.now()
        as_of, tx = parse_as_of(call.at, call.known_at, now), None
        async with self.pool.connection() as conn:
            try:
                rows = await in_one_trip(
                    conn,
                    SQL["open_to_write" if verb.changes else "open_to_read"],
                    [
                        token_hash(call.token),
                        call.actor,
                        call.reason,
                        action_id,
                        verb.name,
                        call.key,
                        now,
                        verb.changes,
                        finishing,
                    ],
                )
                if not rows:
                    raise Refused.unauthenticated(
                        "no valid credential: it is missing, unknown, expired or revoked",
                        hint="`hq auth login` makes a new one",
                    )
                row = rows[0].into(OpenedCallRow)
                if row.actor is None and not noting:
                    raise Refused.forbidden(f"{call.actor!r} is not an actor this credential may narrow itself to")
                tx = Tx(self, conn, call, self._caller(row), row.seq, action_id, as_of)
                tx.freezes = [Freeze(**each) for each in row.freezes]
                tx.earlier = EarlierCall.of(row.before) if row.before else None
                self.rate.learn(call, tx.caller)
                if call.approval_id is None and not noting:  # else it is checked by what the one who asked holds
                    tx.caller.check(verb)
                if as_of is not None and as_of.true_at is None:
                    tx.as_of = await self._dated(tx, as_of)
                if as_of is not None and not verb.past:
                    raise Refused.invalid(f"{verb.name} has no view of the past; leave --at away")
                if as_of is not None and verb.changes:
                    raise Refused.invalid("the past cannot be changed; leave --at away, or say --valid-from")
                yield tx
                if not tx.closed:
                    await conn.execute("commit")
            except BaseException as error:
                if isinstance(error, HqError) and tx is not None:
                    error.marks |= tx.taint
                await roll_back(conn)
                raise

    def _caller(self, row: OpenedCallRow) -> Caller:
        return caller_from(row, self._given(self.registry, row.record) if self._given and row.record else None)

    async def _dated(self, tx: Tx, as_of: AsOf) -> AsOf:
        last = as_of.true_upto if as_of.true_upto is not None else max((as_of.upto or 0, *as_of.also))
        moment = await tx.scalar(SQL["moment_of"], [last], of=datetime) or tx.now
        if as_of.true_upto is not None:
            return replace(as_of, true_at=moment)
        # Nothing up to that call was recorded much later than it, whatever the clocks: so the search can stop there.
        return replace(as_of, true_at=moment, known_at=moment + SKEW)

    async def gated(self, tx: Tx, verb: Verb, args: Args) -> GateVerdict:
        await name_slugs(tx, verb, args)
        if tx.call.approval_id is not None and self.desk:
            await judge(tx, verb, args, self.policies, None)
            await self.desk.may_resume(tx, verb, args)
            return GateVerdict("tell", verb.gate, "approved")
        verdict = await self.verdict(tx, verb, args)
        if tx.call.only is not None and verb.name not in tx.call.only:
            raise not_given(tx.caller, verb)
        return verdict

    async def verdict(self, tx: Tx, verb: Verb, args: Args) -> GateVerdict:
        """What the gate says of a call by who calls now; refused where it may not be made at all."""
        return await judge(tx, verb, args, self.policies, self.desk)

    async def resumed(self, tx: Tx) -> None:
        if tx.call.approval_id is not None and self.desk:
            await self.desk.resumed(tx)

    async def parked(self, tx: Tx, verb: Verb, args: Args, verdict: GateVerdict, started: float) -> Outcome:
        """The call waits: its arguments, the versions of its targets and an expiry are bound to the approval."""
        if self.desk is None or verb.secret:
            raise Refused.forbidden(f"{verb.name} needs the founder: {verdict.why}")
        if verb.kind == "write":  # what cannot work is refused now, not after somebody's yes
            async with tx.rehearsed():
                await self.do(tx, verb, args)
        data = await self.desk.park(tx, verb, args, verdict)
        sequence = await record(tx, verb, args, data, "waiting", started, verdict=verdict)
        self.waker.wake()
        error = Waiting(
            f"waiting for approval {data['approval']}: {verdict.why}", hint=f"`hq approval show {data['approval']}`"
        )
        return Outcome(False, verb.name, {**data}, tx.action_id, tx.call.trace_id, error.as_dict(), sequence=sequence)

    async def do(self, tx: Tx, verb: Verb, args: Args) -> CallResult:
        result = await handled(tx, verb, args)
        if verb.changes:
            await tx.check_required()
        return result.model_dump(mode="json", exclude_none=True)

    async def landed(self, tx: Tx, verb: Verb) -> bool:
        try:
            async with self.opened(_noting(verb), _plain(tx.call), noting=True) as after:
                return await after.scalar(SQL["landed"], [tx.action_id], of=int) is not None
        except (HqError, psycopg.Error, PoolTimeout) as error:
            raise Outage(
                "the database went away while this was being committed, so whether it was is not known; "
                "repeated under the same key it acts once"
            ) from error

    async def _refused(self, verb: Verb, call: Call, error: HqError, started: float) -> Outcome:
        """A call that failed leaves a row in the ledger too, as long as we know whose it was."""
        if error.code.name == "fenced":
            return Outcome.failed(verb.name, error, call.trace_id)
        try:
            args = parse(verb, call.args)
        except Refused:
            args = None
        try:
            async with self.opened(_noting(verb, call), _plain(call), noting=True) as tx:
                error = _sooner(tx, verb, call, error)
                tx.taint |= error.marks
                if call.approval_id is not None and self.desk:
                    await self.desk.gave_up(tx, call.approval_id, error)
                status = "refused" if isinstance(error, Refused) else "failed"
                await record(tx, verb, args, error.as_dict(), status, started, error=error)
        except Refused as unknown:  # a stranger is told only that
            return Outcome.failed(verb.name, unknown, call.trace_id)
        except (HqError, psycopg.Error, PoolTimeout):
            return Outcome.failed(verb.name, error, call.trace_id)
        return Outcome.failed(verb.name, error, call.trace_id, tx.action_id)


def _noting(verb: Verb, call: Call | None = None) -> Verb:
    """The same verb with nothing to do but to be noted down; with an approval, that has to be told too."""
    return replace(verb, kind="write" if call and call.approval_id else "read", past=True)


def _plain(call: Call) -> Call:
    """The call without what may itself be at fault."""
    plain = replace(call, key=None, at=None, known_at=None, approval_id=None)
    try:
        check_call(plain)
    except Refused:
        return replace(plain, actor=None, reason="")
    return plain


def _sooner(tx: Tx, verb: Verb, call: Call, error: HqError) -> HqError:
    """Whoever may not make a call hears that, not what else was wrong with it."""
    if call.approval_id is None:
        try:
            tx.caller.check(verb)
        except Refused as forbidden:
            return forbidden
    return error


async def handled(tx: Tx, verb: Verb, args: Args) -> BaseModel:
    try:
        result = await verb.handler(tx, args)
    except ValidationError as error:
        raise invalid(error, verb.name) from error
    if not isinstance(result, BaseModel):
        raise Defect(f"{verb.name} returned {type(result).__name__}, not a result")
    return result
