"""Workers that wait for a yes: it costs them no time, and whoever follows the run hears of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

from hq.chat.run import ChatRun
from hq.chat.run_events import news
from hq.engine.sessions.journal import JournalStep
from hq.engine.sessions.steps import read_step
from hq.engine.sessions.trigger import SessionTrigger
from hq.sessions.limits import worker_deadline
from hq.sessions.workers.record import Worker
from hq.stream.cursor import Cursor

BEGUN = datetime(2026, 1, 1, 10, tzinfo=UTC)


def step(number: int, kind: str, minutes: int, **payload: Any) -> JournalStep:
    return JournalStep(number, read_step(kind, payload), None, BEGUN + timedelta(minutes=minutes))


def test_what_it_waits_for_a_yes_does_not_count_against_its_time():
    steps = [
        step(1, "open", 0),
        step(2, "wait", 1, **{"for": ["approval:1"]}),
        step(3, "verb", 61, call="a", ok=True),
        step(4, "wait", 62, **{"for": ["session:2"]}),
        step(5, "verb", 72, call="b", ok=True),
    ]

    deadline = worker_deadline(SessionTrigger(timeout=600), steps, BEGUN + timedelta(minutes=80))

    assert deadline == BEGUN + timedelta(minutes=10 + 60)


def test_while_it_still_waits_its_time_stands_still():
    steps = [step(1, "open", 0), step(2, "wait", 1, **{"for": ["approval:1"]})]

    deadline = worker_deadline(SessionTrigger(timeout=600), steps, BEGUN + timedelta(days=2))

    assert deadline == BEGUN + timedelta(days=2, minutes=9)
    assert worker_deadline(SessionTrigger(), steps, BEGUN) is None


def test_whoever_follows_the_run_is_told_once_that_an_approval_is_needed():
    worker = Worker(
        uuid4(),
        "disk",
        "Look",
        "founder",
        "waiting",
        None,
        BEGUN,
        BEGUN,
        None,
        "",
        "",
        7,
        approval="approve-ssh-exec-1",
    )
    spawn = SimpleNamespace(
        step=3, kind="verb", payload={"ok": True, "verb": "worker.spawn", "session": str(worker.id)}
    )
    run = ChatRun(1, 1, uuid4(), "chief", "Check", BEGUN, [spawn], [worker])

    events = list(news(run, Cursor.of_run(), {}))
    names = [event.name for event in events]

    assert names == ["worker_spawned", "worker_started", "approval_required"]
    assert events[-1].data["approval"] == "approve-ssh-exec-1"
    assert list(news(run, Cursor.parse(str(events[-1].upto), "run"), {})) == []
    done = replace(run, workers=[replace(worker, status="success", approval=None, ended_at=BEGUN)])
    after = [event.name for event in news(done, events[-1].upto, {})]
    assert after == ["worker_complete", "worker_summary_ready"]
