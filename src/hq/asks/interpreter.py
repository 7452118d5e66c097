"""Interpreter: whether a text that somebody typed is an answer to what waits for them. Pure: it reads words and asks nobody.

It is certain or it takes nothing. A text is an answer where all of it is one of the options, by its label or its number, or a
plain yes or no; anything more than that is for somebody who can think about it. Keys, which nobody reads, answer nothing. A word
that would fit anything, and any word that gives a permission, is meant for the one card that was put before whoever speaks last,
and for nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hq.asks.plain_words import (
    NO,
    YES,
    answer_phrases,
    asks_something,
    cardinal,
    deed_answer,
    deed_label,
    drops,
    fillers,
    for_host,
    is_small_talk,
    label_answer,
    label_leaning,
    languages,
    lets_go_on,
    links,
    only_links,
    opinions,
    ordinal,
    ordinal_sentence,
    plain,
    plain_answer,
    prepositions,
    sentence,
    tokens,
    without_yes,
)
from hq.new_request import asks_anew

STOP = "freeze"
LONGEST = 200
"""Characters; who writes more than that says more than yes."""


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
    """It was shown to whoever speaks, in the conversation and where they speak; else it only lies in the inbox. Of a
    permission also: not behind a question of somebody's own."""
    spoken_since: bool = False
    """Something was said in the conversation since, by anybody, so a yes may be meant for that."""
    carded: bool = True
    """A card of it is open, or held until it can be shown."""
    asked_since: bool = False
    """Something else was asked in the conversation since, so an option's words may be meant for that."""
    subject: str = ""
    """What it is about, in few words: what is done, with whom or what."""
    behind_question: bool = False
    """Something was asked in words before it was put there and not answered yet, so a yes may be meant for that."""
    house_named: bool = True
    """Its name is the house's own and nobody's choice: who says it has read it somewhere."""
    deed: str = ""
    """Of a call that waits, what it does, in one word of the house's own: hire, merge."""
    put: bool = False
    """A card of it stands in the conversation, whether it was shown where they speak or not."""
    asked_open: bool = False
    """Something was asked there in words that nobody has answered yet, so the words of an option may be meant for that."""
    stops: bool = False
    """It is the kill switch: one of its options stops everything."""

    @property
    def last(self) -> bool:
        """Nothing came between it and what is said now."""
        return self.before and not self.spoken_since and not self.behind_question


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
class PassedOn:
    """The text says an option of these questions, and is not certain to be their answer: whom one talks with may see to it."""

    asks: Sequence[AskCandidate]


@dataclass(frozen=True)
class ForHost:
    """The word that the house asked about was for whom one talks with."""


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
    put_since: bool = False
    """A card of something else was put there since: a word may be for either, and the numbers are nobody's any more."""

    @property
    def last(self) -> bool:
        """Nothing came between it and what is said now."""
        return not self.spoken_since and not self.asked_since


def read(
    text: str, asks: Sequence[AskCandidate], reply_to: str | None = None, listed: HouseList | None = None
) -> TakenAnswer | TakenAnswers | Several | PassedOn | ForHost | None:
    """What a text answers. Nothing where it is no answer."""
    if reply_to is not None:
        (named,) = [each for each in asks if each.ask == reply_to] or [None]
        return _replied(text, named) if named else None
    if not asks or len(text) > LONGEST or text.rstrip().endswith("?"):
        return None
    if is_small_talk(text):
        return None  # also where a button is called so
    if for_host(text):
        return ForHost() if listed else None
    if stopped := _of_kill_switch(text, asks):
        return stopped
    asking = listed if listed and not listed.put_since else None
    if (named := _by_name(text, asks, asking)) or (asking and (named := _of_list(text, asks, asking))):
        return named
    if found := _of_all(text, asks, asking) or _by_subject(text, asks):
        return found
    if drops(text) and not any(_labelled(text, each) for each in asks):
        return _dropped(asks)
    if worded := [(each, option) for each in asks if (option := _own_words(text, each)) is not None]:
        meant = [
            (each, option)
            for each, option in worded
            if (each.before and not each.asked_since) or _says_label(text, each)
        ]
        return _only(meant) or PassedOn([each for each, _ in worded])
    fitting = [(each, option) for each in asks if (option := chosen(text, each)) is not None]
    put = [each for each in asks if each.last]
    certain = [(each, option) for each, option in fitting if each.last]
    if len(put) == 1 and len(asks) == 1 and not fitting and _names_with_more(text, put[0]):
        return TakenAnswer(put[0], text=text)
    if len(put) == 1 and certain and not (listed and listed.put_since):
        return _only(certain)
    return Several([each for each, _ in fitting]) if fitting else None


def _of_kill_switch(text: str, asks: Sequence[AskCandidate]) -> TakenAnswer | None:
    """`stop everything`, said again: it takes nothing away, so whatever came between, it stops as long as its card stands. And `go on`,
    where nothing else that waits may be meant by that."""
    for each in asks:
        if not each.stops:
            continue
        if option := _deed_labelled(text, each):
            return TakenAnswer(each, option)
        labelled = [key for key, label in each.options if sentence(text) == sentence(label)]
        option = labelled[0] if labelled else _left_alone(text, each)
        if option and not any(chosen(text, other) for other in asks if other != each):
            return TakenAnswer(each, option)
    return None


def _labelled(text: str, ask: AskCandidate) -> bool:
    return sentence(text) in {sentence(label) for _, label in ask.options}


def _dropped(asks: Sequence[AskCandidate]) -> TakenAnswer | None:
    """`drop it`, where one thing alone waits, nothing came between, and one of its options declines it. Else it may be meant for
    anything that was spoken of, and whom one talks with asks."""
    if len(asks) != 1 or not asks[0].last or asks[0].stops:
        return None
    declines = [key for key, label in asks[0].options if label_answer(label) == NO or drops(label)]
    return TakenAnswer(asks[0], declines[0]) if len(declines) == 1 else None


def _says_label(text: str, ask: AskCandidate) -> bool:
    """Whether it is an option's label, word for word, in more words than one, of what was put into the conversation: who says it knows
    the question, wherever they have read it. Not where something else was asked there that may be answered by it."""
    said = sentence(text)
    return ask.put and not ask.asked_open and " " in said and said in {sentence(label) for _, label in ask.options}


def _of_all(text: str, asks: Sequence[AskCandidate], listed: HouseList | None) -> TakenAnswers | Several | None:
    """`yes to both`, `no to all`: to all that wait, where each was put before whoever speaks and can be answered so."""
    every, both = _words_of("all"), _words_of("both")
    words = list(tokens(text))
    said = [word for word in words if word in every | both]
    rest = " ".join(word for word in words if word not in (*said, "of", "them", "deles", "delas"))
    answer = plain_answer(rest) if len(said) == 1 and not asks_something(text) else None
    meant = [(each, option) for each in asks if (option := _meant_by(answer, each)) is not None]
    fitting = [each for each, _ in meant]
    if not fitting:
        return None
    shown = {*(listed.asks if listed else ()), *(each.ask for each in asks if each.before and not each.behind_question)}
    certain = len(fitting) == 2 if said[0] in both else len(fitting) > 1
    if not certain or any(each.ask not in shown or each.asked_since for each in fitting):
        return Several(fitting)
    return TakenAnswers([TakenAnswer(each, option) for each, option in meant])


def _by_subject(text: str, asks: Sequence[AskCandidate]) -> TakenAnswer | Several | None:
    """`approve the lawyer`: a yes or a no, and nothing else but what one of them alone is about."""
    if asks_something(text):
        return None
    words = list(tokens(text))
    for answer, phrase in answer_phrases():
        about = set(words[len(phrase) :]) - fillers()
        if words[: len(phrase)] != phrase or not about:
            continue
        named = [each for each in asks if about <= set(tokens(f"{each.title} {each.subject}"))]
        fitting = [(each, option) for each in named if (option := _meant_by(answer, each)) is not None]
        if len(fitting) == 1 and len(named) == 1 and named[0].before and not named[0].behind_question:
            return TakenAnswer(*fitting[0])
        if fitting:
            return Several([each for each, _ in fitting])
    return None


def _words_of(name: str) -> set[str]:
    return {plain(each) for words in languages() for each in words[name]}


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


def _by_name(text: str, asks: Sequence[AskCandidate], listed: HouseList | None) -> TakenAnswer | Several | None:
    """`yes to <slug>`: what names one is meant for it, wherever that lies; a name that others chose only where it was shown."""
    words = _words(text)
    named = [each for each in asks if each.ask in words]
    if len(named) != 1:
        return None
    (ask,) = named
    option = chosen(" ".join(word for word in words if word != ask.ask), ask)
    if option is None:
        return None
    shown = ask.house_named or ask.before or (listed is not None and ask.ask in listed.asks)
    return TakenAnswer(ask, option) if shown or not ask.permission else Several(named)


def _of_list(text: str, asks: Sequence[AskCandidate], listed: HouseList) -> TakenAnswer | Several | None:
    """`the first`, `yes to 2`: of the list that the house has just shown; where that is one alone, an answer is for it."""
    shown = [each for slug in listed.asks for each in asks if each.ask == slug]
    if len(shown) == 1 and listed.last and _ways_listed(listed, shown[0]) and (place := _place(text)) is not None:
        keys = [key for key, _ in shown[0].options]
        return TakenAnswer(shown[0], keys[place]) if place < len(keys) else Several(shown)
    said = list(tokens(text))
    numbers = [token for token in said if not (len(token) == 1 and token.isalpha()) and ordinal(token) is not None]
    if len(numbers) == 1 and (place := ordinal(numbers[0])) is not None and 0 <= place < len(shown):
        rest = " ".join(token for token in said if token != numbers[0])
        word = plain_answer(rest) or (listed.word if listed.last and only_links(rest) else None)
        if (option := _meant_by(word, shown[place])) is not None:
            return Several(shown) if listed.asked_since else TakenAnswer(shown[place], option)
        if listed.said is not None and only_links(rest):  # which one is clear then, and not what of it
            return Several([shown[place]])
    if len(shown) == 1 and listed.last and (option := chosen(text, shown[0])) is not None:
        return TakenAnswer(shown[0], option)
    if len(shown) == 1 and listed.said and _may_be_answer(listed.said, shown[0]) and plain_answer(text) == YES:
        return TakenAnswer(shown[0], text=listed.said)
    return None


def _ways_listed(listed: HouseList, ask: AskCandidate) -> bool:
    """Whether the options of the one question were read out, so that a number is one of these and not the question's own."""
    named = not ask.permission and len(ask.options) > 1 and {YES, NO}.isdisjoint(key for key, _ in ask.options)
    return named and listed.said is not None and not asks_anew(listed.said) and plain_answer(listed.said) != NO


def _may_be_answer(said: str, ask: AskCandidate) -> bool:
    """Whether words that fit nothing else may be the answer to a question, once a yes says so. They never give a permission."""
    takes = ask.takes_text and not ask.permission and {YES, NO}.isdisjoint(key for key, _ in ask.options)
    return takes and not asks_anew(said) and plain_answer(said) is None


def _own_words(text: str, ask: AskCandidate) -> str | None:
    """The option of a question whose words these are: they say by themselves what is meant, other than a yes or a number."""
    if ask.permission or plain_answer(text) is not None or ordinal(_bare(text)) is not None:
        return None
    labelled = sentence(text) in {sentence(label) for _, label in ask.options}
    return chosen(text, ask) if labelled or _place(text) is None else None


def _replied(text: str, ask: AskCandidate) -> TakenAnswer | None:
    """Whoever answers the card itself means it; words of one's own are an answer where the ask takes words."""
    if (option := chosen(text, ask)) is not None:
        return TakenAnswer(ask, option)
    return TakenAnswer(ask, text=text) if ask.takes_text else None


def chosen(text: str, ask: AskCandidate) -> str | None:
    """The key of the option that a text names, if all of it does: by its label, its number, or a yes or no that its label says."""
    if not any(tokens(text)):
        return None
    if labelled := [key for key, label in ask.options if sentence(text) == sentence(label)]:
        return labelled[0] if len(labelled) == 1 else None
    if asks_something(text):
        return None
    if not ask.permission and (labelled := _named(text, ask)):
        return labelled[0] if len(labelled) == 1 else None
    keys = [key for key, _ in ask.options]
    place = ordinal_sentence(text) if ask.permission else _place(text)
    if place is not None and 0 <= place < len(keys) and not set(keys) <= {YES, NO}:
        return keys[place]
    word = plain_answer(text)
    return (
        _meant_by(word or _deed_said(text, ask), ask)
        or _itself_asked(word, ask)
        or _left_alone(text, ask)
        or _deed_labelled(text, ask)
    )


def _names_with_more(text: str, ask: AskCandidate) -> bool:
    """Whether it names an option of a question that takes words, and goes on to say more of it behind a colon: `a list please: run,
    swim`. On its card all of that would be the answer."""
    option, colon, more = text.partition(":")
    if not (colon and more.strip()) or not _may_be_answer(text, ask) or asks_something(text):
        return False
    return len(_named(option, ask)) == 1


def _itself_asked(word: str | None, ask: AskCandidate) -> str | None:
    """A yes to “Stop everything?” is its option “Stop everything”: of the kill switch alone, for that takes nothing away."""
    named = [key for key, label in ask.options if sentence(label) == sentence(ask.title) and deed_label(label) == STOP]
    return named[0] if word == YES and len(named) == 1 else None


def _left_alone(text: str, ask: AskCandidate) -> str | None:
    """`go on`, said of “Stop everything?”: its other option, under which all goes on. A yes before it may mean either."""
    stops = [key for key, label in ask.options if deed_label(label) == STOP]
    others = [key for key, _ in ask.options if key not in stops]
    alone = lets_go_on(text) and without_yes(text) == " ".join(tokens(text))
    return others[0] if alone and stops and len(others) == 1 else None


def _deed_said(text: str, ask: AskCandidate) -> str | None:
    """`sure, hire them`: yes or no, where all of it says to do, or not to do, what the call that waits does."""
    return deed_answer(text, ask.deed, f"{ask.title} {ask.subject}") if ask.deed else None


def _deed_labelled(text: str, ask: AskCandidate) -> str | None:
    """`yes, hire her`: the one option whose label is that deed and nothing more, such as the button “Hire”."""
    deeds = {key: deed for key, label in ask.options if (deed := deed_label(label))}
    meant = [key for key, deed in deeds.items() if deed_answer(text, deed) == YES]
    return meant[0] if len(meant) == 1 else None


def _meant_by(word: str | None, ask: AskCandidate) -> str | None:
    """The option whose label says yes, or no."""
    found = [key for key, label in ask.options if word is not None and label_answer(label) == word]
    return found[0] if len(found) == 1 else None


def _named(text: str, ask: AskCandidate) -> list[str]:
    """The options of a question that a text names: all words of a label in their order, or those of them that no other label has,
    and nothing else but fillers, opinions and a yes around them. A yes stays where it is an option itself."""
    said = text if any(label_leaning(label) for _, label in ask.options) else without_yes(text)
    words = {key: list(tokens(label)) for key, label in ask.options}
    if whole := [key for key, wanted in words.items() if _all_said(said, wanted, set())]:
        return whole
    small = prepositions()
    telling = {key: [each for each in wanted if each not in fillers() | small] for key, wanted in words.items()}
    return [
        key
        for key, wanted in telling.items()
        if _all_said(said, wanted, small)
        and not any(set(wanted) <= set(others) for other, others in words.items() if other != key)
    ]


def _all_said(text: str, wanted: Sequence[str], more: set[str]) -> bool:
    around = (fillers() | opinions() | more) - set(wanted)
    return bool(wanted) and [word for word in tokens(text) if word not in around] == wanted


def _place(text: str) -> int | None:
    """Which option of a question is meant by its number, in figures or in words: `2`, `the second one`, `option two`, `a segunda`."""
    if (place := ordinal(_bare(text))) is not None:
        return place
    said = list(tokens(text))
    numbers = [each for each in said if cardinal(each) is not None]
    rest = {each for each in said if each not in numbers}
    return cardinal(numbers[0]) if len(numbers) == 1 and rest <= fillers() | links() else None


def _bare(text: str) -> str:
    """The text without the words that say nothing, unless it is made of nothing else."""
    said = list(tokens(text))
    return " ".join([token for token in said if token not in fillers()] or said)
