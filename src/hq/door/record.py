"""The record of a call: its row in the ledger, what its session's journal gets of it, and the commit, in one message."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, LiteralString

import psycopg
from psycopg.types.json import Jsonb

from hq.database.queries import beside
from hq.door.arguments import args_hash, gist, keepable, recorded_args
from hq.door.gate import GateVerdict
from hq.door.statements import in_one_trip
from hq.door.tx import Tx
from hq.door.verb import Args, Verb
from hq.errors import HqError
from hq.graph.moment import sequence_name
from hq.json_types import CallResult

SQL = beside(__file__)


@dataclass(frozen=True, slots=True)
class WatermarkRow:
    """What was settled when a read was recorded, and what it saw beyond that."""

    watermark: int
    seen: list[int]


async def record(
    tx: Tx,
    verb: Verb,
    args: Args | None,
    data: Any,
    status: str,
    started: float,
    *,
    verdict: GateVerdict | None = None,
    error: HqError | None = None,
) -> str:
    """Record the call and commit, in one message. Returns the sequence: the name of what it saw or made."""
    call = tx.call
    tx.closed = True
    row = await _closed(
        tx,
        verb,
        data,
        [
            tx.action_id,
            tx.caller.principal_id,
            tx.caller.credential_id,
            call.session_id,
            call.task_id,
            call.trace_id,
            call.parent_id,
            verb.name,
            verb.kind,
            tx.target.type if tx.target else None,
            tx.target.id if tx.target else None,
            Jsonb(recorded_args(verb, args) if args else None),
            Jsonb(keepable(verb, data) if verb.changes or error else gist(data)),
            status,
            error.code.name if error else None,
            verdict.gate if verdict else verb.gate,
            verdict.decision if verdict else None,
            (time.perf_counter() - started) * 1000,
            call.key if verb.changes else None,
            args_hash(verb, args) if args else None,
            sorted(tx.taint),
            tx.undoes,
            Jsonb(tx.events),
        ],
    )
    if row is None:
        return str(tx.seq)
    return sequence_name(row.watermark, [seq for seq in row.seen if seq != tx.seq] + [tx.seq])


def _journalled(tx: Tx, status: str, verb: Verb, data: Any) -> tuple[LiteralString, list[Any]]:
    """What a session's journal gets of its call: the whole outcome, once there is one."""
    where = tx.call.journal
    paused = status == "refused" and data["code"] == "paused"  # it is made once its session may go on
    if where is None or paused or status in ("waiting", "begun"):
        return "", []
    outcome = {"ok": True, "data": data} if status == "ok" else {"ok": False, "error": data}
    payload = {"call": where.tool_call, "verb": verb.name, "taint": sorted(tx.taint), **outcome}
    return SQL["journal_step"] + ";\n", [where.session_id, where.step, tx.action_id, Jsonb(payload), where.holder]


async def _closed(tx: Tx, verb: Verb, data: Any, values: list[Any]) -> WatermarkRow | None:
    try:
        closing, more = _journalled(tx, values[13], verb, data)
        query = closing + SQL["close_write" if verb.changes else "close_read"]
        rows = await in_one_trip(tx.conn, query, more + values)
        if closing:
            tx.has_mail = rows[0].values[0]
        return None if verb.changes else rows[-1].into(WatermarkRow)
    except psycopg.OperationalError:
        # The connection broke while it was committed: the ledger knows whether it was.
        if not tx.conn.broken or not verb.changes or not await tx.door.landed(tx, verb):
            raise
    return None


def announce(tx: Tx, verb: Verb, verdict: GateVerdict, data: CallResult) -> None:
    if verb.emits:
        tx.emit(
            verb.emits, **{k: v for k, v in keepable(verb, data).items() if isinstance(v, str | int | float | bool)}
        )
    if verdict.decision == "tell":
        asked = {"asks": ", ".join(tx.asks)} if tx.asks else {}
        tx.emit("founder.told", verb=verb.name, actor=tx.caller.actor, gate=verdict.gate, **asked)
