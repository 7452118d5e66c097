"""A worker as the system knows it, and the files that its journal amounts to (001 §6.2)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NotRequired, TypedDict
from uuid import UUID

from hq.engine.sessions.life import LIVE
from hq.engine.sessions.steps import MindStep, NudgeNote, OpenStep, SummaryNote, VerbStep
from hq.json_text import json_value
from hq.sessions.workers.rows import WorkerRow, WorkerStepRow
from hq.sessions.workers.summary import VERSION, Summary, cut, summarise

Status = Literal["queued", "running", "waiting", "success", "failed", "timeout", "cancelled"]
IN_STATES: dict[str, tuple[list[str], bool | None]] = {
    "running": ([*LIVE], None),
    "success": (["done"], None),
    "failed": (["failed"], None),
    "timeout": (["stopped"], True),
    "cancelled": (["stopped"], False),
}
"""For a status that is asked for: the session's states, and whether its time was up."""
ANY = dict.fromkeys(("ids", "names", "sees", "parent", "states", "timed_out", "before"))
"""A query for workers that leaves nobody out."""
RESULT, THREAD, METADATA = "result.txt", "thread.jsonl", "metadata.json"
_PLAIN = re.compile(r"[^a-z0-9_]+")


class WorkerItem(TypedDict):
    """A worker in brief."""

    worker: str
    status: Status
    task: str
    summary: str
    at: str


class SummaryMetadata(TypedDict):
    """Where a worker's summary comes from."""

    version: int
    model: str | None
    generated_at: str | None
    error: str | None


class WorkerMetadata(TypedDict):
    """What the system knows of a worker, by the seed's names (001 §6.2)."""

    worker_id: str
    owner_id: str
    task: str
    status: Status
    started_at: str | None
    completed_at: str | None
    duration_ms: int | None
    model: str | None
    supervisor_run_id: int | None
    summary: str | None
    summary_meta: SummaryMetadata | None
    extracted: None


class ThreadCall(TypedDict):
    id: str
    name: str
    arguments: Any


class ThreadLine(TypedDict):
    """A message of a worker's conversation, as a line of its file."""

    role: Literal["system", "user", "assistant", "tool"]
    tool_call_id: NotRequired[str]
    content: str | None
    tool_calls: NotRequired[list[ThreadCall]]
    model: NotRequired[str | None]
    at: str | None


@dataclass(frozen=True)
class Worker:
    id: UUID
    name: str
    task: str
    owner: str
    """The company: the tenant is what the seed calls an owner."""
    status: Status
    parent: UUID | None
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    closed_as: str
    result: str
    opened_seq: int
    tier: str = "default"
    approval: str | None = None
    """The approval that it waits for."""
    run: int | None = None
    """The run for which it works."""

    @property
    def job(self) -> int:
        """Its number, which it has before it has begun: that of the call that spawned it."""
        return self.opened_seq

    @property
    def over(self) -> bool:
        return self.status not in LIVE

    @property
    def summary(self) -> Summary:
        """Never what the system acts on: that is the status."""
        if not self.over:
            return Summary("")
        if self.status == "success":
            return summarise(self.result, self.closed_as)
        return summarise(self.result, "") if self.result else Summary(cut(self.closed_as), "there is no result")

    def in_brief(self) -> WorkerItem:
        return {
            "worker": self.name,
            "status": self.status,
            "task": cut(self.task),
            "summary": self.summary.text,
            "at": self.created_at.isoformat(),
        }


def worker_of(row: WorkerRow) -> Worker:
    result, trigger = row.result, row.trigger
    text = (result.get("text") if result else None) or (row.closed_as or "" if row.state == "done" else "")
    return Worker(
        id=row.id,
        name=row.name or str(row.id),
        task=trigger.text,
        owner=str(row.tenant_id),
        status=_status(row.state, bool(result and result.get("timed_out"))),
        parent=row.parent_id,
        created_at=row.created_at,
        started_at=row.started_at,
        ended_at=row.ended_at,
        closed_as=row.closed_as or "",
        result=text,
        opened_seq=row.opened_seq or 0,
        tier=trigger.tier or "default",
        approval=row.approval,
        run=trigger.run,
    )


def _status(state: str, timed_out: bool) -> Status:
    match state:
        case "done":
            return "success"
        case "failed":
            return "failed"
        case "stopped":
            return "timeout" if timed_out else "cancelled"
        case "queued" | "running" | "waiting":
            return state
        case _:
            raise ValueError(state)


def files(worker: Worker, steps: Sequence[WorkerStepRow]) -> dict[str, str]:
    """Every file of its directory, by its path in there."""
    found = {METADATA: _json(metadata(worker, steps))}
    if worker.over:
        found[RESULT] = worker.result + "\n" if worker.result else ""
    found[THREAD] = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in _thread(steps))
    return found | dict(_tool_calls(steps))


def metadata(worker: Worker, steps: Sequence[WorkerStepRow]) -> WorkerMetadata:
    model = next((reply.model for step in reversed(steps) if isinstance(reply := step.said, MindStep)), None)
    lasted = worker.ended_at - worker.started_at if worker.ended_at and worker.started_at else None
    summary = worker.summary
    return {
        "worker_id": worker.name,
        "owner_id": worker.owner,
        "task": worker.task,
        "status": worker.status,
        "started_at": _moment(worker.started_at),
        "completed_at": _moment(worker.ended_at),
        "duration_ms": round(lasted.total_seconds() * 1000) if lasted is not None else None,
        "model": model,
        "supervisor_run_id": worker.run,
        "summary": summary.text or None,
        "summary_meta": {
            "version": VERSION,
            "model": model if not summary.error else None,
            "generated_at": _moment(worker.ended_at),
            "error": summary.error,
        }
        if worker.over
        else None,
        "extracted": None,
    }


def index(workers: Iterable[Worker]) -> str:
    """The master index: every worker of the company in brief."""
    return _json(
        [
            {
                "worker_id": worker.name,
                "owner_id": worker.owner,
                "task": worker.task,
                "status": worker.status,
                "started_at": _moment(worker.started_at),
                "completed_at": _moment(worker.ended_at),
                "summary": worker.summary.text or None,
            }
            for worker in workers
        ]
    )


def _tool_calls(steps: Sequence[WorkerStepRow]) -> Iterator[tuple[str, str]]:
    replies = [step.said for step in steps if isinstance(step.said, MindStep)]
    named = {call["tool_call_id"]: call["tool_name"] for reply in replies for call in reply.calls}
    outcomes = [(step.said, step) for step in steps if isinstance(step.said, VerbStep)]
    for number, (outcome, step) in enumerate(outcomes, 1):
        tool = outcome.verb or named.get(outcome.call, "unknown")
        yield f"tool_calls/{number:03d}_{_PLAIN.sub('_', tool.lower())[:60]}.txt", _raw(outcome, step)


def _raw(outcome: VerbStep, step: WorkerStepRow) -> str:
    """What a tool gave back, as it gave it: what a machine or a page said is its own text and nothing else."""
    if step.output is not None:
        return step.output.decode("utf-8", "replace")
    return outcome.data if isinstance(outcome.data, str) else f"{step.told}\n"


def _thread(steps: Sequence[WorkerStepRow]) -> Iterator[ThreadLine]:
    """The conversation, a message a line."""
    for step in steps:
        at = _moment(step.created_at)
        match step.said:
            case OpenStep(config=config, prompt=prompt):
                yield {"role": "system", "content": config["instructions"], "at": at}
                yield {"role": "user", "content": prompt, "at": at}
            case MindStep() as reply:
                calls: list[ThreadCall] = [
                    {"id": call["tool_call_id"], "name": call["tool_name"], "arguments": _arguments(call.get("args"))}
                    for call in reply.calls
                ]
                said = "\n".join(reply.texts)
                yield {"role": "assistant", "content": said, "tool_calls": calls, "model": reply.model, "at": at}
            case VerbStep(call=call):
                yield {"role": "tool", "tool_call_id": call, "content": step.told, "at": at}
            case NudgeNote(nudge=text) | SummaryNote(summary=text):
                yield {"role": "user", "content": text, "at": at}
            case _:
                pass


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _moment(moment: datetime | None) -> str | None:
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}" if moment else None


def _arguments(given: Any) -> Any:
    """What a tool was called with; what is no JSON, as it was said."""
    if not isinstance(given, str):
        return given
    try:
        return json_value(given)
    except ValueError:
        return given
