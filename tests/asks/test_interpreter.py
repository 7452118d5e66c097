"""What a typed text answers: certain, or nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hq.asks.interpreter import (
    AskCandidate,
    ForHost,
    HouseList,
    PassedOn,
    Several,
    TakenAnswer,
    TakenAnswers,
    plain_answer,
    read,
)

LIST = (("list", "From a list"), ("text", "As free text"))
QUESTION = AskCandidate("kinds", "How should kinds be chosen?", LIST, takes_text=True)
NAMES = AskCandidate("names", "Which name?", (("a", "The Weekly"), ("b", "Field Notes")))
MERGE = AskCandidate("merge", "Merge entity", (("yes", "Approve: merge entity"), ("no", "Decline")), permission=True)
HIRE = AskCandidate("hire", "Hire agent", (("yes", "Approve: hire agent"), ("no", "Decline")), permission=True)
QUESTION_SPOKEN = replace(QUESTION, spoken_since=True)
OPEN = AskCandidate("why", "Why so late?", takes_text=True)


@pytest.mark.parametrize(
    "text",
    ["yes", "Yes.", "yes, go ahead", "YES please!", "ok", "Sure, do it.", "go ahead", "sim", "Sim, pode avançar.", "claro", "está bem",
     "esta bem", "yes, thank you", "of course"],
)  # fmt: skip
def test_a_plain_yes(text):
    assert plain_answer(text) == "yes"
    assert read(text, [MERGE]) == TakenAnswer(MERGE, "yes")


@pytest.mark.parametrize("text", ["no", "No.", "no, thanks", "nope", "não", "nao", "agora não", "don't", "No way!"])
def test_a_plain_no(text):
    assert plain_answer(text) == "no"
    assert read(text, [MERGE]) == TakenAnswer(MERGE, "no")


@pytest.mark.parametrize(
    "text",
    ["yes but not today", "yes, if it is cheap", "ok, but ask Ana first", "sim, mas amanhã", "yes or no?", "yes?", "no idea",
     "not sure", "maybe", "yes and no", "sure thing is that we wait", "I said yes to Ana", "what is this?", "", "   ", "…",
     "approve the other one", "yes " * 60, "não sei", "talvez", "sim e não"],
)  # fmt: skip
def test_more_than_yes_is_no_yes(text):
    assert read(text, [MERGE]) is None


@pytest.mark.parametrize(
    ("text", "option"),
    [("From a list, please.", "list"), ("from a list", "list"), ("As free text", "text"), ("free text", "text"), ("list", "list"),
     ("the first", "list"), ("2", "text"), ("the second one", "text"), ("b", "text"), ("a segunda", "text"), ("9", None),
     ("as free text please, thanks", "text"), ("from a list or as free text", None), ("a list with birds", None),
     ("Yes, from a list, please.", "list"), ("yes please, a list", "list"), ("a list would be nicer, I think", "list"),
     ("I think a list is better", "list"), ("Sim, acho que free text seria melhor", "text"), ("no, from a list", None),
     ("not a list", None), ("a list, but sorted", None), ("anything but a list", None), ("would a list be nicer", None),
     ("rather a list than free text", None), ("worse than a list", None), ("Yes please", None), ("I think so", None)],
)  # fmt: skip
def test_an_option_by_its_words_or_its_number(text, option):
    assert read(text, [QUESTION]) == (TakenAnswer(QUESTION, option) if option else None)


@pytest.mark.parametrize(
    ("text", "option"),
    [("ads", None), ("with ads", "with"), ("Yes, without ads, I think", "without"), ("ads would be better", None)],
)  # fmt: skip
def test_a_word_that_two_options_have_names_neither(text, option):
    ads = AskCandidate("ads", "Which?", (("with", "With ads"), ("without", "Without ads")))
    assert read(text, [ads]) == (TakenAnswer(ads, option) if option else None)


@pytest.mark.parametrize(
    "text",
    [
        "yes, approve merge entity would be nicer",
        "Yes, merge, but later",
        "I think yes",
        "yes, the merge would be better",
    ],
)
def test_an_opinion_gives_no_permission(text):
    assert not isinstance(read(text, [MERGE]), TakenAnswer)


def test_of_several_permissions_it_asks_which():
    assert read("yes", [MERGE, HIRE]) == Several([MERGE, HIRE])
    assert read("yes", [MERGE, NAMES]) == Several([MERGE])


def test_the_words_of_one_option_are_certain_beside_other_questions():
    assert read("Field Notes", [NAMES, QUESTION]) == TakenAnswer(NAMES, "b")
    assert read("the first", [NAMES, QUESTION]) == Several([NAMES, QUESTION])


def test_what_lies_in_the_inbox_is_never_answered_by_a_word():
    inbox = replace(HIRE, before=False)

    assert read("yes", [inbox, MERGE]) == TakenAnswer(MERGE, "yes"), "nor does it confuse what was put before somebody"
    assert read("yes", [inbox]) == Several([inbox]), "it is asked for"
    assert read("2", [replace(NAMES, before=False)]) == Several([replace(NAMES, before=False)])
    unseen = replace(NAMES, before=False)
    assert read("Field Notes", [unseen]) == PassedOn([unseen]), "the CEO sees to it"


def test_a_yes_after_other_words_is_for_those():
    spoken = replace(MERGE, spoken_since=True)

    assert read("yes", [spoken]) == Several([spoken]), "it is asked for with buttons"
    assert read("2", [replace(NAMES, spoken_since=True)]) == Several([replace(NAMES, spoken_since=True)])
    assert read("From a list", [replace(QUESTION, spoken_since=True)]) == TakenAnswer(QUESTION_SPOKEN, "list")
    asked = replace(QUESTION, spoken_since=True, asked_since=True)
    assert read("From a list", [asked]) == PassedOn([asked]), "the CEO sees to it"
    assert read("yes", [spoken], reply_to="merge") == TakenAnswer(spoken, "yes")
    assert read("yes", [spoken, HIRE]) == TakenAnswer(HIRE, "yes"), "what was put there last is meant"


@pytest.mark.parametrize(
    "text", ["ok thanks", "Okay, thank you!", "ok, thank you then", "sure, thanks", "perfeito, obrigado", "thanks"]
)
def test_thanks_are_no_yes(text):
    assert plain_answer(text) is None
    assert read(text, [MERGE]) is None


def test_a_reply_to_the_card_is_meant_for_it():
    assert read("Field Notes", [NAMES, MERGE], reply_to="names") == TakenAnswer(NAMES, "b")
    assert read("Because it rained.", [OPEN, MERGE], reply_to="why") == TakenAnswer(OPEN, text="Because it rained.")
    assert read("yes but later", [MERGE], reply_to="merge") is None
    assert read("yes", [MERGE], reply_to="gone") is None


def test_words_of_ones_own_are_no_answer_by_themselves():
    assert read("Because it rained.", [OPEN]) is None


LAWYER = replace(HIRE, ask="hire-2", subject="Lawrence Lawyer legal")
DEVELOPER = replace(HIRE, ask="hire-3", subject="Forge Developer developer")


@pytest.mark.parametrize(
    "text",
    ["approve the lawyer", "Yes to Lawrence, please.", "yes, hire the lawyer", "aprova lawyer", "approve Lawrence"],
)
def test_j11_what_is_named_by_its_subject_is_answered(text):
    taken = read(text, [MERGE, LAWYER, DEVELOPER])

    assert isinstance(taken, TakenAnswer) and (taken.ask.ask, taken.option) == ("hire-2", "yes")


@pytest.mark.parametrize("text", ["decline the developer", "no to Forge"])
def test_j11_a_no_by_its_subject(text):
    taken = read(text, [LAWYER, DEVELOPER])

    assert isinstance(taken, TakenAnswer) and (taken.ask.ask, taken.option) == ("hire-3", "no")


@pytest.mark.parametrize(
    "text",
    [
        "approve the lawyer tomorrow",
        "correct the lawyer",
        "approve nothing but the lawyer",
        "approve the lawyer?",
        "the lawyer",
    ],
)
def test_j11_anything_more_than_the_subject_is_no_yes(text):
    assert read(text, [LAWYER, DEVELOPER]) is None


def test_j11_a_subject_of_two_or_of_what_was_not_shown_is_asked_about():
    several = read("approve the hire", [LAWYER, DEVELOPER])
    hidden = read("approve the lawyer", [replace(LAWYER, before=False), DEVELOPER])

    assert isinstance(several, Several) and len(several.asks) == 2
    assert isinstance(hidden, Several) and [each.ask for each in hidden.asks] == ["hire-2"]


@pytest.mark.parametrize(
    "text", ["yes to both", "approve both of them", "both, yes", "sim a ambos", "yes to all", "approve everything"]
)
def test_j11_yes_to_both_is_for_the_two_that_were_shown(text):
    taken = read(text, [LAWYER, DEVELOPER, OPEN])

    assert isinstance(taken, TakenAnswers) and [each.ask.ask for each in taken.answers] == ["hire-2", "hire-3"]
    assert {each.option for each in taken.answers} == {"yes"}


def test_j11_both_of_three_or_of_what_was_not_shown_is_asked_about():
    three = read("yes to both", [MERGE, LAWYER, DEVELOPER])
    hidden = read("yes to all", [LAWYER, replace(DEVELOPER, before=False)])

    assert isinstance(three, Several) and len(three.asks) == 3
    assert isinstance(hidden, Several)


HAL = AskCandidate(
    "hal-1", "Hire agent 'Hal'", HIRE.options, permission=True, subject="Hal Designer design", deed="hire"
)
CARD = AskCandidate("card-1", "I would hire a writer", (("hire", "Hire"), ("no", "Not now")), permission=True)


@pytest.mark.parametrize(
    "text",
    ["sure, hire them", "yes, hire him", "yes hire her", "go ahead and hire her", "Ok, hire him.", "hire him", "Hire him, please!", "you can hire him",
     "yes, go ahead, hire her", "sure, hire Hal", "hire Hal", "pode contratar", "Pode contratar!", "sim, contrata-o", "sim, pode contratá-la",
     "contrata-o", "contrate-a, por favor", "contrata o Hal", "claro, contrata"],
)  # fmt: skip
def test_a_yes_may_say_what_is_done(text):
    assert read(text, [HAL]) == TakenAnswer(HAL, "yes")
    assert read(text, [replace(HAL, spoken_since=True)]) != TakenAnswer(HAL, "yes"), "as uncertain as any other yes"


@pytest.mark.parametrize(
    "text", ["don't hire him", "no, don't hire her", "Do not hire them.", "não contrates", "não o contrates", "não, não contrate"]
)  # fmt: skip
def test_a_no_may_say_what_is_not_done(text):
    assert read(text, [HAL]) == TakenAnswer(HAL, "no")


@pytest.mark.parametrize(
    "text",
    ["hire him?", "should we hire him", "can you hire him", "pode contratar?", "posso contratar", "hire him tomorrow", "hire him if he is cheap",
     "yes but hire her cheaper", "yes, hire him, but ask Ana first", "if you must, hire him", "unless he is free, hire him", "hire Ana",
     "yes, hire Ana", "hire another one", "hire a designer", "hire two", "hire nobody", "hire him and Ana", "no, hire him", "yes, don't hire him",
     "don't not hire him", "fire him", "buy it", "delete him", "pode contratar amanhã", "pode contratar outro", "sim, mas contrata outro",
     "contrata um designer", "se for barato, contrata", "I would hire him", "they hire him", "hire"],
)  # fmt: skip
def test_conditions_questions_and_other_deeds_are_no_yes(text):
    assert read(text, [HAL]) is None


def test_a_deed_is_for_what_does_it_and_of_two_it_asks_which():
    other = replace(HAL, ask="ada-1", title="Hire agent 'Ada'", subject="Ada")
    merge = replace(MERGE, deed="merge")

    assert read("yes, hire her", [HAL, merge]) == Several([HAL]), "two were put there, so it is asked"
    assert read("yes, hire her", [HAL, other]) == Several([HAL, other])
    assert read("sure, hire her", [merge]) is None


@pytest.mark.parametrize(("text", "key"), [("hire her", "hire"), ("yes, hire him", "hire"), ("pode contratar", "hire")])
def test_a_button_that_is_a_deed_is_pressed_by_its_name(text, key):
    assert read(text, [CARD]) == TakenAnswer(CARD, key)


@pytest.mark.parametrize("label", ["Hire later", "Hire nobody", "Hire Ana"])
def test_a_button_that_says_more_than_the_deed_is_not(label):
    assert read("hire her", [replace(CARD, options=(("hire", label), ("no", "Not now")))]) is None


@pytest.mark.parametrize(
    "text", ["for the CEO", "For the CEO.", "yes, for the CEO", "yes to the CEO", "para o CEO", "sim, ao CEO", "It was for you."]
)  # fmt: skip
def test_a_word_for_the_ceo_is_nobody_elses(text):
    assert read(text, [MERGE]) is None
    assert read(text, [MERGE], listed=HouseList(["merge"], "yes")) == ForHost()
    about = replace(MERGE, title="Raise the budget of the CEO")
    assert read(text, [about], listed=HouseList(["merge"], "yes")) == ForHost()


def test_what_was_put_there_since_the_house_asked_makes_a_yes_uncertain():
    asked = HouseList(["merge"], "yes", put_since=True)

    assert read("yes", [replace(MERGE, spoken_since=True), HIRE], listed=asked) == Several(
        [replace(MERGE, spoken_since=True), HIRE]
    )
    assert read("the first", [MERGE, HIRE], listed=asked) is None
    assert read("yes to hire", [MERGE, HIRE], listed=asked) == TakenAnswer(HIRE, "yes")


@pytest.mark.parametrize(
    ("text", "option"),
    [("go on", "leave"), ("Carry on, please.", "leave"), ("continua", "leave"), ("yes, go on", None)],
)
def test_go_on_said_of_the_kill_switch_leaves_all_as_it_is(text, option):
    options = (("freeze", "Stop everything"), ("leave", "Go on as it is"))
    stop = AskCandidate("stop", "Stop everything?", options, permission=True)
    assert read(text, [stop]) == (TakenAnswer(stop, option) if option else None)


LEFT = AskCandidate(
    "left", "wanda stopped, and Launch post is not done", (("go_on", "Go on"), ("fail", "Give it up"), ("later", "Later")),
    permission=True,
)  # fmt: skip


@pytest.mark.parametrize(
    "text",
    ["go on", "Go on, please.", "She should go on and finish it.", "yes, go on with it", "let her finish it", "they should carry on",
     "Yes, she should continue.", "finish it", "ela que continue", "que continue e acabe isso", "sim, continua"],
)  # fmt: skip
def test_who_stopped_goes_on_by_a_plain_word(text):
    assert read(text, [LEFT]) == TakenAnswer(LEFT, "go_on")


@pytest.mark.parametrize(
    "text",
    ["she should go on holiday", "she should not go on", "don't go on", "go on without tests", "should she go on?", "she went on",
     "continue tomorrow", "let her go", "she should finish the other one"],
)  # fmt: skip
def test_whatever_says_more_than_that_is_for_somebody_who_can_think(text):
    assert read(text, [LEFT]) is None


@pytest.mark.parametrize("said", ["Thanks", "thank you!", "Good morning", "tell me more", "Bom dia", "obrigado"])
def test_what_one_says_every_day_presses_no_button(said):
    """Also not one that somebody called so."""
    card = AskCandidate("news", "Weekly news", (("go", said.strip("!")), ("no", "Not now")))

    assert read(said, [card]) is None
    assert read(said, [card], reply_to="news") == TakenAnswer(card, "go")
