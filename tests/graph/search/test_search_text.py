"""What of a node can be searched, in which language, and which words are nearly the same."""

from __future__ import annotations

import pytest

from hq.app import catalogue
from hq.graph.search.language import language_of, spaced
from hq.graph.search.search_text import WHOLE, cut, text_of
from hq.graph.search.typos import alike, spellings


def test_the_text_of_a_node_is_what_a_person_wrote_into_it():
    props = {"channel": "email", "direction": "inbound", "status": "unprocessed", "subject": "Hello", "body": "A quote?",
             "thread_id": "t-1", "occurred_at": "2026-01-01T00:00:00Z"}  # fmt: skip

    assert text_of(catalogue().node("interaction"), "Hello", props).body == "Hello\nA quote?"


def test_a_node_without_words_of_its_own_is_known_by_its_title():
    assert text_of(catalogue().node("interaction"), "interaction", {"channel": "chat"}).body == "interaction"


@pytest.mark.parametrize("text", ["a " * 5000, "a" * 5000, "One. Two! " * 900, "line\n" * 1000, "", "   "])
def test_cutting_loses_nothing_and_makes_no_piece_too_long(text: str) -> None:
    pieces = list(cut(text))

    assert "".join("".join(pieces).split()) == "".join(text.split())
    assert all(0 < len(piece) <= WHOLE for piece in pieces)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("We are meeting on Monday to talk about the budget", "english"),
        ("As reuniões foram canceladas porque não havia dinheiro", "portuguese"),
        ("Reuniões canceladas", "portuguese"),
        ("La reunión fue cancelada porque no había dinero", "spanish"),
        ("Die Sitzung wurde abgesagt und das Geld ist weg", "german"),
        ("会議は来週です", "simple"),
        ("Встреча отменена", "simple"),
        ("Fix login", "english"),
        ("123 456", "english"),
    ],
)
def test_the_language_of_a_text_is_guessed_from_its_small_words(text: str, language: str) -> None:
    assert language_of(text) == language


def test_what_somebody_says_of_the_language_counts_more_than_a_guess():
    assert language_of("Fix login", "pt-BR") == "portuguese"


def test_scripts_without_spaces_are_set_apart_in_pairs():
    assert spaced("東京都 is big") == " 東京 京都  is big"
    assert spaced("São João") is None


@pytest.mark.parametrize(
    ("one", "other"),
    [("jhon", "john"), ("Carolnie", "Caroline"), ("Joao", "João"), ("perreira", "pereira"), ("amazn", "amazon")],
)
def test_a_slip_leads_to_the_word_that_was_meant(one: str, other: str) -> None:
    assert spellings(one) & spellings(other)
    assert alike(one, other) > 0.5


@pytest.mark.parametrize(("one", "other"), [("cat", "car"), ("house", "mouth"), ("caroline", "gasoline")])
def test_another_word_is_not_a_slip(one: str, other: str) -> None:
    assert alike(one, other) == 0 or not spellings(one) & spellings(other)
