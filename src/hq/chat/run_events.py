"""Run events: what somebody who follows a run is told, and how far they were: each once, whatever breaks in between (001 §5, B).

How far is all there is to remember: the thread's step, and for each worker how much of it was told. So whoever comes back
with the id of the last event they saw is told the rest, by any process.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import NamedTuple

from hq.chat.run import ChatRun, spawns, thought
from hq.json_types import EventPayload
from hq.sessions.workers.record import Worker
from hq.stream.cursor import Cursor

STARTED, COMPLETE, SUMMARY, ASKS = 1, 2, 3, 4
"""How much of a worker was told; that it was spawned is told with its step."""
ORDER = (0, STARTED, ASKS, COMPLETE, SUMMARY)


class RunEvent(NamedTuple):
    name: str
    data: EventPayload
    upto: Cursor


def news(run: ChatRun, upto: Cursor | None, models: Mapping[str, str]) -> Iterator[RunEvent]:
    """What was not told yet, in order. `models` are the names of the tiers' models."""
    if upto is None:
        upto = Cursor.of_run()
        yield RunEvent("supervisor_started", {"run_id": run.id, "thread_id": run.thread_id, "task": run.task}, upto)
    if upto.end:
        return
    for step in run.steps:
        if step.step <= upto.at:
            continue
        spawned = spawns(step) and len(upto.beside) < len(run.workers)
        worker = run.workers[len(upto.beside)] if spawned else None
        upto = upto._replace(at=step.step, beside=upto.beside + ("0" if worker else ""))
        if worker:
            model = models.get(worker.tier, worker.tier)
            yield RunEvent("worker_spawned", {"job_id": worker.job, "task": worker.task, "model": model}, upto)
        elif approval := step.kind == "verb" and not step.payload["ok"] and step.payload.get("approval"):
            yield RunEvent("approval_required", {"approval": approval, "message": step.payload.get("why") or ""}, upto)
        elif message := thought(step):
            yield RunEvent("supervisor_thinking", {"message": message}, upto)
    for place, worker in enumerate(run.workers[: len(upto.beside)]):
        for stage, name, data in _stages(worker):
            if ORDER.index(int(upto.beside[place])) < ORDER.index(stage):
                upto = upto._replace(beside=f"{upto.beside[:place]}{stage}{upto.beside[place + 1 :]}")
                yield RunEvent(name, data, upto)
    if run.status != "running":
        yield _end(run, upto._replace(end=True))


def _stages(worker: Worker) -> Iterator[tuple[int, str, EventPayload]]:
    named = {"job_id": worker.job, "worker_id": worker.name}
    if worker.started_at:
        yield STARTED, "worker_started", named
    if worker.approval:
        message = f"{worker.name} waits for your approval"
        yield ASKS, "approval_required", {**named, "approval": worker.approval, "message": message}
    if worker.over:
        yield (
            COMPLETE,
            "worker_complete",
            {**named, "status": outcome(worker), "duration_ms": lasted(worker.started_at, worker.ended_at) or 0},
        )
        yield SUMMARY, "worker_summary_ready", {**named, "summary": worker.summary.text}


def _end(run: ChatRun, upto: Cursor) -> RunEvent:
    if run.status == "success":
        return RunEvent("supervisor_complete", {"run_id": run.id, "result": run.result}, upto)
    details = {"details": run.result} if run.result else {}
    return RunEvent("error", {"run_id": run.id, "message": run.trouble, **details}, upto)


def outcome(worker: Worker) -> str:
    """success, failed or timeout, by what the system saw; one that was called off has failed."""
    return "failed" if worker.status == "cancelled" else worker.status


def lasted(begun: datetime | None, ended: datetime | None) -> int | None:
    """In milliseconds."""
    return round((ended - begun).total_seconds() * 1000) if begun and ended else None
