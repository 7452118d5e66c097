"""The view of a session, its journal as a conversation: who said what, what was called and what came back, folded
where it is long."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal

from hq.chat.status import waits
from hq.context.inbound_format import LETTER
from hq.door.actor import principal_of
from hq.engine.sessions.reply import CallPart
from hq.engine.sessions.steps import (
    CardNote,
    CloseStep,
    HeardNote,
    MindStep,
    NoteStep,
    NudgeNote,
    OpenStep,
    RememberedNote,
    RouteNote,
    SetbackNote,
    SettledNote,
    SnapshotNote,
    SummaryNote,
    VerbStep,
    WaitStep,
    WakeStep,
    read_step,
)
from hq.engine.sessions.trigger import SessionTrigger
from hq.json_text import json_value
from hq.json_types import CallArgs, StepJson
from hq.money import price_text
from hq.sessions.session_verbs import StepItem, in_short
from hq.sessions.spoken_text import readable
from hq.web.inbox import InboxCard
from hq.web.markdown import html

LONGEST = 20_000
"""Characters of a text that a page shows; `hq session replay` shows all."""
TELLING = ("title", "text", "ref", "query", "agent", "question", "name", "slug", "id")
"""Which argument says best what a call is about, in this order."""


@dataclass
class MessageView:
    """Words of somebody: of the agent itself, or to it."""

    step: int
    at: str
    who: str
    role: Literal["user", "assistant"]
    text: str
    sort: Literal["said"] = "said"

    @property
    def html(self) -> str | None:
        return html(self.text) if self.role == "assistant" else None


@dataclass
class ToolCallView:
    """A tool the agent used. What came back is filled in when it has."""

    step: int
    at: str
    id: str
    tool: str
    about: str
    args: str
    state: Literal["running", "done", "waits", "failed"] = "running"
    result: str = ""
    problem: str = ""
    sort: Literal["called"] = "called"


@dataclass
class NoteView:
    """What the system wrote down: one line, and what is behind it."""

    step: int
    at: str
    text: str
    more: str = ""
    bad: bool = False
    sort: Literal["noted"] = "noted"


@dataclass
class CardView:
    """A card it put before the founder."""

    step: int
    at: str
    card: InboxCard
    sort: Literal["put"] = "put"


@dataclass
class TurnView:
    """What a reply of the mind cost."""

    step: int
    at: str
    model: str
    tokens: int
    cost: str
    sort: Literal["turn"] = "turn"


Item = MessageView | ToolCallView | NoteView | CardView | TurnView


@dataclass
class SessionView:
    agent: str
    trigger: SessionTrigger = field(default_factory=SessionTrigger)
    """What woke the session."""
    cards: dict[str, InboxCard] = field(default_factory=dict)
    items: list[Item] = field(default_factory=list)
    _calls: dict[str, ToolCallView] = field(default_factory=dict)

    def read(self, steps: Iterable[StepItem]) -> Sequence[Item]:
        for step in steps:
            self.items += self._item(step["step"], step["at"], step["kind"], step["payload"])
        return self.items

    def _item(self, number: int, at: str, kind: str, payload: StepJson) -> Iterable[Item]:
        match step := read_step(kind, payload):
            case OpenStep():
                yield NoteView(number, at, "Began with what it knows and may do", _cut(step.prompt))
                if words := self.trigger.text or self.trigger.summary:
                    sender = self.trigger.sender
                    yield MessageView(number, at, _who([sender] if sender else None), "user", words)
                for event in self.trigger.events:
                    yield NoteView(number, at, f"Woken by {event['topic']}", _pretty(event["payload"]))
            case WakeStep():
                yield from _said(number, at, step)
            case MindStep():
                yield from self._reply(number, at, step)
            case VerbStep():
                yield from self._outcome(number, at, step.call, step)
            case WaitStep():
                yield from _waiting(number, at, step)
            case NoteStep():
                yield from self._note(number, at, step, payload)
            case CloseStep():
                yield NoteView(number, at, f"Ended: {step.why or 'done'}", bad=step.exit_code != 0)
            case _:
                yield NoteView(number, at, in_short(kind, payload), _pretty(payload))

    def _reply(self, number: int, at: str, step: MindStep) -> Iterable[Item]:
        for part in step.response["parts"]:
            match part["part_kind"]:
                case "text" if text := readable(part["content"]):
                    yield MessageView(number, at, self.agent, "assistant", text)
                case "thinking" if part["content"]:
                    yield NoteView(number, at, "Thought", _cut(part["content"]))
                case "tool-call":
                    yield self._call(number, at, part)
                case _:
                    pass
        cost = price_text(None if step.cost_usd is None else Decimal(step.cost_usd))
        yield TurnView(number, at, step.model or "", step.tokens_in + step.tokens_out, cost)

    def _call(self, number: int, at: str, part: CallPart) -> ToolCallView:
        given = part.get("args") or {}
        given = given if isinstance(given, dict) else _loaded(given)
        tool = ".".join(filter(None, (part["tool_name"].removeprefix("hq_"), str(given.get("action") or ""))))
        about = next((str(given[name]) for name in TELLING if given.get(name)), "")
        made = ToolCallView(number, at, part["tool_call_id"], tool, _line(about), _pretty(given))
        self._calls[made.id] = made
        return made

    def _outcome(self, number: int, at: str, id: str, step: VerbStep | SettledNote) -> Iterable[Item]:
        call, verb = self._calls.get(id), step.verb if isinstance(step, VerbStep) else None
        if call is None:  # it was made on an earlier page
            call = ToolCallView(number, at, id, verb or "a call from before", "", "")
            yield call
        message = step.error["message"] if step.error else ""
        if step.ok:
            call.state, call.problem, call.result = "done", "", _pretty(step.data)
        elif (step.error and step.error["code"] == "waiting") or (isinstance(step, VerbStep) and step.waits):
            call.state, call.problem = "waits", message or "waits"
        else:
            call.state, call.problem = "failed", message or "it failed"

    def _note(self, number: int, at: str, note: NoteStep, payload: StepJson) -> Iterable[Item]:
        match note:
            case CardNote() if card := self.cards.get(note.card):
                yield CardView(number, at, card)
            case CardNote():
                yield MessageView(number, at, self.agent, "assistant", note.told)
            case HeardNote():
                yield from _letters(number, at, note)
            case SettledNote():
                yield from self._outcome(number, at, note.settled, note)
            case SetbackNote():
                yield NoteView(number, at, f"Its model did not answer: {note.setback}", bad=True)
            case SummaryNote():
                yield NoteView(number, at, "Summed up what was before", _cut(note.summary))
            case SnapshotNote():
                yield NoteView(number, at, "Wrote down what it leaves behind", _pretty(note.snapshot))
            case NudgeNote():
                yield NoteView(number, at, "Was reminded to say whether it is done")
            case RouteNote() | RememberedNote():
                return  # how a message was taken, and how far it is remembered: of no use to a reader
            case _:
                yield NoteView(number, at, _line(in_short("note", payload)), _pretty(payload))


def _waiting(number: int, at: str, step: WaitStep) -> Iterable[Item]:
    if broke := step.timed_out or step.broke_off:
        yield NoteView(number, at, _line(broke), _cut(step.partial or ""), bad=True)
    elif (found := waits(step, None)).state == "waiting":
        yield NoteView(number, at, found.why.capitalize())


def _said(number: int, at: str, step: WakeStep) -> Iterable[Item]:
    """Of people as they wrote it, of anybody else as the letter that it is."""
    people = [each for each in step.senders if principal_of(each)[0] in ("founder", "house")]
    for text in step.said or [step.prompt]:
        if len(people) < len(step.senders) and (found := LETTER.match(text)):
            kind, sender, body = found.groups()
            yield MessageView(number, at, f"{_who([sender])} · {kind}", "user", body)
        else:
            yield MessageView(number, at, _who(people or step.senders), "user", text)


def _letters(number: int, at: str, note: HeardNote) -> Iterable[Item]:
    found = LETTER.findall(note.heard)
    for kind, sender, body in found:
        yield MessageView(number, at, f"{_who([sender])} · {kind}", "user", body)
    if not found and note.heard:
        yield MessageView(number, at, _who(note.senders), "user", note.heard)


def _who(senders: Sequence[str] | None) -> str:
    names = ["You" if each.startswith("user:") else each.partition(":")[2] or each for each in senders or ()]
    return ", ".join(names) or "Somebody"


def _loaded(text: str) -> CallArgs:
    try:
        found = json_value(text)
    except ValueError:
        return {"text": text}
    return found if isinstance(found, dict) else {"text": text}


def _pretty(value: Any) -> str:
    return "" if value in (None, {}, []) else _cut(json.dumps(value, ensure_ascii=False, indent=2))


def _cut(text: str) -> str:
    more = len(text) - LONGEST
    return text if more <= 0 else f"{text[:LONGEST]}\n… and {more} characters more"


def _line(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 160 else f"{text[:160]}…"
