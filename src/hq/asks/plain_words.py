"""Plain words: the closed list of phrases that are a yes or a no by themselves, and what else a typed text is made of."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

import yaml

WORDS = Path(__file__).with_name("words.yaml")
Words = Mapping[str, Sequence[str]]
"""The words of one language, by what they do."""
YES, NO = "yes", "no"
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_PART = re.compile(r"[,.;:!()…–—\n]+")


def plain_answer(text: str) -> str | None:
    """`yes` or `no`, where the whole of a text is such a phrase, or each of its parts is; in any language there is. An “ok” with
    thanks says only that it was heard."""
    if "?" in text:
        return None
    for words in languages():
        parts = _parts(text, words)
        if parts and set(parts) <= _phrases(words, "acknowledges") and _says(text, words["thanks"]):
            return None
        for name in (YES, NO):
            if parts and set(parts) <= _phrases(words, name):
                return name
    return None


def label_answer(label: str) -> str | None:
    """`yes` or `no`, where a label begins with such a phrase and a stop: “Yes, delete it”, “Approve: merge entity”, “Not now”."""
    return plain_answer(_PART.split(label.strip().rstrip("?"), maxsplit=1)[0])


def label_leaning(label: str) -> str | None:
    """`yes` or `no`, where that is how a label begins, stop or not."""
    said = list(tokens(label))
    found = {
        name: max((len(each.split()) for each in _of_all(name) if said[: len(each.split())] == each.split()), default=0)
        for name in (YES, NO)
    }
    if found[YES] == found[NO]:
        return None
    return YES if found[YES] > found[NO] else NO


def answer_phrases() -> Iterator[tuple[str, list[str]]]:
    """Every phrase that is a yes or a no, as its words; not those that only acknowledge."""
    for words in languages():
        for name in (YES, NO):
            yield from ((name, each.split()) for each in _phrases(words, name) - _phrases(words, "acknowledges"))


def sentence(text: str) -> str:
    """The words of a text as people type them on a phone, without courtesy before or after them."""
    said = list(tokens(text))
    for words in languages():
        said = _without_courtesy(said, words)
    return " ".join(said)


def asks_something(text: str) -> bool:
    """Whether it is a question, also without its mark."""
    said = f"{' '.join(tokens(text))} "
    return "?" in text or any(said.startswith(f"{each} ") for words in languages() for each in _phrases(words, "asks"))


def only_links(text: str) -> bool:
    """Whether there is nothing in it but words that join others."""
    return set(tokens(text)) <= {each for words in languages() for each in _phrases(words, "links")}


def ordinal(said: str) -> int | None:
    """`2`, `b`, `second`: counted from nothing."""
    if said.isdigit():
        return int(said) - 1
    if len(said) == 1 and "a" <= said <= "h":
        return ord(said) - ord("a")
    for words in languages():
        for name in ("ordinals", "ordinals_too"):
            names = [plain(each) for each in words.get(name, ())]
            if said in names:
                return names.index(said)
    return None


def ordinal_sentence(text: str) -> int | None:
    """`2`, `the second one`, `option b`: the place that is all of what is said."""
    said = sentence(text).split()
    named = [each for each in said if ordinal(each) is not None and not (each == "a" and len(said) > 1)]
    rest = [each for each in said if each not in named]
    return ordinal(named[0]) if len(named) == 1 and only_links(" ".join(rest)) else None


def tokens(text: str) -> Iterator[str]:
    yield from (plain(word) for word in _WORD.findall(text.lower().replace("’", "'")))


def plain(text: str) -> str:
    """Without accents and in small letters, as people type on a phone."""
    parts = unicodedata.normalize("NFKD", text.lower().replace("’", "'"))
    return "".join(each for each in parts if not unicodedata.combining(each)).strip()


def fillers() -> set[str]:
    return {plain(each) for words in languages() for each in words["filler"]}


@cache
def languages() -> tuple[Words, ...]:
    return tuple(yaml.safe_load(WORDS.read_text("utf-8")).values())


def _parts(text: str, words: Words) -> list[str]:
    """What stands between stops, without courtesy and without what would lead to a name behind it, as in “yes to”."""
    parts = [_without_courtesy(list(tokens(each)), words) for each in _PART.split(text)]
    parts = [each for each in parts if each]
    links = _phrases(words, "links")
    while parts and parts[-1][-1] in links:
        parts[-1] = parts[-1][:-1]
        parts = [each for each in parts if each]
    return [" ".join(each) for each in parts]


def _without_courtesy(said: list[str], words: Words) -> list[str]:
    phrases = sorted((each.split() for each in _phrases(words, "courtesy")), key=len, reverse=True)
    for each in phrases:
        if len(said) > len(each) and said[: len(each)] == each and " ".join(said) not in _phrases(words, YES):
            said = said[len(each) :]
    for each in phrases:
        if said[-len(each) :] == each:
            said = said[: -len(each)]
    return said


def _says(text: str, words: Sequence[str]) -> bool:
    return not {plain(each) for each in words}.isdisjoint(tokens(text))


def _phrases(words: Words, name: str) -> set[str]:
    return {" ".join(tokens(each)) for each in words[name]}


def _of_all(name: str) -> set[str]:
    return {each for words in languages() for each in _phrases(words, name)}
