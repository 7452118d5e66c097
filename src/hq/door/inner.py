"""Inner calls: a verb as part of another verb's work, by the same caller, in the same transaction, with its own row."""

from __future__ import annotations

import time
from typing import Any

from psycopg.types.json import Jsonb
from pydantic import BaseModel

from hq.door.arguments import args_hash, keepable, parse, recorded_args
from hq.door.door import SQL, handled
from hq.door.gate import GateVerdict, judge
from hq.door.record import announce
from hq.door.tx import Tx
from hq.door.verb import Verb
from hq.errors import Defect, Refused
from hq.ids import new_id
from hq.json_types import CallArgs


async def by_itself(tx: Tx, verb: Verb, args: Any) -> GateVerdict:
    """Judged as a call of who calls now. What is not for it, what it does not reach, and what would have to be asked about is
    refused."""
    tx.caller.check(verb)
    verdict = await judge(tx, verb, args, tx.door.policies, None)
    if verdict.decision == "ask" and tx.call.approval_id is None:
        raise Refused.forbidden(
            f"{verb.name} needs the founder: {verdict.why}",
            hint=f"call {verb.name} itself, not as a part of something else: then the founder is asked",
            ask="founder",
        )
    return verdict


async def inner_call(tx: Tx, name: str, values: CallArgs) -> BaseModel:
    """Judged like any call. What would have to be asked about is refused, and with it the whole call."""
    started, verb = time.perf_counter(), tx.door.registry.get(name)
    if verb.kind != "write":
        raise Defect(f"{name} is no write, so it cannot be part of another call")
    args = parse(verb, values)
    verdict = await by_itself(tx, verb, args)
    outer, tx.target = tx.target, None
    result = await handled(tx, verb, args)
    data = result.model_dump(mode="json", exclude_none=True)
    announce(tx, verb, verdict, data)
    await tx.conn.execute(
        SQL["record_inner"],
        [
            new_id(),
            tx.action_id,
            tx.caller.principal_id,
            tx.caller.credential_id,
            tx.call.session_id,
            tx.call.trace_id,
            verb.name,
            tx.target.type if tx.target else None,
            tx.target.id if tx.target else None,
            Jsonb(recorded_args(verb, args)),
            Jsonb(keepable(verb, data)),
            verdict.gate,
            verdict.decision,
            (time.perf_counter() - started) * 1000,
            args_hash(verb, args),
            sorted(tx.taint),
        ],
    )
    tx.target = outer
    return result
