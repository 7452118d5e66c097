"""Replays: the answer of a call that was made before under its key, or that waits for what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from hq.door.arguments import same_call
from hq.door.caller import KeptCall
from hq.door.outcome import Outcome
from hq.door.tx import Tx
from hq.door.verb import Args, Verb
from hq.errors import Refused, Waiting


@dataclass(frozen=True)
class EarlierCall:
    """A call that was made before under the same key, as the ledger has it."""

    id: UUID
    trace_id: UUID
    seq: int
    status: Literal["ok", "waiting"]
    output: Any
    args_hash: str
    taint: frozenset[str]

    @classmethod
    def of(cls, kept: KeptCall) -> EarlierCall:
        id, trace = UUID(kept["id"]), UUID(kept["trace_id"])
        return cls(id, trace, kept["seq"], kept["status"], kept["output"], kept["args_hash"], frozenset(kept["taint"]))

    def still_waits(self, verb: Verb, output: Any) -> Outcome:
        return waiting(verb, output, self.id, self.trace_id, str(self.seq))


async def done_before(tx: Tx, verb: Verb, args: Args) -> Outcome | None:
    """Once: the same key with the same arguments answers as it did; with other arguments it is a conflict."""
    if (before := tx.earlier) is None:
        return None
    if not same_call(tx.call, verb, args, before.args_hash):
        raise Refused(
            f"the key {tx.call.key!r} was used for {verb.name} with other arguments", code="idempotency_conflict"
        )
    output, error = before.output, None
    if before.status == "waiting" and verb.result_of_wait and "approval" not in output:
        settled = await verb.result_of_wait(tx, output)
        if settled is None:
            return before.still_waits(verb, output)
        output = settled.model_dump(mode="json", exclude_none=True)
        if output.get("waits_for"):
            return before.still_waits(verb, output)
    elif before.status == "waiting" and tx.door.desk:
        became = await tx.door.desk.became(tx, UUID(output["id"]))
        if became.status == "refused":
            raise Refused.forbidden(became.why)
        output = became.output if became.status == "ok" else output
        error = Waiting(became.why).as_dict() if became.status == "waiting" else None
    return Outcome(
        error is None,
        verb.name,
        output,
        before.id,
        before.trace_id,
        error,
        sequence=str(before.seq),
        taint=before.taint | tx.taint,
        replayed=True,
    )


async def asked_about(tx: Tx, verb: Verb) -> Outcome | None:
    """An effect that began under this key and never reported back: what became of it, where its verb can tell."""
    settled = await verb.result_of_wait(tx, {}) if verb.result_of_wait else None
    if settled is None:
        return None
    data = settled.model_dump(mode="json", exclude_none=True)
    if data.get("waits_for"):
        return waiting(verb, data, tx.action_id, tx.call.trace_id, str(tx.seq))
    taint = frozenset(tx.taint)
    return Outcome(True, verb.name, data, tx.action_id, tx.call.trace_id, taint=taint, replayed=True)


def waiting(verb: Verb, data: Any, action_id: UUID, trace_id: UUID, sequence: str | None) -> Outcome:
    """The answer of a verb that waits: under the same key it is asked again for what came of it."""
    things = [data["waits_for"]] if isinstance(data["waits_for"], str) else data["waits_for"]
    error = Waiting(f"{verb.name} waits for {', '.join(things)}")
    return Outcome(False, verb.name, data, action_id, trace_id, error.as_dict(), sequence=sequence)
