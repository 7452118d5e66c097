"""Two sets that judge what a company remembers: questions in other words than their answers, and pairs of statements.

They were written before the rules they judge, by somebody who had not read them. Whoever makes rules reads `dev` only; `held` judges.
How they were made, and what each label means, stands in bench/data/README.md.
"""

from __future__ import annotations

import csv
import hashlib
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Literal, cast

Half = Literal["dev", "held"]
Language = Literal["en", "pt"]
Form = Literal["decision", "preference", "fact", "lesson_learned", "context", "message"]
Kind = Literal["decision", "preference", "instruction", "fact", "change", "summary", "who-when", "negative"]
Label = Literal["contradicts", "changed", "compatible", "duplicate"]

DATA = Path(__file__).with_name("data")
NOON = time(12, tzinfo=UTC)
_WORD = re.compile(r"\w+")
_STEM = 5
_STOP_WORDS = frozenset((DATA / "stop_words.txt").read_text("utf-8").split())


@dataclass(frozen=True, kw_only=True)
class Item:
    """Something the company keeps: a memory of a category, or a message in a conversation."""

    id: str
    form: Form
    lang: Language
    at: datetime
    by: str
    text: str
    replaces: str | None = None
    conversation: str | None = None


@dataclass(frozen=True, kw_only=True)
class Question:
    """What somebody asks days later. Every needed item belongs to the answer; a negative question needs none."""

    id: str
    lang: Language
    kind: Kind
    needs: tuple[str, ...]
    text: str


@dataclass(frozen=True, kw_only=True)
class Statement:
    lang: Language
    on: date
    text: str


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two statements of the same company, the second said no earlier than the first where it changed something."""

    id: str
    label: Label
    kind: str
    first: Statement
    second: Statement


def half(id: str) -> Half:
    """Which half something belongs to. What stands before the dot decides, so nothing about one subject is in both."""
    subject = "memory:" + id.split(".", maxsplit=1)[0]
    return "dev" if hashlib.sha256(subject.encode()).digest()[0] % 2 else "held"


def read_needles() -> list[Item]:
    """The items that questions ask for; `bench.memory_noise` puts them among thousands of others."""
    return [
        Item(
            id=row["id"],
            form=cast(Form, row["form"]),
            lang=cast(Language, row["lang"]),
            at=datetime.combine(date.fromisoformat(row["on"]), NOON),
            by=row["by"],
            text=row["text"],
            replaces=row["replaces"] or None,
            conversation=f"talk.{row['id']}" if row["form"] == "message" else None,
        )
        for row in rows("paraphrase_items.tsv")
    ]


def read_questions(wanted: Half) -> list[Question]:
    return [
        Question(
            id=row["id"],
            lang=cast(Language, row["lang"]),
            kind=cast(Kind, row["kind"]),
            needs=tuple(row["needs"].split(",")) if row["needs"] else (),
            text=row["text"],
        )
        for row in rows("paraphrase_questions.tsv")
        if half(row["id"]) == wanted
    ]


def read_pairs(wanted: Half) -> list[Pair]:
    return [
        Pair(
            id=row["id"],
            label=cast(Label, row["label"]),
            kind=row["kind"],
            first=_statement(row, "first"),
            second=_statement(row, "second"),
        )
        for row in rows("contradiction.tsv")
        if half(row["id"]) == wanted
    ]


def shared_words(question: str, answer: str) -> set[str]:
    """Content words, by their first letters, that a question has in common with what answers it."""
    return _stems(question) & _stems(answer)


def rows(name: str) -> Iterator[dict[str, str]]:
    with (DATA / name).open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)


def _statement(row: dict[str, str], place: str) -> Statement:
    return Statement(
        lang=cast(Language, row[f"{place}_lang"]),
        on=date.fromisoformat(row[f"{place}_on"]),
        text=row[f"{place}_text"],
    )


def _stems(text: str) -> set[str]:
    plain = unicodedata.normalize("NFKD", text.lower())
    words = _WORD.findall("".join(letter for letter in plain if not unicodedata.combining(letter)))
    return {word[:_STEM] for word in words if len(word) > 1 and word not in _STOP_WORDS}
