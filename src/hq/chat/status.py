"""The status of somebody in a conversation, one of four states, and why: what the pip beside the name shows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

from hq.engine.sessions.steps import WaitStep

State = Literal["ready", "working", "waiting", "stopped"]
STILL = "still waiting for the model"
TOLD_EVERY = 15
"""Seconds after which it is said again that somebody is still waited for."""
Standing = Literal[State, "asleep"]
"""Of somebody also beside the conversation: nothing goes on anywhere."""
SENT = "waits for those it sent"
USED_UP = "is frozen: its budget is used up"
PUT_OFF = "waits for an approval that was put off"
WAITS = {
    "approval": "waits for your approval",
    "delegation": "waits for work it gave away",
    "escalation": "waits for an answer from above",
    "message": "waits for an answer",
    "mission": "waits for a mission",
    "question": "waits for an answer",
    "session": SENT,
}
"""By what it waits for, as its address begins."""
OF_OTHERS = (WAITS["mission"], WAITS["delegation"])
"""What others do."""


@dataclass(frozen=True)
class ChatStatus:
    state: State
    why: str
    session: str | None = None
    draft: str = ""
    """What is being said just now."""
    step: int = 0
    passes: bool = False
    """What it waits for passes by itself: a quota, an outage."""
    frozen: bool = False
    """Everything is stopped, by the founder's own hand; only that hand lets it go on."""

    @property
    def busy(self) -> bool:
        return self.state == "working"


def standing(row: Any, now: datetime, lacking: str = "") -> ChatStatus:
    """`lacking` is what is to be done before the mind that was set can answer."""
    if row is None:
        return ChatStatus("stopped", "there is no such agent")
    session = str(row.id) if row.id else None
    if row.frozen:
        return ChatStatus("stopped", row.frozen, session, frozen=True)
    if row.agent_status not in ("active", "frozen"):
        return ChatStatus("stopped", f"is {row.agent_status}", session)
    match row.state:
        case "queued" if paused := (row.payload or {}).get("paused"):
            return ChatStatus("stopped", paused, session)
        case "queued":
            return ChatStatus("working", "about to begin", session)
        case "running" if row.silent:
            return ChatStatus("waiting", "its worker fell silent; another goes on from there", session, passes=True)
        case "running":
            why = "answering" if row.draft else "using a tool" if row.calls else _thinking(now, row.step_at)
            return ChatStatus("working", why, session, row.draft or "", row.draft_step or 0)
        case "waiting" if (found := waits(WaitStep.model_validate(row.payload or {}), session)).state != "ready":
            # Whom it sent are at work for it: there is nothing for anybody else to do, and its answer comes.
            if found.why == SENT:
                return replace(found, state="working")
            # What it waits for stands still as long as the founder's own word is missing.
            if row.asks and found.why in OF_OTHERS:
                return replace(found, why=f"waits for your word about {_things(row.asks)}")
            if row.waited and found.why == WAITS["mission"]:
                return replace(found, why=f"waits for {row.waited}")
            # Nothing is in the inbox: the founder wanted to hear of it later.
            return replace(found, why=PUT_OFF) if found.why == WAITS["approval"] and row.asks == 0 else found
    if row.agent_status == "frozen":
        return ChatStatus("stopped", USED_UP, session)
    held = f"; {row.held} card{'s' * (row.held > 1)} held until {row.held_until}" if row.held else ""
    if row.asks:
        return ChatStatus("waiting", f"wants to talk to you about {_things(row.asks)}{held}", session)
    if lacking:
        return ChatStatus("waiting", lacking, session)
    return ChatStatus("ready", f"ready{held}", session)


def waits(wait: WaitStep, session: str | None) -> ChatStatus:
    """By the step with which a session lay down."""
    if wait.things:
        noun = wait.things[0].partition(":")[0]
        return ChatStatus("waiting", WAITS.get(noun, f"waits for {noun}"), session)
    passing = wait.busy or (f"{wait.down}; tries again in a moment" if wait.down else "")
    why = wait.budget or passing
    return ChatStatus("waiting", why, session, passes=bool(passing)) if why else ChatStatus("ready", "ready", session)


def _thinking(now: datetime, since: datetime | None) -> str:
    waited = int((now - since).total_seconds()) // TOLD_EVERY * TOLD_EVERY if since else 0
    return f"{STILL} ({waited} s)" if waited else "thinking"


def _things(many: int) -> str:
    return "something" if many == 1 else f"{many} things"
