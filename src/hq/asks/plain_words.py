"""Plain words: the closed list of phrases that are a yes or a no by themselves, and what else a typed text is made of."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import cast

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


def drops(text: str) -> bool:
    """Whether all of a text says that something is wanted no longer: `no, drop it`, `give it up`."""
    for words in languages():
        parts = _parts(text, words)
        if "?" not in text and parts and set(parts) <= _phrases(words, "drops") | _phrases(words, NO):
            return not set(parts).isdisjoint(_phrases(words, "drops"))
    return False


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
    acknowledges = _of_all("acknowledges")
    yield from ((name, phrase) for name, phrase in _answers() if " ".join(phrase) not in acknowledges)


def deed_answer(text: str, deed: str, about: str = "") -> str | None:
    """`yes` or `no`, where all of a text says to do that, or not to: each part between stops is a plain yes or no or names the deed,
    and one at least names it, with a yes before it or what it is done to behind it. Beside pronouns only words of `about`
    stand behind it, so “hire him tomorrow”, “hire Ana” and “hire another one” say more than that."""
    if asks_something(text):
        return None
    known = set(tokens(about))
    for words in languages():
        parts = _parts(text, words, links=False)
        forms = [
            *([deed.replace("_", " ")] if words.get("deeds_by_name") else ()),
            *_by_deed(words, "deeds").get(deed, ()),
        ]
        named = DeedWords(
            {name: _phrases(words, name) for name in (YES, NO)},
            [
                *((name, each.split()) for name in (YES, NO) for each in _phrases(words, f"leads_{name}")),
                *((YES, each.split()) for each in _tokens(_by_deed(words, "leads_of").get(deed, ()))),
            ],
            [list(tokens(form)) for form in forms],
            _phrases(words, "objects") | _tokens(_by_deed(words, "objects_of").get(deed, ())) | known,
        )
        said = [named.read(part, bare=len(parts) > 1) for part in parts]
        if said and any(does for _, does in said) and len(answers := {answer for answer, _ in said}) == 1:
            return answers.pop()
    return None


def deed_label(label: str) -> str:
    """The deed that a label names with nothing else, such as “Hire” or “Hire her”."""
    said = f"{' '.join(tokens(label))} "
    known = [
        (each, {each, *_tokens(forms)}) for words in languages() for each, forms in _by_deed(words, "deeds").items()
    ]
    deed = next((each for each, forms in known if any(said.startswith(f"{form} ") for form in forms)), "")
    return deed if deed and deed_answer(f"yes {label}", deed) == YES else ""


def for_host(text: str) -> bool:
    """Whether all of a text says that a word is for whom one talks with: `for the CEO`, `yes, to the CEO`."""
    said = list(tokens(text))
    phrases = [phrase for _, phrase in _answers()]
    rests = [said, *(said[len(each) :] for each in phrases if said[: len(each)] == each)]
    return any(" ".join(rest) in _of_all("host") for rest in rests)


def lets_go_on(text: str) -> bool:
    """Whether all of a text says that what is stopped goes on: `let it go on`, `yes, continue`."""
    for words in languages():
        parts = _parts(text, words)
        if "?" not in text and parts and set(parts) <= _phrases(words, "thaws") | _phrases(words, YES):
            return not set(parts).isdisjoint(_phrases(words, "thaws"))
    return False


def sentence(text: str) -> str:
    """The words of a text as people type them on a phone, without courtesy before or after them."""
    said = list(tokens(text))
    for words in languages():
        said = _without_courtesy(said, words)
    return " ".join(said)


def is_small_talk(text: str) -> bool:
    """Whether it is what one says every day, to nobody's question: a greeting, thanks."""
    return " ".join(tokens(text)) in _of_all("small_talk")


def asks_something(text: str) -> bool:
    """Whether it is a question, also without its mark."""
    said = f"{' '.join(tokens(text))} "
    return "?" in text or any(said.startswith(f"{each} ") for words in languages() for each in _phrases(words, "asks"))


def denials(text: str) -> set[str]:
    """Its words that turn what stands beside them round."""
    return set(tokens(text)) & {word for phrase in _of_all("denies") for word in tokens(phrase)}


def only_links(text: str) -> bool:
    """Whether there is nothing in it but words that join others."""
    return set(tokens(text)) <= links()


def links() -> set[str]:
    """Words that join others, such as a name or a number to what is said of it."""
    return _of_all("links")


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


def cardinal(said: str) -> int | None:
    """`two`, `2`, counted from nothing like the second."""
    if said.isdecimal():
        return int(said) - 1
    for words in languages():
        for name in ("numbers", "numbers_too"):
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


def opinions() -> set[str]:
    """What says of an option that it is liked, and nothing else."""
    return _of_all("opinions")


def prepositions() -> set[str]:
    return _of_all("prepositions")


def without_yes(text: str) -> str:
    """The words of a text without a yes before them: “Yes, from a list” is “from a list”."""
    said = list(tokens(text))
    before = [len(phrase) for name, phrase in _answers() if name == YES and said[: len(phrase)] == phrase]
    return " ".join(said[max(before, default=0) :])


@cache
def languages() -> tuple[Words, ...]:
    return tuple(yaml.safe_load(WORDS.read_text("utf-8")).values())


def _answers() -> Iterator[tuple[str, list[str]]]:
    for words in languages():
        for name in (YES, NO):
            yield from ((name, each.split()) for each in _phrases(words, name))


@dataclass(frozen=True)
class DeedWords:
    """The words of a language that say to do something, or not to."""

    answers: Mapping[str, set[str]]
    leads: Sequence[tuple[str, list[str]]]
    forms: Sequence[list[str]]
    objects: set[str]

    def read(self, part: str, *, bare: bool) -> tuple[str | None, bool]:
        """What a part between stops says, and whether it names the deed; `bare` where others beside it say how that is meant."""
        for name, phrases in self.answers.items():
            if part in phrases:
                return name, False
        said = part.split()
        before = [(answer, lead) for answer, lead in self.leads if said[: len(lead)] == lead]
        led, lead = max(before, key=lambda each: len(each[1]), default=(None, []))
        said = said[len(lead) :]
        form = next((each for each in self.forms if said[: len(each)] == each), None)
        objects = said[len(form) :] if form else []
        if form is None or not (led or objects or bare) or not set(objects) <= self.objects:
            return None, False
        return led or YES, True


def _parts(text: str, words: Words, *, links: bool = True) -> list[str]:
    """What stands between stops, without courtesy and, where it says so, without what would lead to a name behind it, as in “yes to”."""
    parts = [_without_courtesy(list(tokens(each)), words) for each in _PART.split(text)]
    parts = [each for each in parts if each]
    ends = _phrases(words, "links") if links else set()
    while parts and parts[-1][-1] in ends:
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


def _by_deed(words: Words, name: str) -> Mapping[str, Sequence[str]]:
    """What can be asked for, each with other words for it, or with what it can be done to beside what anything can."""
    return cast("Mapping[str, Sequence[str]]", words[name])


def _phrases(words: Words, name: str) -> set[str]:
    return _tokens(words[name])


def _tokens(phrases: Sequence[str]) -> set[str]:
    return {" ".join(tokens(each)) for each in phrases}


def _of_all(name: str) -> set[str]:
    return {each for words in languages() for each in _phrases(words, name)}
