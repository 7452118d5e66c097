"""A completion, read from its session's journal: what was said so far, and how it ended."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from hq.database.queries import beside
from hq.database.rows import RowReader
from hq.engine.sessions.journal import JournalStep, steps_of
from hq.engine.sessions.life import OVER
from hq.engine.sessions.steps import GivenUpNote, MindStep, NudgeNote, StepPayload, VerbStep, WaitStep, read_step
from hq.json_types import CallArgs
from hq.sessions.completions import answer_format
from hq.sessions.completions.request import CompletionArgs
from hq.sessions.completions.rows import CompletionCostRow, CompletionRow, ToldStepRow
from hq.sessions.spoken_text import readable, spoken_text

SQL = beside(__file__)
OWN = ("session:", "worker:")
"""What it waits for that works for it: its answer comes."""
Finish = Literal["stop", "length", "tool_calls"]


@dataclass(frozen=True)
class AskedCall:
    """A call for the program to make."""

    name: str
    arguments: str


@dataclass(frozen=True)
class Failure:
    sort: str
    """format, busy, budget, outage, refused, stopped or defect."""
    why: str
    until: datetime | None = None
    param: str | None = None

    @property
    def passes(self) -> bool:
        """Asked again the same may be answered: it was no answer. What somebody stopped stays so."""
        return self.sort in ("outage", "busy", "budget")


@dataclass(frozen=True)
class Completion:
    row: CompletionRow
    steps: Sequence[tuple[int, StepPayload]]

    @property
    def id(self) -> UUID:
        return self.row.id

    @property
    def replies(self) -> list[MindStep]:
        return [step for _, step in self.steps if isinstance(step, MindStep)]

    @property
    def lines(self) -> list[str]:
        """What was said, reply by reply, without what could not be used. Of an answer in a format only the last one counts, without a
        fence; where it was given up there is none."""
        said: list[str] = []
        for _, step in self.steps:
            if isinstance(step, NudgeNote):
                said = []
            elif isinstance(step, MindStep) and (text := spoken_text(step.response["parts"])):
                said.append(text)
        if self.row.format is None:
            return said
        return [answer_format.bare(said[-1])] if said and self.over and not self.failure else []

    @property
    def draft(self) -> str:
        """What is being said just now. What was said by now is none: the steps are read a moment later."""
        said = any(step >= (self.row.draft_step or 0) for step, _ in self.steps)
        return "" if said or self.row.format is not None else readable(self.row.draft or "")

    @property
    def over(self) -> bool:
        """Nothing more is to be waited for: it is answered or given up, or it waits for somebody else."""
        return self.row.state in OVER or self._waits is not None

    @property
    def calls(self) -> list[AskedCall]:
        """What the program is to call: whatever the last reply called that was not made here."""
        if self.row.state != "done" or not self.replies:
            return []
        made = {step.call for _, step in self.steps if isinstance(step, VerbStep)}
        left = [call for call in self.replies[-1].calls if call["tool_call_id"] not in made]
        return [AskedCall(call["tool_name"], _json(call.get("args"))) for call in left]

    @property
    def finish(self) -> Finish:
        if self.calls:
            return "tool_calls"
        return "length" if self.replies and self.replies[-1].response.get("finish_reason") == "length" else "stop"

    @property
    def text(self) -> str:
        """The answer as one; where it only waits and said nothing, that."""
        said = "\n\n".join(self.lines)
        return said or (f"({self._waits})" if self._waits else "")

    @property
    def failure(self) -> Failure | None:
        if self.row.state not in ("failed", "stopped"):
            return None
        for _, step in self.steps:
            if isinstance(step, GivenUpNote):
                return Failure(step.given_up, step.why, step.until, step.param)
        sort = "stopped" if self.row.state == "stopped" else "budget" if self.row.exit_code == 1 else "defect"
        return Failure(sort, self.row.closed_as or f"{self.row.agent} stopped")

    @property
    def tokens(self) -> tuple[int, int]:
        """In and out, of all that its minds read and said."""
        return sum(each.tokens_in for each in self.replies), sum(each.tokens_out for each in self.replies)

    @property
    def model(self) -> str | None:
        return self.replies[-1].model if self.replies else None

    @property
    def _waits(self) -> str | None:
        """What for, where that may take as long as somebody else likes."""
        last = self.steps[-1][1] if self.steps else None
        if self.row.state != "waiting" or not isinstance(last, WaitStep):
            return None
        if last.things and not last.rests:
            return None if last.things[0].startswith(OWN) else f"waits for {last.things[0].partition(':')[0]}"
        return "waits for the founder's approval" if last.things else "rests" if last.rests else None


async def read_completion(reader: RowReader, id: UUID) -> Completion | None:
    row = await reader.one(SQL["completion"], {"id": id}, into=CompletionRow)
    if row is None:
        return None
    steps = await reader.rows(SQL["told_steps"], {"id": id}, into=ToldStepRow)
    return Completion(row, [(each.step, read_step(each.kind, each.payload)) for each in steps])


async def request_of(reader: RowReader, id: UUID) -> CompletionArgs:
    """What a program asked; of a branch, what was asked of the session that it branched from."""
    return CompletionArgs.model_validate(await reader.the_scalar(SQL["request"], {"id": id}, of=dict))


async def completion_steps(reader: RowReader, id: UUID) -> list[JournalStep]:
    """None of a session that is no completion."""
    known = await reader.scalars(SQL["known"], {"ids": [id]}, of=UUID)
    return await steps_of(reader, id) if known else []


async def cost_of(reader: RowReader, id: UUID) -> CompletionCostRow:
    return await reader.the_one(SQL["cost"], {"id": id}, into=CompletionCostRow)


def _json(args: str | CallArgs | None) -> str:
    return args if isinstance(args, str) else json.dumps(args or {}, ensure_ascii=False)
