"""Turns of runs in a thread: each run is worked on in turns of its own, and is over when one of them ends with its answer.

A turn is what follows when something is taken up, until the thread rests. While a run lies and waits for something, a chat
message may have its turn; the run's next one begins when what it waited for came back.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from hq.engine.sessions.journal import JournalStep
from hq.engine.sessions.steps import MindStep, OpenStep, RunRequest, SettledNote, WaitStep, WakeStep
from hq.engine.sessions.trigger import SessionTrigger


@dataclass
class RunTurns:
    """Read from a journal: which runs are open, whose turn it is, and how long each has worked."""

    open: dict[int, RunRequest] = field(default_factory=dict)
    """Taken up and not answered."""
    turn: list[RunRequest] = field(default_factory=list)
    """Those whose turn it is: one that was taken up, or none in a chat message's turn."""
    rests: bool = False
    """It is nobody's turn."""
    calls: dict[str, list[RunRequest]] = field(default_factory=dict)
    """Who wanted the calls that were made in a run's turn, by their id."""
    _worked: dict[int, timedelta] = field(default_factory=dict)
    _counts_from: datetime | None = None
    """Since when it works on what is not written down yet; none while it lies."""

    @classmethod
    def of(cls, trigger: SessionTrigger, steps: Iterable[JournalStep]) -> RunTurns:
        turns = cls()
        last: JournalStep | None = None
        for step in sorted(steps, key=lambda step: step.number):
            if last is not None:
                if step.number - last.number > 1:  # what was summed up is long answered
                    turns = cls()
                elif last.kind != "wait":  # what a run waits is not its own time
                    turns._work(step.at - last.at)
            turns._add(trigger, step)
            last = step
        turns._counts_from = last.at if last is not None and last.kind != "wait" else None
        return turns

    def deadline(self, now: datetime) -> datetime | None:
        """When the run whose turn it is has had its time."""
        since = self._counts_from or now
        ends = [since + timedelta(seconds=run.timeout) - self._spent(run) for run in self.turn if run.timeout]
        return min(ends, default=None)

    def answered(self, unsettled: Iterable[str]) -> list[RunRequest]:
        """The runs that are over when it rests now: whose turn it is, and whoever waits for nothing any more."""
        waiting = {run.id for call in unsettled for run in self.calls.get(call, ())}
        mine = {run.id for run in self.turn}
        return [run for run in self.open.values() if run.id in mine or run.id not in waiting]

    def _add(self, trigger: SessionTrigger, step: JournalStep) -> None:
        match step.payload:
            case OpenStep():
                self._take_up(trigger.runs)
            case WakeStep(runs=runs):
                self._take_up(runs)
            case SettledNote(runs=runs, quiet=False) if runs or self.rests:
                self._take_up([self.open.get(run.id, run) for run in runs])
            case MindStep() as reply if self.turn:
                self.calls.update({call["tool_call_id"]: self.turn for call in reply.calls})
            case WaitStep(rests=True, answers=answers):
                over = list(self.open) if answers is None else answers
                for run in over:
                    self.open.pop(run, None)
                self.turn, self.rests = [], True
            case _:
                pass

    def _take_up(self, runs: Sequence[RunRequest]) -> None:
        self.turn, self.rests = list(runs), False
        self.open.update({run.id: run for run in runs})

    def _work(self, lasted: timedelta) -> None:
        for run in self.turn:
            self._worked[run.id] = self._spent(run) + lasted

    def _spent(self, run: RunRequest) -> timedelta:
        return self._worked.get(run.id, timedelta())
