"""Interpreter: whether a text that somebody typed is an answer to what waits for them. Pure: it reads words and asks nobody.

It is certain or it takes nothing. A text is an answer where all of it is one of the options, in its own words, by its key or its
number, or a plain yes or no; anything more than that is for somebody who can think about it. A word that would fit anything,
and any word that gives a permission, is meant for the one card that was put before whoever speaks last, and for nothing else.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from hq.json_types import JsonObject

WORDS = Path(__file__).with_name("words.yaml")
LONGEST = 200
"""Characters; who writes more than that says more than yes."""
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
YES, NO = "yes", "no"


@dataclass(frozen=True)
class AskCandidate:
    """An ask as far as a text can be an answer to it."""

    ask: str
    title: str
    options: Sequence[tuple[str, str]] = ()
    """Key and label of each."""
    detail: str = ""
    """Who asks, and for what exactly: what tells it from another of the same title."""
    takes_text: bool = False
    permission: bool = False
    before: bool = True
    """It was put before whoever speaks, in the conversation; else it only lies in the inbox."""
    spoken_since: bool = False
    """Something was said in the conversation since, by anybody, so a yes may be meant for that."""
    carded: bool = True
    """A card of it is open, or held until it can be shown."""
    asked_since: bool = False
    """Something else was asked in the conversation since, so an option's words may be meant for that."""
    subject: str = ""
    """What it is about, in few words: what is done, with whom or what."""

    @property
    def last(self) -> bool:
        """Nothing came between it and what is said now."""
        return self.before and not self.spoken_since


@dataclass(frozen=True)
class TakenAnswer:
    """The text is the answer to this one."""

    ask: AskCandidate
    option: str | None = None
    text: str | None = None


@dataclass(frozen=True)
class TakenAnswers:
    """The text is the answer to all of these."""

    answers: Sequence[TakenAnswer]


@dataclass(frozen=True)
class Several:
    """The text would be an answer to each of these, and it is not certain to which, if to any."""

    asks: Sequence[AskCandidate]


@dataclass(frozen=True)
class HouseList:
    """What the house has just asked: which of these was meant. Nobody but whom one talks with has said anything since."""

    asks: Sequence[str]
    word: str | None
    """The answer that it was about."""
    spoken_since: bool = False
    """A model has spoken since, so a bare number or yes may be meant for its words."""
    asked_since: bool = False
    """Something else was asked since, so even `yes to 2` may be meant for that."""
    said: str | None = None
    """What nobody understood, where the list came in answer to that: a yes says that it is the answer."""

    @property
    def last(self) -> bool:
        """Nothing came between it and what is said now."""
        return not self.spoken_since and not self.asked_since


def read(
    text: str, asks: Sequence[AskCandidate], reply_to: str | None = None, listed: HouseList | None = None
) -> TakenAnswer | TakenAnswers | Several | None:
    """What a text answers. Nothing where it is not certain."""
    if reply_to is not None:
        (named,) = [each for each in asks if each.ask == reply_to] or [None]
        return _replied(text, named) if named else None
    if not asks or len(text) > LONGEST or text.rstrip().endswith("?"):
        return None
    if (named := _by_name(text, asks)) or (listed and (named := _of_list(text, asks, listed))):
        return named
    if found := _of_all(text, asks, listed) or _by_subject(text, asks):
        return found
    if worded := [(each, option) for each in asks if (option := _own_words(text, each)) is not None]:
        return _only([(each, option) for each, option in worded if each.before and not each.asked_since])
    fitting = [(each, option) for each in asks if (option := chosen(text, each)) is not None]
    put = [each for each in asks if each.last]
    if len(put) == 1 and (certain := [(each, option) for each, option in fitting if each.last]):
        return _only(certain)
    return Several([each for each, _ in fitting]) if fitting else None


def _of_all(text: str, asks: Sequence[AskCandidate], listed: HouseList | None) -> TakenAnswers | Several | None:
    """`yes to both`, `no to all`: to all that wait, where each was put before whoever speaks and can be answered so."""
    tokens = list(_tokens(text))
    all_of = {_plain(each) for words in _languages() for each in words["all"]}
    both = {_plain(each) for words in _languages() for each in words["both"]}
    said = [token for token in tokens if token in all_of | both]
    rest = " ".join(token for token in tokens if token not in (*said, "of", "them", "deles", "delas"))
    word = plain_answer(rest) if len(said) == 1 else None
    fitting = [each for each in asks if word in [key for key, _ in each.options]]
    if not word or not fitting:
        return None
    shown = {*(listed.asks if listed else ()), *(each.ask for each in asks if each.before)}
    certain = len(fitting) == 2 if said[0] in both else len(fitting) > 1
    if not certain or any(each.ask not in shown or each.asked_since for each in fitting):
        return Several(fitting)
    return TakenAnswers([TakenAnswer(each, word) for each in fitting])


def _by_subject(text: str, asks: Sequence[AskCandidate]) -> TakenAnswer | Several | None:
    """`approve the lawyer`: a yes or a no, and nothing else but what one of them alone is about."""
    tokens = list(_tokens(text))
    fillers = {_plain(each) for words in _languages() for each in words["filler"]}
    for words in _languages():
        for key in (YES, NO):
            for phrase in (list(_tokens(each)) for each in words[key] if each not in words["acknowledges"]):
                about = set(tokens[len(phrase) :]) - fillers
                if tokens[: len(phrase)] != phrase or not about:
                    continue
                named = [each for each in asks if about <= set(_tokens(f"{each.title} {each.subject}"))]
                fitting = [each for each in named if key in [option for option, _ in each.options]]
                if len(fitting) == 1 and len(named) == 1 and fitting[0].before:
                    return TakenAnswer(fitting[0], key)
                if fitting:
                    return Several(fitting)
    return None


def _only(fitting: Sequence[tuple[AskCandidate, str]]) -> TakenAnswer | Several | None:
    if len(fitting) > 1:
        return Several([each for each, _ in fitting])
    return TakenAnswer(*fitting[0]) if fitting else None


def answered_by_name(text: str) -> list[str]:
    """What a text may name where all the rest of it is a yes or a no."""
    if len(text) > LONGEST or text.rstrip().endswith("?"):
        return []
    words = _words(text)
    return [
        word for n, word in enumerate(words) if len(word) > 2 and plain_answer(" ".join(words[:n] + words[n + 1 :]))
    ]


def _words(text: str) -> list[str]:
    return [word.strip(".,;:!`'\"“”()") for word in text.split()]


def _by_name(text: str, asks: Sequence[AskCandidate]) -> TakenAnswer | None:
    """`yes to <slug>`: what names one is meant for it, wherever that lies."""
    words = _words(text)
    named = [each for each in asks if each.ask in words]
    if len(named) != 1:
        return None
    option = chosen(" ".join(word for word in words if word != named[0].ask), named[0])
    return TakenAnswer(named[0], option) if option is not None else None


def _of_list(text: str, asks: Sequence[AskCandidate], listed: HouseList) -> TakenAnswer | Several | None:
    """`the first`, `yes to 2`: of the list that the house has just shown; where that is one alone, an answer is for it."""
    shown = [each for slug in listed.asks for each in asks if each.ask == slug]
    tokens = list(_tokens(text))
    numbers = [token for token in tokens if not (len(token) == 1 and token.isalpha()) and _ordinal(token) is not None]
    if len(numbers) == 1 and (place := _ordinal(numbers[0])) is not None and 0 <= place < len(shown):
        rest = " ".join(token for token in tokens if token != numbers[0])
        said = plain_answer(rest)
        word = said or (listed.word if listed.last and _is_filler(rest) else None)
        if word in [key for key, _ in shown[place].options]:
            return Several(shown) if listed.asked_since else TakenAnswer(shown[place], word)
        if listed.said is not None and _is_filler(rest):  # which one is clear then, and not what of it
            return Several([shown[place]])
    if len(shown) == 1 and listed.last and (option := chosen(text, shown[0])) is not None:
        return TakenAnswer(shown[0], option)
    if len(shown) == 1 and listed.said and _may_be_answer(listed.said, shown[0]) and plain_answer(text) == YES:
        return TakenAnswer(shown[0], text=listed.said)
    return None


def _may_be_answer(said: str, ask: AskCandidate) -> bool:
    """Whether words that fit nothing else may be the answer to a question, once a yes says so. They never give a permission."""
    takes = ask.before and ask.takes_text and not ask.permission and {YES, NO}.isdisjoint(key for key, _ in ask.options)
    return takes and not said.rstrip().endswith("?") and plain_answer(said) is None


def _is_filler(text: str) -> bool:
    return set(_tokens(text)) <= {_plain(each) for words in _languages() for each in words["filler"]}


def _own_words(text: str, ask: AskCandidate) -> str | None:
    """The option of a question whose words these are: they say by themselves what is meant, other than a yes or a number."""
    if ask.permission or plain_answer(text) is not None or _ordinal(_bare(text)) is not None:
        return None
    return chosen(text, ask)


def _replied(text: str, ask: AskCandidate) -> TakenAnswer | None:
    """Whoever answers the card itself means it; words of one's own are an answer where the ask takes words."""
    if (option := chosen(text, ask)) is not None:
        return TakenAnswer(ask, option)
    return TakenAnswer(ask, text=text) if ask.takes_text else None


def chosen(text: str, ask: AskCandidate) -> str | None:
    """The key of the option that a text names, if all of it does."""
    said = _bare(text)
    if not said:
        return None
    labelled = [key for key, label in ask.options if said in (_plain(key), _plain(label)) or _matches(text, label)]
    if len(labelled) == 1:
        return labelled[0]
    if labelled:
        return None
    keys = [key for key, _ in ask.options]
    if (number := _ordinal(said)) is not None and 0 <= number < len(keys) and not set(keys) <= {YES, NO}:
        return keys[number]
    word = plain_answer(text)
    return word if word in keys else None


def plain_answer(text: str) -> str | None:
    """`yes` or `no`, where a text says nothing else; in any language there is. An “ok” with thanks says only that it was heard."""
    for words in _languages():
        if _consists_of(text, words["acknowledges"], words["filler"]) and _says(text, words["thanks"]):
            return None
        found = {name for name in (YES, NO) if _consists_of(text, words[name], words["filler"])}
        if len(found) == 1:
            return found.pop()
    return None


def _says(text: str, words: Sequence[str]) -> bool:
    return not {_plain(each) for each in words}.isdisjoint(_tokens(text))


def _consists_of(text: str, wanted: Sequence[str], filler: Sequence[str]) -> bool:
    left = f" {' '.join(_tokens(text))} "
    for phrase in sorted((" ".join(_tokens(each)) for each in wanted), key=len, reverse=True):
        left = left.replace(f" {phrase} ", " \0 ")
    rest = left.split()
    return "\0" in rest and all(token in ("\0", *(_plain(each) for each in filler)) for token in rest)


def _matches(text: str, label: str) -> bool:
    """All words of a label in their order, and nothing else but fillers around them."""
    said, wanted = list(_tokens(text)), list(_tokens(label))
    fillers = {_plain(each) for words in _languages() for each in words["filler"]} - set(wanted)
    return bool(wanted) and [word for word in said if word not in fillers] == wanted


def _ordinal(said: str) -> int | None:
    """`2`, `b`, `the second`: counted from nothing."""
    if said.isdigit():
        return int(said) - 1
    if len(said) == 1 and "a" <= said <= "h":
        return ord(said) - ord("a")
    for words in _languages():
        for name in ("ordinals", "ordinals_too"):
            names = [_plain(each) for each in words.get(name, ())]
            if said in names:
                return names.index(said)
    return None


def _bare(text: str) -> str:
    """The text without the words that say nothing, unless it is made of nothing else."""
    tokens = list(_tokens(text))
    fillers = {_plain(each) for words in _languages() for each in words["filler"]}
    return " ".join([token for token in tokens if token not in fillers] or tokens)


def _tokens(text: str) -> Iterator[str]:
    yield from (_plain(word) for word in _WORD.findall(text.lower().replace("’", "'")))


def _plain(text: str) -> str:
    """Without accents and in small letters, as people type on a phone."""
    parts = unicodedata.normalize("NFKD", text.lower().replace("’", "'"))
    return "".join(each for each in parts if not unicodedata.combining(each)).strip()


@cache
def _languages() -> tuple[JsonObject, ...]:
    return tuple(yaml.safe_load(WORDS.read_text("utf-8")).values())
