"""Operations that coding programs ask about: each is an approval like any other, and every answer goes on with its run."""

from __future__ import annotations

from typing import Any

from hq.asks.answer import about_what
from hq.asks.approvals import CallApproval
from hq.asks.kinds import NO, AskAnswer
from hq.asks.types import Approval, Ask
from hq.coding.types import CodeRun, GivenAnswer, WantedOperation
from hq.door.tx import Tx
from hq.graph.records import Stored

ALLOW = "code.allow"
REFUSED = "the founder said no; find another way, or leave it out"


class OperationApproval(CallApproval):
    """Permission for one operation of a coding program; the run is another name for what it asks."""

    name = "operation"
    stands_for = CodeRun.type

    def fits(self, ask: Ask) -> bool:
        return isinstance(ask, Approval) and ask.verb == ALLOW

    async def answered(self, tx: Tx, ask: Stored[Approval], answer: AskAnswer) -> Stored[Approval]:
        ask = await super().answered(tx, ask, answer)
        if answer.key == NO:
            await _answer(tx, ask, allowed=False, why=answer.note or answer.text)
        return ask

    async def again(self, tx: Tx, ask: Stored[Approval], answer: AskAnswer) -> Stored[Approval] | None:
        became = await super().again(tx, ask, answer)
        if became is not None and answer.key == NO:
            await _answer(tx, became, allowed=False, why=answer.note or answer.text)
        return became

    async def allowed(self, tx: Tx, ask: Stored[Approval]) -> Stored[Approval]:
        """The word is the founder's own: with it the run has its answer, and no call of the agent's is left to be made."""
        if await _answer(tx, ask, allowed=True):
            came: dict[str, str] = {"status": "done", "outcome_action": str(tx.action_id)}
        else:
            came = {"status": "failed", "note": "the program does not wait for this any more"}
        ask = await tx.change(ask, came)
        tx.emit(f"approval.{ask.status}", id=str(ask.id), slug=ask.slug, verb=ask.props.verb)
        return ask

    async def withdrawn(self, tx: Tx, ask: Stored[Approval], why: str) -> None:
        """Nobody allowed it: the program goes on without."""
        await _answer(tx, ask, allowed=False, why=why)


async def open_ask(tx: Tx, run: Stored[CodeRun], wants: WantedOperation) -> Stored[Any] | None:
    """The ask that waits for somebody to decide what a run stopped before, if it asked anybody."""
    ask = await about_what(tx, run)
    return ask if ask and ask.props.stands == "open" and _operation(ask) == wants.fingerprint else None


def _operation(ask: Stored[Approval]) -> str:
    return str(ask.props.arguments.get("operation"))


async def _answer(tx: Tx, ask: Stored[Approval], *, allowed: bool, why: str | None = None) -> bool:
    """Whether the run still waited for this very answer: then it has it, and the job carries it on from there."""
    run = await tx.look_up(str(ask.props.arguments["ref"]), CodeRun)
    wants = run.props.wants if run else None
    if run is None or wants is None or run.props.status != "waiting" or wants.fingerprint != _operation(ask):
        return False
    told = "" if allowed else f"the founder said no: {why}" if why else REFUSED
    answer = GivenAnswer(operation=wants.fingerprint, allowed=allowed, why=told)
    run = await tx.change(run, {"status": "answered", "answer": answer.model_dump()})
    tx.emit("code.answered", run=run.slug, allowed=allowed)
    return True


KINDS = (OperationApproval(),)
