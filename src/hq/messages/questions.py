"""Questions in words that came to the founder: the message stays a row, and gets a node because a person is asked now."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from hq.asks.types import Question
from hq.door.tx import Tx
from hq.graph.records import Stored
from hq.graph.store import NewLink
from hq.graph.view import NodeFilter
from hq.org.agent import Agent

SOURCE = "message"
TITLE = 200


async def ask_founder(tx: Tx, message: UUID, text: str, sender: str) -> Stored[Question] | None:
    """Lay a question before the founder, once; what people ask themselves is none."""
    if not sender.startswith("agent:") or await question_of(tx, message) is not None:
        return None
    agent = await tx.look_up(sender.removeprefix("agent:").partition("/")[0], Agent)
    return await tx.create(
        Question(
            question_text=text[:TITLE],
            context=text if len(text) > TITLE else None,
            kind=SOURCE,
            severity="warning",
        ),
        links=[NewLink("requested_by", agent)] if agent else [],
        external=(SOURCE, str(message)),
    )


async def question_of(tx: Tx, message: UUID) -> Stored[Question] | None:
    found: list[Stored[Any]] = await tx.find(
        NodeFilter(types=[Question.type], external=(SOURCE, str(message)), limit=1)
    )
    return found[0] if found else None
