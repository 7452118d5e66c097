"""Recollection: once a thread has gone quiet, what was said since the last time is looked through for what to
remember."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from hq.context.inbound_format import LETTER
from hq.door.actor import FOUNDER, principal_of
from hq.engine.sessions.journal import JournalStep
from hq.engine.sessions.steps import CardNote, MindStep, OpenStep, RememberedNote, WaitStep, WakeStep
from hq.engine.sessions.trigger import SessionTrigger
from hq.minds.prompt_data import indented

QUIET = timedelta(minutes=10)
"""After this long without a word a conversation counts as over."""
LONGEST = 24_000
"""Characters of a conversation that are looked through, the newest of it."""


@dataclass(frozen=True)
class UnreviewedTalk:
    """What was said since the last time."""

    founder: Sequence[str]
    all: str
    upto: int


def is_due(steps: Sequence[JournalStep], now: datetime) -> bool:
    # A card that was put into the conversation meanwhile is no word of anybody's.
    spoken = [step for step in steps if not isinstance(step.payload, CardNote)]
    last = max(spoken, key=lambda step: step.number).payload if spoken else None
    return isinstance(last, WaitStep) and last.rests and (last.quiet_at or "~") <= now.isoformat()


def said_since(trigger: SessionTrigger, steps: Sequence[JournalStep]) -> UnreviewedTalk:
    ordered = sorted(steps, key=lambda step: step.number)
    since = max((s.payload.remembered for s in ordered if isinstance(s.payload, RememberedNote)), default=0)
    lines: list[str] = []
    founder: list[str] = []
    for step in ordered:
        if step.number <= since:
            continue
        match step.payload:
            case OpenStep() | WakeStep():
                for who, text in _turns(trigger, step.payload):
                    if who == FOUNDER:
                        founder.append(text)
                    lines.append(f"{who.capitalize()}: {indented(text)}")
            case MindStep(texts=texts):
                lines += [f"Answer: {indented(text)}" for text in texts]
            case _:
                pass
    return UnreviewedTalk(founder, "\n".join(lines)[-LONGEST:], ordered[-1].number if ordered else 0)


def _turns(trigger: SessionTrigger, step: OpenStep | WakeStep) -> list[tuple[str, str]]:
    """Who said what: what somebody else said is no word of the founder's."""
    senders = [trigger.sender] if isinstance(step, OpenStep) else step.senders or [None]
    others = [str(each) for each in senders if principal_of(each)[0] not in ("founder", "house")]
    if isinstance(step, OpenStep):
        return [(others[0] if others else FOUNDER, trigger.text)]
    alone = len(others) == len(senders)  # as they were written down before words of others were letters
    return [
        (", ".join(others) if others and (alone or LETTER.match(text)) else FOUNDER, text)
        for text in step.said or [step.prompt]
    ]
