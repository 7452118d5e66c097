"""Effects: calls that act outside the database, journalled before they happen and after."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING
from uuid import UUID

from hq.database.queries import beside
from hq.door.arguments import args_hash
from hq.door.driver_errors import fenced
from hq.door.gate import GateVerdict
from hq.door.outcome import Outcome
from hq.door.record import announce, record
from hq.door.replay import asked_about, done_before, waiting
from hq.door.tx import Call, Tx
from hq.door.verb import Args, Verb
from hq.errors import Refused
from hq.ids import new_id
from hq.json_types import CallResult

if TYPE_CHECKING:
    from hq.door.door import Door

SQL = beside(__file__)


async def run_effect(door: Door, verb: Verb, args: Args, call: Call) -> tuple[Outcome, list[Call]]:
    """An outside effect: journalled before it happens and after. Only the journal is ever repeated, never it."""
    started, effect_id = time.perf_counter(), new_id()
    begun = await door.again(lambda: _begin(door, verb, args, call, effect_id, started))
    if isinstance(begun, Outcome):
        return begun, []
    tx, verdict = begun
    try:
        data = await door.do(tx, verb, args)
    except Refused as error:  # it says that nothing happened, so it may be tried again
        error.marks |= tx.taint
        await door.again(lambda: _drop(door, verb, call, effect_id))
        raise
    return await door.again(lambda: _finish(door, tx, verb, args, verdict, data, effect_id, started)), tx.follow_ups


async def _begin(
    door: Door, verb: Verb, args: Args, call: Call, effect_id: UUID, started: float
) -> Outcome | tuple[Tx, GateVerdict]:
    async with door.opened(verb, call) as tx:
        verdict = await door.gated(tx, verb, args)
        if earlier := await done_before(tx, verb, args):
            return earlier
        if verb.prepare:
            tx.prepared = await verb.prepare(tx, args)
        if verdict.decision == "ask":
            return await door.parked(tx, verb, args, verdict, started)
        if verdict.grant and door.desk:
            await door.desk.use(tx, verdict.grant)
        values = [effect_id, tx.caller.principal_id, verb.name, call.key, args_hash(verb, args)]
        begun = await tx.the_scalar(SQL["begin_effect"], values, of=bool)
        if call.journal:
            held = await tx.scalar(SQL["still_held"], [call.journal.session_id, call.journal.holder], of=int)
            if held is None:
                raise fenced()
        if not begun:
            if found := await asked_about(tx, verb):
                return found
            raise Refused(
                f"{verb.name} was begun before under this key and never reported back; check before repeating it",
                code="unknown_outcome",
            )
        await record(tx, verb, args, {"effect": str(effect_id)}, "begun", started, verdict=verdict)
    del tx.conn  # the effect is outside: the connection belongs to somebody else by now
    return tx, verdict


async def _finish(
    door: Door,
    tx: Tx,
    verb: Verb,
    args: Args,
    verdict: GateVerdict,
    data: CallResult,
    effect_id: UUID,
    started: float,
) -> Outcome:
    async with door.opened(verb, tx.call, action_id=effect_id, finishing=True) as after:
        await door.resumed(after)
        after.events, after.target = [*after.events, *tx.events], tx.target
        after.asks = tx.asks
        after.taint |= tx.taint
        for leave in tx.on_recorded:
            await leave(after)
        announce(after, verb, verdict, data)
        waits = bool(verb.result_of_wait and data.get("waits_for"))
        status = "waiting" if waits else "ok"
        sequence = await record(after, verb, args, data, status, started, verdict=verdict)
    door.waker.wake()
    if waits:
        return waiting(verb, data, effect_id, tx.call.trace_id, sequence)
    return Outcome(True, verb.name, data, effect_id, tx.call.trace_id, sequence=sequence, taint=frozenset(after.taint))


async def _drop(door: Door, verb: Verb, call: Call, effect_id: UUID) -> None:
    async with door.opened(verb, replace(call, key=None), finishing=True) as tx:
        await tx.conn.execute(SQL["drop_effect"], [effect_id])
