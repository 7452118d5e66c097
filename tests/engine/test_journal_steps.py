"""Steps of a journal: each kind is read as its model, whichever release wrote it, and written as it was said."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from hq.engine.sessions.steps import (
    NOTES,
    STEPS,
    CallReturned,
    MindStep,
    NoteStep,
    SessionWait,
    SettledNote,
    SummaryNote,
    VerbStep,
    WaitStep,
    WakeStep,
    WindowNote,
    read_step,
)

REPLY = {"parts": [{"part_kind": "text", "content": "Done."}], "kind": "response"}
KEPT: list[tuple[str, dict[str, Any]]] = [
    ("open", {"config": {"slug": "chief"}, "prompt": "Begin.", "taint": []}),
    ("wake", {"prompt": "a\n\nb", "said": ["a", "b"], "from": ["user:founder"], "runs": [{"id": 7, "timeout": 60}]}),
    ("wake", {"prompt": "a", "runs": [{"id": 8, "mention": "chief"}]}),
    ("mind", {"response": REPLY, "model": "m", "tokens_in": 3, "tokens_out": 1, "cost_usd": None, "chosen": {"tier": "light"}}),
    ("verb", {"call": "c1", "verb": "task.list", "ok": True, "data": None, "taint": ["web"]}),
    ("verb", {"call": "c1", "ok": False, "error": {"code": "forbidden"}}),
    ("wait", {"rests": True, "for": ["approval:1"], "quiet_at": "2026-01-01T10:10:00+00:00"}),
    ("wait", {"rests": True, "timed_out": "out of time after 60 s", "partial": ""}),
    ("wait", {"budget": "the day's limit"}),
    ("close", {"why": "done", "exit_code": 0}),
    ("note", {"taint": ["mail"]}),
    ("note", {"card": "0199", "told": "It is finished.", "taint": []}),
    ("note", {"snapshot": {"summary": "x", "reason": ""}}),
    ("note", {"summary": "before", "from_step": 40, "taint": []}),
    ("note", {"summary": "before", "carried": "This took 9 tokens."}),
    ("note", {"given_up": "busy", "why": "too many ask"}),
    ("note", {"nudge": "Go on."}),
    ("note", {"heard": "New fyi", "from": ["agent:forge"], "messages": ["m"], "handoff": "h-1", "asks": "Write it."}),
    ("note", {"settled": "c1", "ok": True, "data": {"slug": "x"}, "taint": []}),
    ("note", {"house": "Done: hire Forge."}),
    ("note", {"handed": "h-1"}),
    ("note", {"setback": "no answer"}),
    ("note", {"route": {"intent": "answer", "mode": "quick", "sure": True, "why": "short"}}),
    ("note", {"escalated": "it needs more"}),
    ("note", {"remembered": 12}),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "payload"), KEPT)
def test_a_step_that_is_read_and_written_again_is_the_same(kind: str, payload: dict[str, Any]):
    step = read_step(kind, payload)

    assert (step.kind, step.as_json()) == (kind, payload)


def test_every_kind_is_among_them():
    read = {type(read_step(kind, payload)) for kind, payload in KEPT}

    assert read == {*STEPS.values(), *NOTES.values(), NoteStep}


def test_what_an_earlier_release_left_out_has_its_default_and_what_it_said_besides_is_passed_over():
    reply = read_step("mind", {"response": REPLY, "gone": 1})
    waits = read_step("wait", {"for": "approval:1"})

    assert isinstance(reply, MindStep) and (reply.texts, reply.tokens_in, reply.tokens_counted) == (["Done."], 0, None)
    assert isinstance(waits, WaitStep) and waits.things == ["approval:1"]
    assert isinstance(said := read_step("wake", {"prompt": "a"}), WakeStep) and said.runs == []


def test_a_summary_of_what_went_before_a_step_is_told_from_one_of_everything():
    assert type(read_step("note", {"summary": "x", "from_step": 3})) is WindowNote
    assert type(read_step("note", {"summary": "x"})) is SummaryNote


def test_a_mind_is_told_what_came_back_and_nothing_that_did_not():
    came = [
        read_step("verb", {"call": "c", "ok": True, "data": None}),
        read_step("note", {"settled": "c", "ok": False, "error": {"code": "invalid"}}),
    ]

    assert isinstance(came[1], SettledNote)
    assert [each.result for each in came if isinstance(each, CallReturned)] == [
        {"ok": True, "data": None},
        {"ok": False, "error": {"code": "invalid"}},
    ]


def test_what_a_call_waits_for_is_kept_with_its_moment():
    wait = SessionWait(["approval:1"], ["approval.done"], 5, datetime(2026, 1, 1, tzinfo=UTC))
    kept = VerbStep(call="c", ok=False, waits=wait).as_json()

    again = read_step("verb", kept)
    before = read_step("verb", {**kept, "waits": {**kept["waits"], "until": "2026-01-01T00:00:00+00:00"}})

    assert isinstance(again, VerbStep) and isinstance(before, VerbStep)
    assert again.waits == before.waits == wait
