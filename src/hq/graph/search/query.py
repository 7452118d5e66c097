"""A query: what a search is asked for, and that taken apart: its words, the people it names, whether it asks when, and the dates it speaks of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal
from uuid import UUID

from hq.calendar_words import MONTHS, WEEKDAYS
from hq.graph.search.passage import Term

Mode = Literal["hybrid", "words", "meaning", "slug"]
MOST = 64
"""Words of a query that count."""
WORD = re.compile(r"[^\W_]+")
_FIRST_PERSON = frozenset((
    "i", "my", "me", "mine", "myself", "we", "our", "us",
    "eu", "meu", "minha", "meus", "minhas", "mim", "nós", "nosso", "nossa",
))  # fmt: skip
_WHEN = re.compile(
    r"\b(when|how long|how (?:recent|often)|(?:what|which)\b.*\b(?:date|day|month|year|week|time)"
    r"|quando|há quanto tempo|(?:em )?que (?:dia|data|mês|ano|semana|horas?))\b",
    re.IGNORECASE,
)
_TIMES = frozenset((
    "yesterday", "today", "tonight", "tomorrow", "ago", "last", "next", "recently", "just", "since", "weekend", "weekends",
    "week", "weeks", "month", "months", "year", "years", "day", "days", "morning", "summer", "winter", "spring",
    "ontem", "hoje", "amanhã", "atrás", "passado", "passada", "próximo", "próxima", "recentemente", "desde",
    "semana", "semanas", "mês", "meses", "ano", "anos", "dia", "dias", *WEEKDAYS, *MONTHS,
))  # fmt: skip
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]*")
_NUMBERED_TIME = re.compile(r"\d{4}|\d{1,2}(?:st|nd|rd|th)")


@dataclass(frozen=True)
class SearchQuery:
    text: str
    mode: Mode = "hybrid"
    types: Sequence[str] = ()
    status: Sequence[str] = ()
    """Only in one of these states."""
    tags: Sequence[str] = ()
    since: datetime | None = None
    until: datetime | None = None
    producer: UUID | None = None
    archived: bool = False
    asker: UUID | None = None
    """Who `I` and `my` mean."""
    limit: int = 10

    @property
    def filtered(self) -> bool:
        return bool(self.types or self.status or self.tags or self.since or self.until or self.producer)


@dataclass
class ParsedQuery:
    """What a query asks, beside the words it is looked up by."""

    text: str
    words: list[str]
    """Distinct words in order, lower case."""
    speakers: list[UUID] = field(default_factory=list)
    """Whose words it asks about."""
    terms: list[Term] = field(default_factory=list)
    meant: dict[int, tuple[str, str]] = field(default_factory=dict)
    """By place: the word that was typed, and the name it was taken for."""
    names: frozenset[str] = frozenset()
    """The words of names: they say whose words are meant, and are not looked for in what was said."""

    @property
    def without_names(self) -> str:
        kept = [part for part in self.text.split() if self.names.isdisjoint(words_of(part))]
        return " ".join(kept) or self.text

    @property
    def asks_when(self) -> bool:
        return bool(_WHEN.search(self.text))

    @property
    def dates(self) -> Dates:
        low = self.text.lower()
        months = {MONTHS[word] for word in WORD.findall(low) if word in MONTHS}
        if 5 in months and not re.search(
            r"\b(in|on|since|of|until|by|last|next|\d+\w*) may\b|\bmay,? \d|\bmaio\b", low
        ):
            months.discard(5)  # more often a verb than a month
        years = {int(year) for year in re.findall(r"\b(?:19|20)\d\d\b", low)}
        days = {int(day) for day in re.findall(r"\b(\d{1,2})(?:st|nd|rd|th)?\b", low) if 1 <= int(day) <= 31}
        return Dates(frozenset(months), frozenset(years), frozenset(days))

    def word_at(self, place: int) -> str:
        return self.meant[place][1] if place in self.meant else self.words[place - 1]


@dataclass(frozen=True)
class Dates:
    months: frozenset[int]
    years: frozenset[int]
    days: frozenset[int]

    def match(self, at: datetime) -> float:
        """1 where the day was named, a half where only its month was."""
        if at.month not in self.months or (self.years and at.year not in self.years):
            return 0.0
        return 1.0 if at.day in self.days else 0.5


def words_of(text: str) -> list[str]:
    return list(dict.fromkeys(word[:64] for word in WORD.findall(text.lower())))[:MOST]


def is_first_person(words: Iterable[str]) -> bool:
    return not _FIRST_PERSON.isdisjoint(words)


def times_in(text: str) -> int:
    """How many expressions of time a text holds."""
    return sum(
        1
        for word in WORD.findall(text.lower())
        if word in _TIMES or (word[0].isdigit() and _NUMBERED_TIME.fullmatch(word))
    )


def share_of_questions(text: str) -> float:
    """How much of a text asks something, by its sentences."""
    if "?" not in text:
        return 0.0
    sentences = [sentence for sentence in _SENTENCE.findall(text) if sentence.strip()]
    return sum(sentence.rstrip().endswith("?") for sentence in sentences) / len(sentences) if sentences else 0.0
