"""The laws of the sets that judge memory: they are whole, halved fairly, and ask in other words than they answer."""

from __future__ import annotations

import hashlib
from collections import Counter

import pytest

from bench.memory_noise import MEMORIES, MESSAGES, make_company
from bench.memory_sets import Item, Pair, Question, half, read_needles, read_pairs, read_questions, shared_words

NAMES = shared_words(
    names := "Inês Duncan Okafor Célia Owen Priya Beatriz Nuno Rui Hugo Tomasz Frigolog Pingo Lume Vigia", names
)
DIGEST = "5885933dbf5eb034"
HALVES = ["held", "held", "held", "held", "dev"]


@pytest.fixture(scope="module")
def company() -> dict[str, Item]:
    return {item.id: item for item in make_company()}


@pytest.fixture(scope="module")
def questions() -> list[Question]:
    return read_questions("dev") + read_questions("held")


@pytest.fixture(scope="module")
def pairs() -> list[Pair]:
    return read_pairs("dev") + read_pairs("held")


def test_the_company_is_as_large_as_it_says_and_no_text_is_there_twice(company: dict[str, Item]):
    forms = Counter(item.form == "message" for item in company.values())
    assert forms == {False: MEMORIES, True: MESSAGES}
    assert len({item.text for item in company.values()}) == MEMORIES + MESSAGES
    assert not [item.text for item in company.values() if set("[]{}|") & set(item.text)]


def test_the_company_is_the_same_everywhere():
    """Numbers measured on different days are of the same company. Whoever changes a text changes this too."""
    said = "\n".join(f"{item.id} {item.at.isoformat()} {item.by} {item.text}" for item in make_company())
    assert hashlib.sha256(said.encode()).hexdigest()[:16] == DIGEST


def test_every_needed_item_is_in_the_company_and_every_needle_needed(
    company: dict[str, Item], questions: list[Question]
):
    needed = {item for question in questions for item in question.needs}
    replaced = {needle.replaces for needle in read_needles()} - {None}
    assert needed <= set(company)
    assert {needle.id for needle in read_needles()} == needed | replaced
    assert all(bool(question.needs) == (question.kind != "negative") for question in questions)


def test_what_replaces_another_memory_is_younger(company: dict[str, Item]):
    newer = [item for item in company.values() if item.replaces]
    assert newer and all(company[str(item.replaces)].at < item.at for item in newer)


def test_a_needle_that_is_a_message_stands_within_a_conversation_in_order_of_time(company: dict[str, Item]):
    for needle in read_needles():
        if needle.form == "message":
            talk = [item for item in company.values() if item.conversation == needle.conversation]
            assert len(talk) >= 3
            assert company[needle.id].at.date() == needle.at.date()
            assert len({item.at for item in talk}) == len(talk)


def test_there_are_enough_of_every_kind_and_language(
    company: dict[str, Item], questions: list[Question], pairs: list[Pair]
):
    kinds = Counter(question.kind for question in questions)
    assert len(questions) >= 240 and kinds["negative"] >= 30 and len(kinds) == 8 and min(kinds.values()) >= 20
    crossing = [q for q in questions if q.needs and company[q.needs[0]].lang != q.lang]
    straight = Counter(q.lang for q in questions if q not in crossing)
    assert within(len(crossing), len(questions), 0.08, 0.12)
    assert within(straight["en"], len(questions), 0.55, 0.65) and within(straight["pt"], len(questions), 0.25, 0.35)
    labels = Counter(pair.label for pair in pairs)
    assert len(pairs) >= 360 and len(labels) == 4 and min(labels.values()) >= 60
    said = Counter(pair.first.lang if pair.first.lang == pair.second.lang else "mixed" for pair in pairs)
    assert min(said["en"], said["pt"]) >= 150 and said["mixed"] >= 30


def test_the_halves_are_fair_and_nothing_needed_is_in_both(questions: list[Question], pairs: list[Pair]):
    for whole in (questions, pairs):
        assert len({each.id for each in whole}) == len(whole)
        assert within(sum(half(each.id) == "dev" for each in whole), len(whole), 0.4, 0.6)
    for label in {pair.label for pair in pairs}:
        alike = [half(pair.id) for pair in pairs if pair.label == label]
        assert within(alike.count("dev"), len(alike), 0.4, 0.6)
    dev, held = ({item for q in read_questions(name) for item in q.needs} for name in ("dev", "held"))
    assert not dev & held


def test_what_is_in_which_half_never_changes():
    assert [half(id) for id in ("refund.a", "refund.b", "launch.1", "long-lar.3", "none-drone.a")] == HALVES


def test_questions_share_no_word_with_their_answers_but_a_name(company: dict[str, Item], questions: list[Question]):
    asked = [question for question in questions if question.needs]
    shared = [shared_words(q.text, " ".join(company[item].text for item in q.needs)) for q in asked]
    assert all(words <= NAMES for words in shared)
    assert sum(not words for words in shared) / len(asked) >= 0.85


def test_no_two_pairs_say_the_same(pairs: list[Pair]):
    said = {frozenset((pair.first.text, pair.second.text)) for pair in pairs}
    assert len(said) == len(pairs)
    assert all(pair.first.text != pair.second.text and pair.first.on <= pair.second.on for pair in pairs)


def within(part: int, whole: int, least: float, most: float) -> bool:
    return least <= part / whole <= most
