"""The view of a session, its journal as a conversation: who said what, what was called and what came back, folded
where it is long."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from hq.chat.status import waits
from hq.context.letter import LETTER
from hq.door.actor import principal_of
from hq.json_types import JsonObject
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
    trigger: JsonObject = field(default_factory=dict)
    """What woke the session."""
    cards: dict[str, InboxCard] = field(default_factory=dict)
    items: list[Item] = field(default_factory=list)
    _calls: dict[str, ToolCallView] = field(default_factory=dict)

    def read(self, steps: Iterable[StepItem]) -> Sequence[Item]:
        for step in steps:
            self.items += self._item(step["step"], step["at"], step["kind"], step["payload"])
        return self.items

    def _item(self, step: int, at: str, kind: str, payload: JsonObject) -> Iterable[Item]:
        match kind:
            case "open":
                yield NoteView(step, at, "Began with what it knows and may do", _cut(payload["prompt"]))
                if words := self.trigger.get("text") or self.trigger.get("summary"):
                    sender = self.trigger.get("from")
                    yield MessageView(step, at, _who([sender] if sender else None), "user", str(words))
                for event in self.trigger.get("events", ()):
                    yield NoteView(step, at, f"Woken by {event.get('topic')}", _pretty(event.get("payload")))
            case "wake":
                yield from _said(step, at, payload)
            case "mind":
                yield from self._reply(step, at, payload)
            case "verb":
                yield from self._outcome(step, at, payload["call"], payload)
            case "wait":
                yield from _waiting(step, at, payload)
            case "note":
                yield from self._note(step, at, payload)
            case "close":
                bad = payload.get("exit_code", 0) != 0
                yield NoteView(step, at, f"Ended: {payload.get('why') or 'done'}", bad=bad)
            case _:
                yield NoteView(step, at, in_short(kind, payload), _pretty(payload))

    def _reply(self, step: int, at: str, payload: JsonObject) -> Iterable[Item]:
        for part in payload["response"]["parts"]:
            match part["part_kind"]:
                case "text" if text := readable(part["content"]):
                    yield MessageView(step, at, self.agent, "assistant", text)
                case "thinking" if part.get("content"):
                    yield NoteView(step, at, "Thought", _cut(part["content"]))
                case "tool-call":
                    yield self._call(step, at, part)
                case _:
                    pass
        tokens = payload.get("tokens_in", 0) + payload.get("tokens_out", 0)
        cost = payload.get("cost_usd")
        yield TurnView(step, at, payload.get("model") or "", tokens, "unpriced" if cost is None else _money(cost))

    def _call(self, step: int, at: str, part: JsonObject) -> ToolCallView:
        given = part.get("args") or {}
        given = given if isinstance(given, dict) else _loaded(given)
        tool = ".".join(filter(None, (part["tool_name"].removeprefix("hq_"), str(given.get("action") or ""))))
        about = next((str(given[name]) for name in TELLING if given.get(name)), "")
        made = ToolCallView(step, at, part["tool_call_id"], tool, _line(about), _pretty(given))
        self._calls[made.id] = made
        return made

    def _outcome(self, step: int, at: str, id: str, payload: JsonObject) -> Iterable[Item]:
        call = self._calls.get(id)
        if call is None:  # it was made on an earlier page
            call = ToolCallView(step, at, id, payload.get("verb") or "a call from before", "", "")
            yield call
        error = payload.get("error") or {}
        if payload["ok"]:
            call.state, call.problem, call.result = "done", "", _pretty(payload.get("data"))
        elif error.get("code") == "waiting" or payload.get("waits"):
            call.state, call.problem = "waits", str(error.get("message") or "waits")
        else:
            call.state, call.problem = "failed", str(error.get("message") or "it failed")

    def _note(self, step: int, at: str, payload: JsonObject) -> Iterable[Item]:
        if card := self.cards.get(str(payload.get("card"))):
            yield CardView(step, at, card)
        elif "card" in payload:
            yield MessageView(step, at, self.agent, "assistant", payload["told"])
        elif "heard" in payload:
            yield from _letters(step, at, payload)
        elif "settled" in payload:
            yield from self._outcome(step, at, payload["settled"], payload)
        elif "setback" in payload:
            yield NoteView(step, at, f"Its model did not answer: {payload['setback']}", bad=True)
        elif "summary" in payload:
            yield NoteView(step, at, "Summed up what was before", _cut(payload["summary"]))
        elif "snapshot" in payload:
            yield NoteView(step, at, "Wrote down what it leaves behind", _pretty(payload["snapshot"]))
        elif "nudge" in payload:
            yield NoteView(step, at, "Was reminded to say whether it is done")
        elif "route" in payload or "remembered" in payload:
            return  # how a message was taken, and how far it is remembered: of no use to a reader
        else:
            yield NoteView(step, at, _line(in_short("note", payload)), _pretty(payload))


def _waiting(step: int, at: str, payload: JsonObject) -> Iterable[Item]:
    if broke := payload.get("timed_out") or payload.get("broke_off"):
        yield NoteView(step, at, _line(broke), _cut(payload.get("partial") or ""), bad=True)
    elif (found := waits(payload, None)).state == "waiting":
        yield NoteView(step, at, found.why.capitalize())


def _said(step: int, at: str, payload: JsonObject) -> Iterable[Item]:
    """Of people as they wrote it, of anybody else as the letter that it is."""
    senders: list[str] = payload.get("from") or []
    people = [each for each in senders if principal_of(each)[0] in ("founder", "house")]
    for text in payload.get("said") or [payload["prompt"]]:
        if len(people) < len(senders) and (found := LETTER.match(text)):
            kind, sender, body = found.groups()
            yield MessageView(step, at, f"{_who([sender])} · {kind}", "user", body)
        else:
            yield MessageView(step, at, _who(people or senders), "user", text)


def _letters(step: int, at: str, payload: JsonObject) -> Iterable[Item]:
    found = LETTER.findall(payload["heard"])
    for kind, sender, body in found:
        yield MessageView(step, at, f"{_who([sender])} · {kind}", "user", body)
    if not found and payload["heard"]:
        yield MessageView(step, at, _who(payload.get("from")), "user", payload["heard"])


def _who(senders: Sequence[str] | None) -> str:
    names = ["You" if each.startswith("user:") else each.partition(":")[2] or each for each in senders or ()]
    return ", ".join(names) or "Somebody"


def _loaded(text: str) -> JsonObject:
    try:
        found = json.loads(text)
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


def _money(usd: str) -> str:
    cents = float(usd)
    return "free" if cents == 0 else f"${cents:.2f}" if cents >= 0.01 else f"${cents:.4f}"
