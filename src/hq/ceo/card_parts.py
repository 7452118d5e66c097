"""Parts of a card: what it says, facts, and buttons; one shape for the terminal, the page and the API."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from hq.asks.ask import KEY
from hq.ceo.quiet_hours import Severity
from hq.door.verb import Args, Ref

Kind = Literal["hire", "skill", "budget", "report", "mission", "attention", "choice", "alert"]


class CardPart(BaseModel):
    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)


class CardFact(CardPart):
    """One thing to know before deciding."""

    name: str = Field(min_length=1, max_length=60)
    """What it is."""
    value: str = Field(max_length=1000)
    """How it is."""


class Button(CardPart):
    """One way to answer: a call, a page to go to, or nothing but the answer itself."""

    key: str = Field(pattern=KEY)
    """Its name within the card."""
    label: str = Field(min_length=1, max_length=60)
    """What it says."""
    verb: str | None = Field(default=None, max_length=60)
    """The verb it calls: one that you may call yourself without asking, for it is called in your name. Left out, it only
    answers; of a choice you are told which it was."""
    args: dict[str, JsonValue] = Field(default_factory=dict)
    """With these arguments."""
    link: str | None = Field(default=None, pattern=r"^/[a-z0-9/_-]*(#[a-z]+)?$", max_length=200)
    """The page it leads to."""
    main: bool = False
    """Whether it is what the CEO would do."""

    @property
    def only_says(self) -> bool:
        return self.verb in (None, "chat.say")


class Remark(CardPart):
    """What somebody says about an ask beside its card."""

    by: str
    """Whose words they are."""
    text: str


class Content(Args):
    """What to put before the founder."""

    kind: Kind
    """What sort of card it is."""
    title: str = Field(default="", max_length=300)
    """The thing itself, in one sentence. Of an ask it may be left out: what you say of it stands beside it, as yours."""
    text: str = Field(default="", max_length=8000)
    """More of it, in markdown."""
    facts: list[CardFact] = Field(default_factory=list, max_length=20)
    """What one should know before deciding."""
    buttons: list[Button] = Field(default_factory=list, max_length=8)
    """Ways to answer."""
    severity: Severity = "info"
    """How much it matters; only what is critical is said in quiet hours."""
    ask: Ref | None = None
    """What waits for the founder's word, where the card is only a face of it: then the ask says what it is about, and what the
    buttons are."""
    about: Ref | None = None
    """What it concerns."""
    open_while: list[str] | None = Field(default=None, max_length=8)
    """States of that in which an answer is still wanted."""
    expires: str | None = Field(default=None, max_length=40)
    """When an answer is no longer wanted."""
