"""The one interface to whatever answers: what a mind is asked, what it replies, and how it fails."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from hq.errors import HqError, Outage, Refused

if TYPE_CHECKING:  # a second of CPU that only a process that really asks should pay
    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.tools import ToolDefinition

Tier = Literal["default", "heavy", "light"]
TIERS: tuple[Tier, ...] = ("default", "heavy", "light")
Enough = Literal["stop", "length"]
"""Before something that ends it, or because it was long enough."""
OnText = Callable[[str], Awaitable[None]]


@dataclass
class Heard:
    """What came of an answer so far, for who may break it off: then that much is known of what it cost."""

    so_far: Callable[[], Reply] | None = None

    def by(self, error: BaseException) -> Reply | None:
        """What had come when it broke off, whoever broke it off: the question, and what was said by then. A call that was turned
        away cost nothing."""
        return self.so_far() if self.so_far and may_have_cost(error) else None


@dataclass(frozen=True)
class MindRequest:
    """All that a mind gets to see; never the database."""

    messages: Sequence[ModelMessage]
    tools: Sequence[ToolDefinition] = ()
    instructions: str = ""
    """The system text: the same in every call of an agent, so that a provider keeps it."""
    max_tokens: int | None = None
    words: bool = False
    """Only words are wanted of it. The tools stand there all the same, for they are a part of what a provider keeps."""
    tier: Tier = "default"
    model: str | None = None
    """The agent's own, where its record names one; it is asked before the company's."""
    purpose: str = ""
    """For the call log."""
    now: str = ""
    """What is so at this moment: told last, behind what a provider keeps of the conversation, and never a part of that."""
    lasting: bool = False
    """It will be asked again after pauses of minutes: tools and instructions are worth keeping for longer than a provider does anyway."""
    stand_in: bool = True
    """Whether the script may answer where a key is missing or refused; who takes any answer for a model's wants to hear of that."""
    stops: Sequence[str] = ()
    """Its answer ends before the first of these, where its provider's wire has a word for that."""
    enough: Callable[[], Enough | None] | None = None
    """Asked of who listens, after each piece: why no more is wanted. Then the call ends there, and what was said is the answer."""
    heard: Heard | None = None
    """Kept up to date while it answers, where somebody wants to know."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """How it is to choose its words, such as temperature; what its provider does not take is refused before it is asked."""


@dataclass(frozen=True)
class TokenUsage:
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    """How many of those that went in were read from the provider's cache."""
    tokens_kept: int = 0
    """How many a cache would have kept, where whoever answered says nothing of one."""


@dataclass(frozen=True)
class Reply:
    response: ModelResponse
    model: str
    """Who answered, such as `anthropic:claude-sonnet-5-5` or `script:work.add-task`."""
    usage: TokenUsage
    cost_usd: Decimal | None
    """None means unpriced; it is said as such, never shown as nothing."""
    latency_ms: float
    estimated: bool = False
    """Whoever answered did not say what it took: that was counted here, from what was said."""
    passed_over: tuple[str, ...] = ()
    """Which minds before this one in the chain could not answer, and why."""
    earlier: tuple[Reply, ...] = ()
    """What was answered on the way to it, cut off or empty: paid for, each by itself."""

    @property
    def declined(self) -> bool:
        """The model, or who runs it, will not answer this."""
        return self.response.finish_reason == "content_filter"

    @property
    def broken_off(self) -> bool:
        """Who listened did not hear it to its end."""
        return self.response.state == "incomplete"

    @property
    def cut(self) -> bool:
        """It was longer than an answer may be."""
        return self.response.finish_reason == "length"


class Mind(Protocol):
    @property
    def name(self) -> str: ...

    async def answer(self, ask: MindRequest, *, on_text: OnText | None = None) -> Reply: ...


@runtime_checkable
class SaysModel(Protocol):
    """A mind with a provider's model behind it."""

    def says(self, tier: Tier) -> str:
        """The model that is asked, as a reply names it."""
        ...


class MindBusy(Outage):
    """A quota is used up. Nothing was answered; the door opens again at `until`."""

    default = "busy"

    def __init__(self, what: str, until: datetime, *, promised: bool = True, **details: Any) -> None:
        super().__init__(f"{what}; tried again at {until:%Y-%m-%d %H:%M:%S} UTC", until=until.isoformat(), **details)
        self.what = what
        """What is so, without until when: that may become later."""
        self.until = until
        self.promised = promised
        """The provider itself said until when; otherwise it is our guess."""


class MindAway(MindBusy):
    """A provider that does not answer is left alone until then; what it was, its details say as those of a MindDown do."""

    default = "outage"


class MindDown(Outage):
    """The provider does not answer, or not in a way that can be read. Asking again later is safe unless it `spoke`."""

    def __init__(self, message: str, *, spoke: bool = False, **details: Any) -> None:
        super().__init__(message, **details)
        self.spoke = spoke
        """Part of an answer was already passed on, so it is not asked again here."""


def may_have_cost(error: BaseException | None) -> bool:
    """A time-out or a broken stream says nothing about what the provider did meanwhile, nor does a defect of ours, nor who did not
    wait for the answer."""
    if isinstance(error, MindDown | MindBusy):
        return "timeout" in error.details or (isinstance(error, MindDown) and error.spoke)
    return not isinstance(error, HqError)


class MindRefused(Refused):
    """The provider will not answer this as it is: a bad key, an unknown model, too long a context."""


class HistoryRefused(MindRefused):
    """The provider will not take the messages as they are: too many, or in an order that it does not know. Other messages it may."""


class MindDeclined(MindRefused):
    """A model had its say, and it is no answer: it declined, or said nothing. That is paid for, and not asked again as it was."""

    default = "declined"


class MindSilent(MindDeclined):
    """It said nothing at all. What it was told was no reason for that, as far as anybody knows."""


class MindUnready(MindRefused):
    """Who was set cannot be asked yet, so the script answers where it may. It is tried again by itself at `until`."""

    def __init__(self, message: str, *, until: datetime | None = None, **more: Any) -> None:
        super().__init__(message, **more)
        self.until = until
        """None where only somebody can mend it: there is no key."""


class NeverAnswered(MindUnready):
    """The provider was tested when it was set and has not answered once."""


class KeyRefused(MindUnready):
    """The provider does not know the key, or the key is not there. Somebody has to give another."""
