"""The company around the needles of `bench.memory_sets`: memories and messages near them in topic and words that answer no question."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import cast

from bench.memory_sets import Form, Item, Language, read_needles, rows

MEMORIES, MESSAGES = 5_000, 10_000
SEED = 16
BEGAN, DAYS = datetime(2024, 1, 8, 8, tzinfo=UTC), 710
ENGLISH = 0.6
TAILED = 0.35
PAUSE = timedelta(minutes=4)
_CHOICE = re.compile(r"\[([^\]]*)\]")
_SLOT = re.compile(r"\{(\w+)\}")


def make_company(seed: int = SEED) -> list[Item]:
    """All that the company keeps, oldest first: the needles among memories and conversations, the same for the same seed."""
    needles = read_needles()
    memories = [item for item in needles if item.form != "message"]
    messages = [item for item in needles if item.form == "message"]
    writer = _Writer(random.Random(seed))
    memories += writer.memories(MEMORIES - len(memories))
    return sorted([*memories, *writer.conversations(messages, MESSAGES)], key=lambda item: (item.at, item.id))


@dataclass(frozen=True)
class _Shop:
    name: str
    town: str
    contacts: tuple[str, str]


class _Writer:
    """Fills hand-written sentences with names and numbers; a memory's sentence is said once of a shop, and no text twice."""

    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        self.words = {(row["slot"], row["lang"]): row["words"].split(";") for row in rows("noise_words.tsv")}
        self.sentences: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
        for row in rows("noise.tsv"):
            sort = row["form"] if row["form"] in ("message", "tail") else "memory"
            self.sentences[sort, row["lang"]].append((row["form"], row["text"]))
        self.shops: dict[Language, list[_Shop]] = {"en": self._shops("en"), "pt": self._shops("pt")}
        self.said: set[str] = set()

    def memories(self, count: int) -> Iterator[Item]:
        told: set[tuple[str, str]] = set()
        while len(told) < count:
            language: Language = "en" if self.dice.random() < ENGLISH else "pt"
            form, sentence = self.dice.choice(self.sentences["memory", language])
            shop, at = self.dice.choice(self.shops[language]), self._moment()
            text = self._fill(sentence, language, shop, at)
            if text in self.said or (sentence, shop.name) in told:
                continue
            self.said.add(text)
            by = self.dice.choice(self.words["person", "en"])
            yield Item(id=f"memory.{len(told)}", form=cast(Form, form), lang=language, at=at, by=by, text=text)
            told.add((sentence, shop.name))

    def conversations(self, needles: list[Item], count: int) -> list[Item]:
        """Every needle in a conversation of its own, in its language, then conversations without one."""
        said: list[Item] = []
        for needle in needles:
            before, after = self.dice.randint(1, 4), self.dice.randint(1, 4)
            talk = self._talk(str(needle.conversation), needle.lang, needle.at - before * PAUSE, before + 1 + after)
            talk[before] = replace(needle, at=talk[before].at)
            said += talk
        while len(said) < count:
            language: Language = "en" if self.dice.random() < ENGLISH else "pt"
            size = min(self.dice.randint(4, 10), count - len(said))
            said += self._talk(f"talk.{len(said)}", language, self._moment(), size)
        return said

    def _talk(self, name: str, language: Language, begin: datetime, size: int) -> list[Item]:
        shop = self.dice.choice(self.shops[language])
        speakers = self.dice.sample(self.words["person", "en"], 3)
        moments = [begin + place * PAUSE for place in range(size)]
        return [
            Item(
                id=f"{name}.m{place}",
                form="message",
                lang=language,
                at=at,
                by=self.dice.choice(speakers),
                text=self._message(language, shop, at),
                conversation=name,
            )
            for place, at in enumerate(moments)
        ]

    def _message(self, language: Language, shop: _Shop, at: datetime) -> str:
        """What nobody said yet."""
        while (text := self._fill(self._sentence(language), language, shop, at, capital=False)) in self.said:
            pass
        self.said.add(text)
        return text

    def _sentence(self, language: Language) -> str:
        sentence = self.dice.choice(self.sentences["message", language])[1]
        if self.dice.random() >= TAILED:
            return sentence
        tail = self.dice.choice(self.sentences["tail", language])[1]
        return sentence.rstrip("?") + (tail if tail[0] in ",." else f" {tail}")

    def _fill(self, sentence: str, language: Language, shop: _Shop, at: datetime, capital: bool = True) -> str:
        text = _CHOICE.sub(lambda found: self.dice.choice(found[1].split("|")), sentence)
        filled: dict[str, str] = {}
        for slot in _SLOT.findall(text):
            while slot not in filled or list(filled.values()).count(filled[slot]) > 1:
                filled[slot] = self._value(slot.rstrip("2"), language, shop, at)
        text = _SLOT.sub(lambda found: filled[found[1]], text)
        return text[0].upper() + text[1:] if capital else text

    def _value(self, slot: str, language: Language, shop: _Shop, at: datetime) -> str:
        number = self.dice.randint
        match slot:
            case "customer" | "clientf":
                return shop.name
            case "contact":
                return self.dice.choice(shop.contacts)
            case "town":
                return self.dice.choice([shop.town, self.dice.choice(self.words["town", language])])
            case "small" | "n" | "big" | "day":
                least, most = {"small": (2, 9), "n": (11, 98), "big": (110, 3900), "day": (4, 20)}[slot]
                return str(number(least, most))
            case "hour":
                return f"{number(9, 18)}:{number(0, 11) * 5:02}"
            case "ticket" | "serial":
                return f"T-{number(2000, 9999)}" if slot == "ticket" else f"P-{number(10_000, 49_999)}"
            case "tenth":
                return f"0.{number(2, 9)} degrees" if language == "en" else f"0,{number(2, 9)} graus"
            case "date":
                day = at + timedelta(days=number(-20, 40))
                between = " " if language == "en" else " de "
                return f"{day.day}{between}{self.words['calendar', language][day.month - 1]}"
            case _:
                return self.dice.choice(self.words[slot, language])

    def _shops(self, language: Language) -> list[_Shop]:
        def name() -> str:
            return f"{self.dice.choice(self.words['first', language])} {self.dice.choice(self.words['last', language])}"

        return [
            _Shop(
                f"{street} {kind}" if language == "en" else f"{kind} {street}",
                self.dice.choice(self.words["town", language]),
                (name(), name()),
            )
            for kind in self.words["kind", language]
            for street in self.words["street", language]
        ]

    def _moment(self) -> datetime:
        return BEGAN + timedelta(days=self.dice.randrange(DAYS), minutes=self.dice.randrange(600))
