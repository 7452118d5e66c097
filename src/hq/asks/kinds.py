"""Kinds of asks: for each, who may answer, in which ways, and what follows. A room declares its own; `app` puts them together."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, TypedDict

from hq.asks.ask import KEY
from hq.asks.effect_text import Effect
from hq.asks.plain_words import label_leaning
from hq.asks.quotation import check_line, one_line
from hq.asks.types import ActingOption, Ask, Option
from hq.door.tx import Tx
from hq.errors import Refused
from hq.graph.records import Stored

if TYPE_CHECKING:
    from hq.asks.open_asks import OpenAsk

YES, NO = "yes", "no"


class AnswerTerms(TypedDict, total=False):
    """What goes with an answer, by which kind of ask takes it."""

    always_for: str
    """Of a permission: what it is given for from now on."""
    days: float
    """Of that: how long."""
    because: list[str]
    """Of a question that an agent answered: what that rests on."""
    always: bool
    """Of an escalation: it holds from now on."""
    steps: list[str]
    """Of a plan: as whoever accepts it would have it."""
    said: bool
    """It was said in a conversation."""


@dataclass(frozen=True)
class AskAnswer:
    """A word in answer to an ask: one of its options, or text of one's own, and what goes with it."""

    by: str
    """Actor whose word it is."""
    option: Option | None = None
    text: str = ""
    note: str | None = None
    terms: AnswerTerms = field(default_factory=AnswerTerms)
    """What one kind alone knows, such as how long a grant lasts."""

    @property
    def key(self) -> str:
        return self.option.key if self.option else ""

    @property
    def words(self) -> str:
        return self.text or (self.option.label if self.option else "")


class Kind:
    """One sort of ask. What is not overridden holds for most."""

    name: ClassVar[str]
    type: ClassVar[type[Ask]]
    permission: ClassVar[bool] = False
    """Answered by a person under the founder's scope, never by a model and never by who asked."""
    carried: ClassVar[bool] = False
    """A question, to which the CEO may carry what the founder said to it; the rest the founder answers in person."""
    takes_text: ClassVar[bool] = False
    """Whether words of one's own are an answer too."""

    def is_permission(self, ask: Ask) -> bool:
        return self.permission

    def fits(self, ask: Ask) -> bool:
        """Whether an ask of its type is of this kind."""
        return True

    def options(self, ask: Ask) -> Sequence[Option]:
        """The ways to answer."""
        return ()

    severity: ClassVar[str] = "info"
    """How much it matters that somebody answers."""

    def title(self, ask: OpenAsk) -> str:
        """What is asked, in one sentence of the house's own; whole, where it is who asks that words it."""
        return str(getattr(ask.props, ask.props.title_field) or ask.title)

    def asker(self, ask: OpenAsk) -> str | None:
        """Who asks, as faces tell it."""
        return ask.asked_by

    def text(self, ask: OpenAsk) -> str:
        """What who asks says about it."""
        return ask.says or ""

    def facts(self, ask: OpenAsk) -> Iterable[tuple[str, Any]]:
        """What one should know before deciding."""
        return ()

    def label(self, ask: OpenAsk, option: Option) -> str:
        """What a button for it says."""
        return option.label

    def effect(self, ask: Ask, option: Option) -> Effect | None:
        """The call that an answer makes, if it makes one."""
        return (option.verb, option.args) if isinstance(option, ActingOption) and option.verb else None

    stands_for: ClassVar[str | None] = None
    """The type of what it is about, where that is but another name for the ask."""
    also_to: ClassVar[tuple[str, ...]] = ()
    """Who may answer besides whom it is addressed to, as faces tell it."""

    def for_call(self, verb: str) -> bool:
        """Of calls that wait for a yes, whether those of a verb are of this kind: by that the one query finds what waits for a seat."""
        return False

    def is_said(self, ask: Ask, option: str | None) -> bool:
        """Whether that answer is a word to whom one talks with, and nothing but that: the rest is settled once the house has taken it."""
        return False

    async def waits_for(self, tx: Tx, agent: str) -> bool:
        """Whether asks of this kind wait for an agent although none is addressed to it: by the seat it sits in."""
        return False

    async def may_answer(self, tx: Tx, ask: Stored[Any]) -> bool:
        """Whether an agent that calls may answer. People may anyway."""
        return False

    async def why_not(self, tx: Tx, ask: Stored[Any]) -> str:
        """What an agent hears that may not answer."""
        return f"{ask.slug} is with another; only whom it was laid before answers it"

    async def answered(self, tx: Tx, ask: Stored[Any], answer: AskAnswer) -> Stored[Any]:
        """Move it by its type's words, and see to what follows; calls go into `tx.follow_ups`."""
        raise NotImplementedError

    async def again(self, tx: Tx, ask: Stored[Any], answer: AskAnswer) -> Stored[Any] | None:
        """An answer to one that has an answer: what is still to be done about it, or nothing."""
        return None

    def key(self, ask: Stored[Any]) -> str:
        """Under which key its answer's call is made: once, whoever makes it. A follow-up under that key is missed when it is
        lost, and the ask is open again."""
        return f"ask:{ask.id}"

    def counted(self, ask: Ask) -> str:
        """Which answer counts, of one that was answered."""
        return getattr(ask, "choice", None) or ""

    async def withdrawn(self, tx: Tx, ask: Stored[Any], why: str) -> None:
        """What else ends with it, once it was taken back or its time is over."""


class Kinds:
    """Every kind, the special ones of a type before its general one."""

    def __init__(self, kinds: Iterable[Kind]) -> None:
        self.kinds = tuple(kinds)

    def of(self, ask: Ask) -> Kind:
        return next(kind for kind in self.kinds if isinstance(ask, kind.type) and kind.fits(ask))


def kind_of(tx: Tx, ask: Stored[Any]) -> Kind:
    return tx.use(Kinds).of(ask.props)


def ways(kind: Kind, ask: Ask) -> dict[str, Option]:
    """The ways to answer, by what they are called on every face: their keys; or their places, where a key is none that every
    face can hold, or two have the same."""
    options = kind.options(ask)
    named = len({each.key for each in options}) == len(options) and all(re.fullmatch(KEY, each.key) for each in options)
    return {each.key if named else f"option-{place}": each for place, each in enumerate(options, 1)}


def check_ways(options: Sequence[Option]) -> None:
    """What is asked from now on has options that are called by their keys, and labels of one line that do not belie these."""
    for each in options:
        check_line(f"the label of option {each.key[:31]!r}", each.label)
        check_leaning(f"option {each.key[:31]!r}", each.key, each.label)
        if not re.fullmatch(KEY, each.key):
            raise Refused.invalid(
                f"option {each.key[:40]!r}: a key is at most 31 characters, small letters, digits, - and _, a letter first"
            )
    if len({each.key for each in options}) < len(options):
        raise Refused.invalid("options: two have the same key")
    check_apart("options", [each.label for each in options])


def check_apart(what: str, labels: Iterable[str]) -> None:
    """Who reads two labels sees that they are two."""
    seen: set[str] = set()
    for label in labels:
        plain = unicodedata.normalize("NFKC", one_line(label)).casefold()
        if plain in seen:
            raise Refused.invalid(f"{what}: two are called {label[:60]!r}, but for how it is written; make them differ")
        seen.add(plain)


def check_leaning(what: str, key: str, label: str) -> None:
    """A key that says yes has no label that says no, nor the other way round: who answers by either means the same."""
    said, shown = label_leaning(key.replace("_", " ").replace("-", " ")), label_leaning(label)
    if said and shown and said != shown:
        raise Refused.invalid(
            f"{what} reads as {said} by its key and as {shown} by its label {label[:60]!r}; make them agree"
        )


def chosen(kind: Kind, ask: Stored[Any], option: str | None, text: str | None) -> tuple[Option | None, str]:
    """The option that is named, or the words; what is neither is refused with what there is."""
    options = ways(kind, ask.props)
    by_key = {each.key: each for each in kind.options(ask.props)} | options
    if option is not None and option not in by_key and options:
        raise Refused.invalid(f"{option!r} is not an option of {ask.slug}; it has {', '.join(options)}")
    if option is None and not kind.takes_text:
        raise Refused.invalid(f"say which: {', '.join(options)}", hint=f"`hq ask show {ask.slug}` shows what is asked")
    if option is None and not (text or "").strip():
        raise Refused.invalid("say what the answer is, in words" + (f" or as {', '.join(options)}" if options else ""))
    known = by_key.get(option) if option is not None else None
    if option is not None and known is None:  # one without a list takes any
        known = Option(key=option, label=option)
    return known, text or ""
