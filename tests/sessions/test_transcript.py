"""A transcript, whatever happens in a session: what is sent is always in the order that providers take, and read back it is the same."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hq.clock import FakeClock
from hq.context import window
from hq.engine.sessions.journal import JournalStep
from hq.engine.sessions.steps import (
    CardNote,
    HeardNote,
    MindStep,
    NudgeNote,
    OpenStep,
    SessionWait,
    SetbackNote,
    SettledNote,
    StepPayload,
    SummaryNote,
    VerbStep,
    WaitStep,
    WakeStep,
    WindowNote,
)
from hq.sessions.transcript import Transcript
from tests.support.message_order import wrong_in

NOW = FakeClock().now()


def reply(text: str, *ids: str) -> MindStep:
    parts: list[Any] = [{"part_kind": "text", "content": text}] if text else []
    parts += [{"part_kind": "tool-call", "tool_name": "task_list", "args": "{}", "tool_call_id": id} for id in ids]
    return MindStep(
        response={"kind": "response", "parts": parts, "finish_reason": "stop"}, tokens_in=100, tokens_out=10
    )


def said(talk: Transcript) -> list[list[tuple[str, Any, Any]]]:
    """Without the moments at which it was read."""
    return [
        [(p.part_kind, getattr(p, "content", None), getattr(p, "tool_call_id", None)) for p in message.parts]
        for message in talk.next_messages()
    ]


class Life:
    """A session whose journal grows as a real one does: calls come back before its mind is asked again."""

    def __init__(self, draw: Any) -> None:
        self.draw = draw
        self.steps: list[StepPayload] = [OpenStep(prompt="Do it.")]
        self.talk = Transcript.of([])
        self.talk.add(self.steps[0])
        self.calls = 0

    def add(self, step: StepPayload) -> None:
        self.steps.append(step)
        self.talk.add(step)

    def grow(self) -> None:
        number = len(self.steps)
        if self.talk.pending:
            call = self.draw(st.sampled_from(self.talk.pending)).tool_call_id
            sort = self.draw(st.sampled_from(["back", "waits", "lies down", "spoken to", "stopped"]))
            match sort:
                case "back":
                    self.add(VerbStep(call=call, verb="task.list", ok=True, data={"items": []}))
                case "waits":
                    wait = SessionWait(("approval:1",))
                    self.add(
                        VerbStep(
                            call=call,
                            verb="task.list",
                            ok=False,
                            error={"code": "waiting", "message": "waits"},
                            waits=wait,
                        )
                    )
                case "lies down":
                    self.add(WaitStep(call=call, things=["approval:1"]))
                case "spoken to":
                    self.add(
                        self.draw(
                            st.sampled_from([WakeStep(prompt=f"So? {number}"), HeardNote(heard=f"A letter {number}")])
                        )
                    )
                case _:
                    for each in list(self.talk.pending):
                        self.add(
                            VerbStep(
                                call=each.tool_call_id, ok=False, error={"code": "interrupted", "message": "not made"}
                            )
                        )
            return
        notes: list[StepPayload] = [
            WakeStep(prompt=f"Word {number}", said=[f"Word {number}", "and another"]),
            WakeStep(prompt=f"Answered {number}", quiet=True),
            HeardNote(heard=f"A letter {number}"),
            CardNote(card="c", told="something"),
            NudgeNote(nudge="Go on."),
            SetbackNote(setback="nobody there"),
            WaitStep(rests=True),
            WaitStep(broke_off="declined", declined=True),
            *[SettledNote(settled=id, ok=True, data={}, quiet=self.draw(st.booleans())) for id in self.talk.unsettled],
        ]
        if self.owed:
            ids = [f"call-{self.calls + n}" for n in range(self.draw(st.integers(0, 3)))]
            self.calls += len(ids)
            summary = SummaryNote(
                summary=f"What happened so far:\n{number}",
                room=self.draw(st.sampled_from([0, 20, 1000])),
                words=self.draw(st.sampled_from([0, 20, 1000])),
                brief=self.draw(st.booleans()),
                failed=self.draw(st.booleans()),
            )
            notes += [reply("" if ids and self.draw(st.booleans()) else f"Said {number}", *ids)] * 6 + [summary] * 2
        self.add(self.draw(st.sampled_from(notes)))
        assert not self.owed or self.talk.pending or wrong_in(self.talk.next_messages()) is None, self.told

    @property
    def owed(self) -> bool:
        """Its mind is to be asked."""
        return not self.talk.answered and bool(self.talk.next_messages())

    @property
    def told(self) -> str:
        return "\n".join(map(repr, self.steps))


@given(st.data())
def test_what_is_sent_is_always_well_formed_and_the_same_read_back(data):
    life = Life(data.draw)
    for _ in range(data.draw(st.integers(1, 40))):
        life.grow()

    steps = [JournalStep(number, step, None, NOW) for number, step in enumerate(life.steps, 1)]
    again = Transcript.of(steps)
    assert said(again) == said(life.talk), life.told
    assert again.unsettled == life.talk.unsettled


@given(st.data())
def test_of_a_conversation_whose_window_slides_what_stays_is_well_formed(data):
    life = Life(data.draw)
    for _ in range(data.draw(st.integers(10, 60))):
        life.grow()
    steps = [JournalStep(number, step, None, NOW) for number, step in enumerate(life.steps, 1)]

    found = window.older(steps, window.TOKENS + 1)
    before = Transcript.of(found[1]) if found else None
    if found is None or before is None or before.pending:
        return
    note = WindowNote(summary="[PREVIOUS CONTEXT]\nx", from_step=found[0], waiting=before.waiting)
    kept = [JournalStep(len(steps) + 1, note, None, NOW), *(step for step in steps if step.number >= found[0])]
    talk = Transcript.of(kept)
    assert talk.answered or talk.pending or wrong_in(talk.next_messages()) is None, life.told
    assert [part.tool_call_id for part in talk.pending] == [part.tool_call_id for part in life.talk.pending]
