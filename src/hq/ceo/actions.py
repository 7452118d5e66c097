"""Actions of the CEO about what it noticed: a typed list, each a verb through the door, in its own name."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from hq.asks.quotation import one_line
from hq.ceo.card_parts import CardPart, Content
from hq.json_types import CallArgs


class SendCard(Content):
    """Put something before the founder."""

    action: Literal["card"] = "card"

    @property
    def call(self) -> tuple[str, CallArgs]:
        said = self.model_copy(update={"title": one_line(self.title)})
        return "card.send", said.model_dump(exclude={"action"}, exclude_none=True)

    def only_saying(self) -> SendCard:
        """The same card, where its buttons may not do anything."""
        return self.model_copy(update={"buttons": [button for button in self.buttons if button.verb is None]})

    @property
    def acts(self) -> bool:
        """Whether a button of its own calls something."""
        return self.ask is None and any(button.verb for button in self.buttons)

    @property
    def only_says(self) -> bool:
        """Whether it does nothing but say something. The buttons of an ask are the house's own, whatever was read."""
        return self.ask is None and all(button.only_says for button in self.buttons)


class AssignAction(CardPart):
    """Give a mission to an agent. The founder is told of all that were given in one card."""

    action: Literal["assign"] = "assign"
    mission: str = Field(min_length=1, max_length=200, pattern=r"^[a-z0-9][a-z0-9-]*$")
    """Slug of the mission."""
    to: str | None = Field(default=None, max_length=200)
    """Slug of the agent; left out, whoever fits best."""
    note: str | None = Field(default=None, max_length=4000)
    """What the agent should know beyond the mission."""

    @property
    def call(self) -> tuple[str, CallArgs]:
        given = {"ref": self.mission, "to": self.to, "note": self.note}
        return "mission.assign", {name: value for name, value in given.items() if value is not None}


class Tell(CardPart):
    """Say something to an agent."""

    action: Literal["tell"] = "tell"
    agent: str = Field(min_length=1, max_length=200)
    """Slug of the agent."""
    text: str = Field(min_length=1, max_length=4000)
    """What."""

    @property
    def call(self) -> tuple[str, CallArgs]:
        return "agent.send", {"agent": self.agent, "text": self.text}


class RememberAction(CardPart):
    """Keep something for the whole company."""

    action: Literal["remember"] = "remember"
    content: str = Field(min_length=1, max_length=4000)
    """In plain words, one thing."""
    category: Literal["decision", "preference", "fact", "lesson_learned", "context"] = "fact"
    """What sort of memory."""

    @property
    def call(self) -> tuple[str, CallArgs]:
        return "memory.add", {"content": self.content, "category": self.category}


Action = Annotated[SendCard | AssignAction | Tell | RememberAction, Field(discriminator="action")]
ACTIONS: TypeAdapter[list[Action]] = TypeAdapter(list[Action])
