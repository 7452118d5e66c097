"""Run events: what somebody who follows a run is told, and how far they were: each once, whatever breaks in between (001 §5, B).

How far is all there is to remember: the thread's step, and for each worker how much of it was told. So whoever comes back
with the id of the last event they saw is told the rest, by any process.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from hq.chat.run import ChatRun, spawns, thought
from hq.errors import Refused
from hq.json_types import JsonObject
from hq.sessions.workers.record import Worker

_ID = re.compile(r"(\d{1,9})-([0-4]{0,200})(-end)?")
STARTED, COMPLETE, SUMMARY, ASKS = 1, 2, 3, 4
"""How much of a worker was told; that it was spawned is told with its step."""
ORDER = (0, STARTED, ASKS, COMPLETE, SUMMARY)


@dataclass(frozen=True)
class RunCursor:
    """How far somebody was told. No `Cursor`: workers go on side by side, so one place in one session does not say it."""

    step: int = 0
    workers: str = ""
    """One digit for each that was spawned."""
    end: bool = False

    def __str__(self) -> str:
        return f"{self.step}-{self.workers}{'-end' if self.end else ''}"

    @classmethod
    def parse(cls, text: str) -> RunCursor:
        if (found := _ID.fullmatch(text)) is None:
            raise Refused.invalid(f"{text[:40]!r} is no place in a run; pass on the `id` of the last event")
        return cls(int(found[1]), found[2], bool(found[3]))


class RunEvent(NamedTuple):
    name: str
    data: JsonObject
    upto: RunCursor


def news(run: ChatRun, upto: RunCursor | None, models: Mapping[str, str]) -> Iterator[RunEvent]:
    """What was not told yet, in order. `models` are the names of the tiers' models."""
    if upto is None:
        upto = RunCursor()
        yield RunEvent("supervisor_started", {"run_id": run.id, "thread_id": run.thread_id, "task": run.task}, upto)
    if upto.end:
        return
    for step in run.steps:
        if step.step <= upto.step:
            continue
        spawned = spawns(step) and len(upto.workers) < len(run.workers)
        worker = run.workers[len(upto.workers)] if spawned else None
        upto = replace(upto, step=step.step, workers=upto.workers + ("0" if worker else ""))
        if worker:
            model = models.get(worker.tier, worker.tier)
            yield RunEvent("worker_spawned", {"job_id": worker.job, "task": worker.task, "model": model}, upto)
        elif approval := step.kind == "verb" and not step.payload["ok"] and step.payload.get("approval"):
            yield RunEvent("approval_required", {"approval": approval, "message": step.payload.get("why") or ""}, upto)
        elif message := thought(step):
            yield RunEvent("supervisor_thinking", {"message": message}, upto)
    for place, worker in enumerate(run.workers[: len(upto.workers)]):
        for stage, name, data in _stages(worker):
            if ORDER.index(int(upto.workers[place])) < ORDER.index(stage):
                upto = replace(upto, workers=f"{upto.workers[:place]}{stage}{upto.workers[place + 1 :]}")
                yield RunEvent(name, data, upto)
    if run.status != "running":
        yield _end(run, replace(upto, end=True))


def _stages(worker: Worker) -> Iterator[tuple[int, str, JsonObject]]:
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


def _end(run: ChatRun, upto: RunCursor) -> RunEvent:
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
