"""A newcomer without a key talks to the company: the shipped scripts over the real door."""

from __future__ import annotations

import pytest

from hq.minds.scripted.mind import shipped
from tests.support.company import Hq

from .talk import Talk, tools_of


@pytest.fixture
def talk(hq: Hq) -> Talk:
    nouns = ("task", "project", "fact", "graph", "approval", "contact", "memo", "action")
    return Talk(hq, shipped(), tools_of(hq.door.registry, *nouns))


async def test_a_first_day_without_a_key(talk: Talk) -> None:
    assert "All quiet" in await talk.say("Hi chief, what's going on?")
    assert "Created the project “Website”" in await talk.say("create a project Website")
    assert "due Fri 02 Jan 2026. It is call-ana." in await talk.say("Please add a task to call Ana tomorrow.")
    assert "to Website" in await talk.say("add a task to draft the home page to the project website by next monday")
    assert "2 tasks open:" in await talk.say("what is open?")
    assert "2 tasks open; 1 project." in await talk.say("status")
    assert "is on “Call Ana”" in await talk.say("who is working on call Ana?")
    assert "1 part: Draft the home page" in await talk.say("status of the website")
    assert await talk.say("start call ana") == "“Call Ana” is now in progress."
    assert "1 under way" in await talk.say("how are things?")
    assert await talk.say("mark call Ana done") == "“Call Ana” is done."
    assert "1 task open" in await talk.say("what's open")
    assert "call Ana" not in await talk.say("what is due by next monday?")


async def test_what_is_told_is_remembered(talk: Talk) -> None:
    assert "I know nothing about Ana yet" in await talk.say("what do you know about Ana?")
    assert "I will remember" in await talk.say("remember that Ana's birthday is 3 May")
    assert "I will remember" in await talk.say("remember that Ana works at Acme")
    assert "Acme" in await talk.say("where does Ana work?")
    known = await talk.say("what do you know about Ana?")
    assert "birthday: 3 May" in known
    assert "employer: Acme" in known
    assert "I do not know Ana's phone" in await talk.say("what is Ana's phone")
    assert "we never call before nine" in (await talk.say("remember that we never call before nine")).lower()
    assert talk.calls[-1] == "memo.create"


async def test_the_same_in_portuguese(talk: Talk) -> None:
    assert "Adicionei “Ligar à Ana”, para Fri 02 Jan 2026" in await talk.say(
        "adiciona uma tarefa para ligar à Ana amanhã"
    )
    assert "1 tarefa em aberto" in await talk.say("o que está em aberto?")
    assert await talk.say("marca ligar à Ana como feita") == "“Ligar à Ana” está feita."
    assert await talk.say("que horas são?") == "São 10:00 UTC de 01/01/2026."
    assert "Criei o projeto “Loja”" in await talk.say("cria um projeto Loja")
    assert "Tudo calmo" not in await talk.say("como estão as coisas?")


async def test_what_is_missing_is_asked_for(talk: Talk) -> None:
    assert "What is the task?" in await talk.say("add a task")
    assert "I know no task like" in await talk.say("mark the moon landing done")
    await talk.say("add a task to call Ana")
    await talk.say("add a task to call Bob")
    assert "Which one do you mean?" in await talk.say("mark call done")
    assert "I found nothing called" in await talk.say("status of the moon landing")


async def test_what_the_door_refuses_is_said_and_not_repeated(talk: Talk, hq: Hq) -> None:
    await talk.say("add a task to call Ana")
    await hq.do("freeze.set", scope="all")
    talk.calls.clear()

    answer = await talk.say("mark call Ana done")

    assert "all is frozen" in answer
    assert talk.calls == ["task.list", "task.complete"]


async def test_a_session_hands_over_what_it_did(talk: Talk, hq: Hq) -> None:
    await talk.say("add a task to call Ana tomorrow")
    memo = await talk.say("Your session is about to end. Write a handover memo.")

    assert "task create: Call Ana" in memo
    kept = await hq.do("memo.list")
    assert kept["items"][0]["title"].startswith("Handover 2026-01-01 by chief")


async def test_only_what_is_offered_is_called(hq: Hq) -> None:
    talk = Talk(hq, shipped(), tools_of(hq.door.registry, "task"))

    for text in ("what do you know about Ana?", "create a project Website", "remember that it rains", "check the disk"):
        await talk.say(text)
    assert talk.calls == []
    assert "have no shell" in await talk.say("check the disk")


async def test_without_a_script_it_says_what_waits_and_the_words_that_work(hq: Hq) -> None:
    talk = Talk(hq, shipped(), tools_of(hq.door.registry, "ask"))
    assert "no request that I know" in await talk.say("Colourless green ideas sleep furiously")
    options = [{"key": "a", "label": "The Weekly"}, {"key": "b", "label": "Field Notes"}]
    await hq.do("review.create", question_text="Which name?", options=options)

    told = await talk.say("Colourless green ideas sleep furiously")
    assert "Which of these is your answer to “Which name?”" in told and "“The Weekly” or “Field Notes”" in told

    await hq.do("review.create", question_text="Which day?", options=options)
    told = await talk.say("Colourless green ideas sleep furiously")
    assert "This waits for your word" in told and "2. “Which day?”" in told and "“The Weekly”, “Field Notes”" in told


async def test_who_wants_to_stop_everything_is_told_how(talk: Talk) -> None:
    for text in ("stop everything", "Freeze the company now", "halt all agents", "para tudo"):
        assert "`hq freeze`" in await talk.say(text)


async def test_b15_what_was_just_said_is_said_otherwise(talk: Talk, hq: Hq) -> None:
    await talk.say("add a task to call Ana tomorrow")

    assert "“Call Ana” is due" in await talk.say("Actually, make that the day after tomorrow")
    later = (await hq.do("task.show", ref="call-ana"))["props"]["due"]
    assert "“Call Ana” is due" in await talk.say("no wait, on friday")

    assert (await hq.do("task.show", ref="call-ana"))["props"]["due"] != later
    assert "what should be different" in await talk.say("undo that"), (
        "to take it back is the house's, before any script"
    )


async def test_b13_who_somebody_is_leaves_out_the_houses_own_bookkeeping(talk: Talk) -> None:
    await talk.say("remember that our accountant is Ana Silva")

    assert "producer" not in await talk.say("Who is our accountant?")


async def test_b15_what_is_remembered_is_forgotten_by_what_it_is_about(talk: Talk) -> None:
    await talk.say("remember that our accountant is Ana Silva")

    assert "Forgotten" in await talk.say("Forget that about the accountant")
