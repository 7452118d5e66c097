"""Questions in messages that are asks: those that came to the founder, because a person is asked now, and those with answers to
choose from, because somebody decides. The message stays a row, and gets a node beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from hq.asks.types import ActingOption, Question
from hq.door.tx import Tx
from hq.door.verb import Gate
from hq.graph.records import Stored
from hq.graph.store import NewLink
from hq.graph.view import NodeFilter
from hq.minds.prompt_data import quoted
from hq.org.agent import Agent

SOURCE = "message"
TITLE = 200
SPLIT = "\nIt could be: "
"""Between a question and the answers to choose from."""


@dataclass(frozen=True)
class Choice:
    """What is asked for beside words: answers to choose from, and what those let happen."""

    options: Sequence[str] = ()
    risk: Gate = "internal"

    def told(self, text: str) -> str:
        """A question as who is asked by message reads it."""
        ways = ", or ".join(quoted(each) for each in self.options)
        return f"{text}{SPLIT}{ways}" if ways else text


NO_CHOICE = Choice()


async def ask_founder(
    tx: Tx, message: UUID, text: str, sender: str, choice: Choice = NO_CHOICE
) -> Stored[Question] | None:
    """Lay a question before the founder, once; what people ask themselves is none."""
    if not sender.startswith("agent:"):
        return None
    known = await question_of(tx, message)
    if known is None:
        return await ask_in(tx, message, text, sender, choice)
    for link in await tx.links(known, edge="addressed_to"):  # it was with an agent until now
        await tx.unlink(known, "addressed_to", await tx.get(link.other_id))
    return None


async def ask_in(
    tx: Tx, message: UUID, text: str, sender: str, choice: Choice, to: Stored[Agent] | None = None
) -> Stored[Question]:
    """The ask behind a message, with whom it is; without anybody it is with the founder."""
    text = text.rpartition(SPLIT)[0] if choice.options else text
    agent = await tx.look_up(sender.removeprefix("agent:").partition("/")[0], Agent)
    links = [NewLink("requested_by", agent)] if agent else []
    if to is not None:
        links.append(NewLink("addressed_to", to))
    return await tx.create(
        Question(
            question_text=text[:TITLE],
            context=text if len(text) > TITLE else None,
            kind=SOURCE,
            options=[ActingOption(key=f"option-{n}", label=each) for n, each in enumerate(choice.options, 1)],
            risk=choice.risk,
            severity="warning",
        ),
        links=links,
        external=(SOURCE, str(message)),
    )


async def question_of(tx: Tx, message: UUID) -> Stored[Question] | None:
    found: list[Stored[Any]] = await tx.find(
        NodeFilter(types=[Question.type], external=(SOURCE, str(message)), limit=1)
    )
    return found[0] if found else None
