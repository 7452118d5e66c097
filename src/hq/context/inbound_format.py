"""Letters: how a mind reads what comes in for its session, the founder's words in a thread and the mail of agents."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TypedDict
from uuid import UUID

from hq.door.actor import HOUSE_ACTOR, principal_of
from hq.engine.sessions.journal import InboundMessage, JournalStep
from hq.engine.sessions.steps import HeardNote, RunRequest, WakeStep
from hq.engine.sessions.trigger import SessionTrigger
from hq.minds.prompt_data import enclosed

HANDOFF = "handoff:"
"""How an address begins that asks a session for its handoff document."""
LETTER = re.compile(r"New (\w+) from (\S+) \(message [^)]*\):\n<message>(.*?)</message>[^\n]*(?:\n\n)?", re.S)
"""A letter where it is read again: its kind, who sent it, and what it says."""
HOW_TO_ANSWER = {
    "question": "Somebody waits for the answer: agent_reply with this id.",
    "interrupt": "It comes from above you and changes course: it goes before what you were doing.",
    "escalation": "Somebody below cannot go on without you: agent_reply with this id.",
}
IN_A_CONVERSATION = {
    **HOW_TO_ANSWER,
    "report": "Where it needs no word of yours, answer `<task-complete/>` alone: nothing is shown of that.",
}
"""What the house says behind a letter, in its own words: what stands between the tags is somebody else's, and is escaped."""


class WakeExtras(TypedDict, total=False):
    """What a wake says beside its words, where there is any: what is not said is not written."""

    said: list[str]
    quiet: bool
    runs: list[RunRequest]


def thread_prompt(messages: Sequence[InboundMessage]) -> WakeStep:
    """In a thread: the words of a person as they are, of anybody else as a letter. What the house notes about something belongs
    to it."""
    texts: list[str] = []
    for each in messages:
        if each.sender == HOUSE_ACTOR and texts:
            texts[-1] += f"\n\n{enclosed('house', each.body)}"
        else:
            texts.append(as_said(each))
    more: WakeExtras = {"said": texts} if len(texts) > 1 else {}
    if all(map(_taken_by_house, messages)):
        more["quiet"] = True
    if runs := [each.run for each in messages if each.run]:
        more["runs"] = runs
    return WakeStep(prompt="\n\n".join(texts), senders=_senders(messages), taint=_marks(messages), **more)


def _taken_by_house(message: InboundMessage) -> bool:
    """A person's word that answered what waits, or about which the house asked back, or what the house says to it."""
    of_person = principal_of(message.sender)[0] == "founder" and message.kind == "answer"
    return message.run is None and (of_person or message.sender == HOUSE_ACTOR)


def last_said(trigger: SessionTrigger, steps: Sequence[JournalStep]) -> str:
    """What a thread heard last, read back after a rest or a crash."""
    said = [step.payload.prompt for step in steps if isinstance(step.payload, WakeStep)]
    return said[-1] if said else trigger.text


def as_said(message: InboundMessage) -> str:
    if principal_of(message.sender)[0] in ("founder", "house"):
        return message.body
    return letter(message.kind, message.sender, message.body, message.id, IN_A_CONVERSATION)


def message_prompt(messages: Sequence[InboundMessage]) -> HeardNote:
    """In a session on something else: who says it, what sort of message it is, and by what name to answer it.

    That it is to hand off is no message to its mind: the session sees to that itself.
    """
    letters = [each for each in messages if not each.address.startswith(HANDOFF)]
    asked = next((each for each in messages if each.address.startswith(HANDOFF)), None)
    return HeardNote(
        heard="\n\n".join(letter(each.kind, each.sender, each.body, each.id) for each in letters),
        senders=_senders(messages),
        messages=[str(each.id) for each in letters],
        taint=_marks(messages),
        **({"handoff": asked.address.removeprefix(HANDOFF), "asks": asked.body} if asked else {}),
    )


def letter(kind: str, sender: str, body: str, id: UUID | str, hows: Mapping[str, str] = HOW_TO_ANSWER) -> str:
    how = hows.get(kind)
    return "\n".join([f"New {kind} from {sender} (message {id}):", enclosed("message", body), *([how] if how else [])])


def _senders(messages: Sequence[InboundMessage]) -> list[str]:
    return sorted({each.sender for each in messages})


def _marks(messages: Sequence[InboundMessage]) -> list[str]:
    return sorted({mark for each in messages for mark in each.taint})
