"""A run: something the founder wants done and waits for. All of it is read from the thread's journal and the ledger (001 §5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal
from uuid import UUID

from hq.chat.rows import RunStepRow, StartedRunRow
from hq.chat.status import waits
from hq.database.queries import beside
from hq.database.rows import RowReader
from hq.engine.sessions.life import OVER
from hq.engine.sessions.steps import WaitStep
from hq.sessions.spoken_text import spoken_text
from hq.sessions.workers.record import Worker
from hq.sessions.workers.spawn import workers_of

SQL = beside(__file__)
Status = Literal["running", "success", "failed", "timeout"]
SPAWNED = "worker.spawn"
MANY = 200
"""Workers of one run that are told of."""


@dataclass(frozen=True)
class ChatRun:
    id: int
    thread_id: int
    session: UUID
    agent: str
    task: str
    asked_at: datetime
    steps: Sequence[RunStepRow] = ()
    workers: Sequence[Worker] = ()
    """In the order in which they were spawned."""
    broke: str | None = None
    """Why its thread is over, where it never answered."""
    broke_at: datetime | None = None
    _rest: RunStepRow | None = field(default=None, compare=False)

    @property
    def status(self) -> Status:
        if self._rest is not None:
            if "broke_off" in self._rest.payload:
                return "failed"
            return "timeout" if "timed_out" in self._rest.payload else "success"
        return "running" if self.broke is None else "failed"

    @property
    def begun_at(self) -> datetime | None:
        """When it was taken up: what waits behind others in the thread has not begun."""
        return self.steps[0].created_at if self.steps else None

    @property
    def working(self) -> list[int]:
        """The steps behind which its mind was asked: all of its turns but the rest, with which it is over."""
        return [step.step for step in self.steps if step is not self._rest]

    @property
    def ended_at(self) -> datetime | None:
        return self._rest.created_at if self._rest is not None else self.broke_at

    @property
    def result(self) -> str:
        """The last thing that was said in it; of one that was cut off, as far as it came."""
        partial = self._rest.payload.get("partial") if self._rest is not None else ""
        texts = [text for step in self.steps if step.kind == "mind" and (text := spoken_text(step.payload["parts"]))]
        return partial or (texts[-1] if texts else "")

    @property
    def trouble(self) -> str:
        """What to tell whoever asked, where it did not come to an end by itself."""
        if self._rest is not None and self.status == "timeout":
            return f"I am sorry, I could not finish: {self._rest.payload['timed_out']}. Ask again to let me go on."
        broke = self.broke or (self._rest.payload.get("broke_off") if self._rest is not None else None)
        return f"I am sorry, I could not do this: {broke or 'no reason was given'}. Nothing goes on in the background."


async def read_run(reader: RowReader, id: int) -> ChatRun | None:
    """As it is now."""
    row = await reader.one(SQL["run"], {"id": id}, into=StartedRunRow)
    if row is None:
        return None
    steps: list[RunStepRow] = []
    if row.step is not None:
        about = {"run": row.id, "session": row.session_id, "from": row.step}
        steps = await reader.rows(SQL["run_steps"], about, into=RunStepRow)
    rest = steps[-1] if steps and _answers(steps[-1], row.id) else None
    over = rest is None and row.state in OVER
    return ChatRun(
        id=row.id,
        thread_id=row.thread_id,
        session=row.session_id,
        agent=row.agent,
        task=row.task,
        asked_at=row.created_at,
        steps=steps,
        workers=await _workers(reader, steps),
        broke=(row.closed_as or f"{row.agent} was stopped") if over else None,
        broke_at=row.ended_at if over else None,
        _rest=rest,
    )


def _answers(step: RunStepRow, run: int) -> bool:
    """Whether the thread rested there with a run's answer; where it does not say of which, with any."""
    rested = step.kind == "wait" and bool(step.payload.get("rests"))
    return rested and run in step.payload.get("answers", [run])


async def _workers(reader: RowReader, steps: Sequence[RunStepRow]) -> list[Worker]:
    ids = [UUID(step.payload["session"]) for step in steps if spawns(step)][:MANY]
    return await workers_of(reader, ids) if ids else []


def spawns(step: RunStepRow) -> bool:
    return step.kind == "verb" and bool(step.payload["ok"]) and step.payload["verb"] == SPAWNED


def thought(step: RunStepRow) -> str:
    """What a step says of how it goes, in one line; nothing where it says nothing."""
    match step.kind:
        case "open" | "wake":
            return "Analyzing your request..."
        case "wait" if not step.payload.get("rests"):
            found = waits(WaitStep.model_validate(step.payload), None)
            return found.why.capitalize() if found.state == "waiting" else ""
        case "mind":
            tools = [part["tool_name"] for part in step.payload["parts"] if part["part_kind"] == "tool-call"]
            return (spoken_text(step.payload["parts"]) or f"Using {', '.join(dict.fromkeys(tools))}") if tools else ""
    return ""
