"""A permission is given by an exact word: the whole of a sentence is a yes or a no of a closed list, or it is neither."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hq.asks.interpreter import AskCandidate, HouseList, Several, TakenAnswer, read
from hq.asks.kinds import check_ways
from hq.asks.plain_words import plain_answer
from hq.asks.types import Option
from hq.errors import Refused

SPEND = AskCandidate("spend", "Spend expense", (("yes", "Approve: spend expense"), ("no", "Decline")), permission=True)
TWEAK = AskCandidate("tweak", "Tweak", (("yes", "Accept"), ("no", "Turn down")), permission=True)
CARD = AskCandidate("card", "Delete?", (("ok", "Delete"), ("keep", "Keep")), permission=True)

YES = [
    "yes", "Yes.", "YES!", "yes please", "Yes, please.", "please, yes", "yes, thanks", "yes thank you", "yep", "yeah", "ok", "OK.", "okay",
    "okay, please", "approve", "Approve.", "approved", "I approve", "approve it, please", "accept", "accepted", "agreed", "go ahead",
    "Go ahead, please!", "please go ahead", "do it", "Do it.", "please do", "yes, do it", "yes do it", "Yes, go ahead.", "sure", "sure, do it",
    "of course", "sounds good", "go for it", "sim", "Sim!", "sim, por favor", "sim por favor", "pode", "Pode.", "pode ser", "pode avançar",
    "sim, pode avancar", "aprovo", "Aprovo, obrigado", "aprovado", "aceito", "claro", "claro que sim", "está bem", "vá em frente", "faça isso",
]  # fmt: skip
NO = [
    "no", "No.", "no thanks", "no, thank you", "nope", "reject", "rejected", "decline", "I decline", "never", "don't", "do not", "no way",
    "não", "nao", "Não, obrigado", "recuso", "agora não", "melhor não", "nem pensar",
]  # fmt: skip
NEITHER = [
    # those that were taken
    "is that approved", "is this correct", "would you approve it", "Correct.", "I'd like it to go on", "let's go on to that one",
    "é isso, certo", "Go on.", "go on", "I'd never decline it", "do not decline",
    # questions without their mark
    "is it ok", "is that a yes", "is that a no", "would you accept it", "would you accept", "should I approve", "shall I approve it", "can I approve this",
    "do you approve", "who approved", "what would you approve", "which one is approved", "did you approve it", "is that sure", "was it approved",
    "are you sure", "are we ok", "pode aprovar isso para mim amanhã", "posso aprovar", "será que sim", "foi aprovado", "quem aprovou",
    # double negations, and negations of a yes
    "don't decline it", "never decline", "not approved", "I do not approve", "don't approve", "don't do it yet", "never say no", "no no yes",
    "not yes", "not ok", "I can't say no", "do not say no", "não recuso", "não digo que não", "nunca aprovado",
    # small talk and half answers
    "correct", "that's correct", "right", "exactly", "certo", "exato", "perfeito", "I see", "fine, I guess", "go", "to", "it is", "I would like that",
    "I want it approved by Ana", "ok then what", "ok but later", "yes to what", "yes and no", "sim e não", "ok, thanks", "sure, cheers",
    "please", "thanks", "por favor", "yes yes but no", "yes if it is cheap", "I like the answer", "well then", "take it", "approve nothing",
    "accept no", "yes, no", "ok? yes", "yes?", "então", "com isso", "faz", "de acordo com quem",
]  # fmt: skip


@pytest.mark.parametrize("text", YES)
def test_a_yes_of_the_list(text):
    assert plain_answer(text) == "yes"
    assert read(text, [SPEND]) == TakenAnswer(SPEND, "yes")


@pytest.mark.parametrize("text", NO)
def test_a_no_of_the_list(text):
    assert plain_answer(text) == "no"
    assert read(text, [SPEND]) == TakenAnswer(SPEND, "no")


@pytest.mark.parametrize("ask", [SPEND, TWEAK, CARD], ids=lambda each: each.ask)
@pytest.mark.parametrize("text", NEITHER)
def test_what_is_no_exact_word_answers_no_permission(text, ask):
    assert plain_answer(text) is None
    assert read(text, [ask]) is None
    assert read(text, [ask], listed=HouseList(["spend"], "yes")) is None


@pytest.mark.parametrize(
    "text", ["is that the first", "would the first one be ok", "I'd like to go on with the first", "the first?"]
)
def test_a_number_within_other_words_gives_no_permission(text):
    assert not isinstance(read(text, [CARD]), TakenAnswer)
    assert not isinstance(read(text, [SPEND], listed=HouseList(["spend"], "yes")), TakenAnswer)


def test_a_number_or_a_label_of_a_card_is_exact():
    assert read("1", [CARD]) == TakenAnswer(CARD, "ok")
    assert read("the second one", [CARD]) == TakenAnswer(CARD, "keep")
    assert read("Delete, please.", [CARD]) == TakenAnswer(CARD, "ok")
    assert read("I'd like to delete it", [CARD]) is None


LIES = (("no", "Yes, delete it"), ("yes", "No, do not delete"))
SWAPPED = (("no", "Delete"), ("yes", "Keep"))


def test_labels_are_read_and_keys_are_not():
    lies = AskCandidate("lies", "Delete all customers?", LIES)

    assert read("no", [lies]) == TakenAnswer(lies, "yes"), "the label that says no"
    assert read("yes", [lies]) == TakenAnswer(lies, "no")
    assert read("ok", [CARD]) is None
    assert read("no", [AskCandidate("swapped", "Delete?", SWAPPED)]) is None
    assert read("keep", [replace(CARD, options=(("keep", "Delete"), ("other", "Archive")))]) is None


@pytest.mark.parametrize(
    ("key", "label"),
    [("no", "Yes, delete it"), ("yes", "No, do not delete"), ("ok", "Do not delete"), ("decline", "Approve it"), ("nao", "Sim, apaga"),
     ("do-not", "Go ahead")],
)  # fmt: skip
def test_a_label_that_belies_its_key_is_refused(key, label):
    with pytest.raises(Refused, match="reads as"):
        check_ways([Option(key=key, label=label)])


def test_an_honest_label_is_not():
    check_ways([Option(key="yes", label="Yes"), Option(key="no", label="Not now"), Option(key="ok", label="Delete")])


def test_a_card_behind_a_question_is_answered_by_no_bare_yes():
    behind = replace(SPEND, behind_question=True)

    assert read("yes", [behind]) == Several([behind])
    assert read("yes", [behind], listed=HouseList(["spend"], "yes")) == TakenAnswer(behind, "yes"), (
        "the house has asked"
    )


def test_a_name_that_who_asks_has_chosen_answers_only_what_was_shown():
    tally = replace(TWEAK, ask="tally", house_named=False, before=False)

    assert read("yes to tally", [tally]) == Several([tally])
    assert read("yes to tally", [replace(tally, before=True)]) == TakenAnswer(replace(tally, before=True), "yes")
    assert read("yes to tally", [tally], listed=HouseList(["tally"], "yes")) == TakenAnswer(tally, "yes")
