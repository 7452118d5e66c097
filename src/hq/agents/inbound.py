"""Inbound messages of a session while it works, rests or waits: how they get there, and how its mind reads them.

There is one way for all of it, the founder's words in a thread and the mail of agents alike: a row in `ops.messages` that
the session takes up at its next turn, as a step of its journal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from hq.asks.authority import HOUSE
from hq.database.queries import beside
from hq.door.tx import Tx
from hq.engine.sessions.journal import InboundMessage
from hq.ids import new_id

SQL = beside(__file__)
HANDOFF = "handoff:"
"""How an address begins that asks a session for its handoff document."""
HOW_TO_ANSWER = {
    "question": 'Somebody waits for the answer: hq_agent, action "reply", with this id.',
    "interrupt": "It comes from above you and changes course: it goes before what you were doing.",
    "escalation": 'Somebody below cannot go on without you: hq_agent, action "reply", with this id.',
}


async def tell_session(
    tx: Tx,
    session: UUID,
    agent: str,
    text: str,
    kind: str = "command",
    id: UUID | None = None,
    run: dict[str, Any] | None = None,
    by: str | None = None,
) -> str | None:
    """Say something to an agent's session and wake whoever works on it; `by` the house, where it is not who calls. What it was
    doing; nothing where it is over."""
    was = await tx.scalar(
        SQL["tell_session"],
        {
            "session": session,
            "id": id or new_id(),
            "kind": kind,
            "actor": by or tx.caller.actor,
            "body": text,
            "taint": sorted(tx.taint),
            "run": Jsonb(run) if run else None,
            "now": tx.now,
        },
        of=str,
    )
    if was is not None:
        tx.emit("session.queued", session=str(session), agent=agent, trigger="dm")
        tx.queues_work = True
    return was


def thread_prompt(messages: Sequence[InboundMessage]) -> dict[str, Any]:
    """In a thread: the words as they are. What the house notes about something belongs to it."""
    texts: list[str] = []
    for each in messages:
        if each.sender == HOUSE and texts:
            texts[-1] += f"\n\n{each.body}"
        else:
            texts.append(each.body)
    return {
        "prompt": "\n\n".join(texts),
        **({"said": texts} if len(texts) > 1 else {}),
        "from": sorted({each.sender for each in messages}),
        "taint": _marks(messages),
        **({"runs": runs} if (runs := [each.run for each in messages if each.run]) else {}),
    }


def message_prompt(messages: Sequence[InboundMessage]) -> dict[str, Any]:
    """In a session on something else: who says it, what sort of message it is, and by what name to answer it.

    That it is to hand off is no message to its mind: the session sees to that itself.
    """
    letters = [each for each in messages if not each.address.startswith(HANDOFF)]
    asked = next((each for each in messages if each.address.startswith(HANDOFF)), None)
    return {
        "heard": "\n\n".join(letter(each.kind, each.sender, each.body, each.id) for each in letters),
        "from": sorted({each.sender for each in messages}),
        "messages": [str(each.id) for each in letters],
        "taint": _marks(messages),
        **({"handoff": asked.address.removeprefix(HANDOFF), "asks": asked.body} if asked else {}),
    }


def letter(kind: str, sender: str, body: str, id: UUID | str) -> str:
    how = HOW_TO_ANSWER.get(kind)
    return "\n".join(
        [f"New {kind} from {sender} (message {id}):", f"<message>{body}</message>", *([how] if how else [])]
    )


def _marks(messages: Sequence[InboundMessage]) -> list[str]:
    return sorted({mark for each in messages for mark in each.taint})
