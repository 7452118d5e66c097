"""With a question open in the conversation, what the founder asks for anew is a request, and no answer to it."""

from __future__ import annotations

import pytest

from hq.minds.scripted.mind import shipped
from hq.new_request import asks_anew
from tests.support.play import DONE, house, play  # noqa: F401

from .talking import props, put

REQUESTS = [
    "also build me a todo app",
    "Build me a todo app.",
    "what's the weather?",
    "whats the weather like",
    "what's the weather in Lisbon today",
    "also, check my server health",
    "can you check the server",
    "remind me tomorrow at 9 to call Ana",
    "please write me a poem about trains",
    "sing me a song about trains",
    "by the way, I need a flight tracker",
    "who works here",
    "how much did we spend this week",
    "one more thing: look up flights to Lisbon",
    "plan a red trip to Lisbon",
    "tell me a joke",
    "também preciso de uma aplicação de tarefas",
    "que tempo faz em Lisboa?",
    "que tempo faz hoje em Lisboa",
    "lembra-me amanhã às 9 de ligar à Ana",
    "podes verificar o servidor",
    "escreve-me um poema sobre comboios",
    "já agora, faz-me uma lista de compras",
    "quanto gastámos esta semana",
]
NOT_KNOWN = [
    "what's the weather?",
    "whats the weather like",
    "please write me a poem about trains",
    "one more thing: look up flights to Lisbon",
    "tell me a joke",
    "que tempo faz hoje em Lisboa",
    "escreve-me um poema sobre comboios",
    "já agora, faz-me uma lista de compras",
]
"""No script does these, so what waits is all that it could be taken for."""
ANSWERS = [
    "I'd rather have stripes: red, blue, white",
    "Because it rained.",
    "whatever is cheapest",
    "neither, use green",
    "Prefiro às riscas",
    "a mais barata",
    "a list with birds",
]


async def asked(play, *options: str) -> str:  # noqa: F811
    hq = play.hq
    chief = await hq.hired("chief") if not (await hq.call("agent.show", ref="chief")).ok else await hq.agent("chief")
    await hq.do("mission.create", title="Lead")
    await hq.do("mission.assign", ref="lead", to="chief")
    more = {"options": list(options)} if options else {}
    made = await hq.call("escalation.raise", summary="Which one?", mission="lead", **more, _token=chief)

    class Made:
        slug = made.data["slug"]

    await put(hq, Made)
    await play.runner([DONE]).run_once()  # the session of its mission
    return made.data["slug"]


@pytest.mark.parametrize("text", REQUESTS)
def test_a_request_is_known_as_one(text):
    assert asks_anew(text)


@pytest.mark.parametrize("text", ANSWERS)
def test_words_that_answer_are_no_request(text):
    assert not asks_anew(text)


@pytest.mark.parametrize("options", [(), ("Red", "Blue")], ids=["open", "options"])
async def test_with_a_question_open_no_request_is_taken_for_its_answer_nor_is_a_yes_after_it(play, options):  # noqa: F811
    await play.hq.do("agent.load")
    slug = await asked(play, *options)
    swallowed = []
    for text in NOT_KNOWN:
        for said in (text, "yes"):
            await play.hq.do("chat.say", text=said)
            await play.runner(shipped()).run_once()
            last = [line["text"] for line in (await play.hq.do("chat.history"))["items"]][-1]
            if "Is that your answer" in last or "É essa a sua resposta" in last:
                swallowed.append((said, text, last))
        if (await props(play.hq, "escalation", slug))["status"] != "open":
            swallowed.append(("taken", text))
    assert not swallowed


@pytest.mark.parametrize(
    ("text", "does"),
    [
        ("also build me a todo app", "Todo app"),
        ("By the way, I need a flight tracker", "Flight tracker"),
        ("também preciso de uma aplicação de tarefas", "Aplicação de tarefas"),
        ("also, check my server health", "System"),
        ("já agora, verifica o servidor", "Sistema"),
    ],
)
async def test_what_is_wanted_besides_is_done_and_the_question_stays_open(play, text, does):  # noqa: F811
    await play.hq.do("agent.load")
    slug = await asked(play, "Red", "Blue")

    await play.hq.do("chat.say", text=text)
    await play.runner(shipped()).run_once()

    lines = [line["text"] for line in (await play.hq.do("chat.history"))["items"]]
    missions = [each["title"] for each in (await play.hq.do("mission.list"))["items"]]
    assert does in str([lines[-1], *missions])
    assert (await props(play.hq, "escalation", slug))["status"] == "open"
