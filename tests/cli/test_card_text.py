"""What a button does, and whose words stand on a card, in the terminal."""

from __future__ import annotations

import json

from .conftest import Shell

CREATES = "    does: Create an agent: name “Mole”, role “Spy” (agent.create)"
BUTTON = {"key": "ok", "label": "Noted", "verb": "agent.create", "args": {"name": "Mole", "role": "Spy"}}


def chief(cli: Shell) -> str:
    """A company, and the token of its CEO."""
    cli("agent", "load")
    cli("ceo", "quiet", "off")
    return cli("auth", "token", "--agent", "chief", "--json").json["data"]["token"]


def test_what_a_button_does_is_said_wherever_it_can_be_pressed(cli: Shell) -> None:
    chief(cli)
    said = cli("card", "send", "--kind", "hire", "--title", "Look", "--button", json.dumps(BUTTON), "--json")
    assert said.code == 0, said.out
    ask = cli("ask", "list", "--json").json["data"]["items"][0]["slug"]

    for command in (("card", "show", said.json["data"]["id"]), ("ask", "show", ask), ("ask", "list"), ("inbox",)):
        lines = cli(*command).lines
        [at] = [number for number, line in enumerate(lines) if line.startswith("  Noted  hq ")]
        assert lines[at + 1] == CREATES, command


def test_a_button_of_the_ceo_for_more_than_it_may_is_refused_with_the_way_to_take(cli: Shell, monkeypatch) -> None:
    monkeypatch.setenv("HQ_TOKEN", chief(cli))

    said = cli("card", "send", "--kind", "report", "--title", "Look", "--button", json.dumps(BUTTON))

    assert said.code == 1
    assert "agent.create needs the founder" in said.err and "call agent.create itself" in said.err


def test_over_an_ask_its_own_words_come_first_and_the_agents_are_marked(cli: Shell, monkeypatch) -> None:
    token = chief(cli)
    with monkeypatch.context() as as_chief:
        as_chief.setenv("HQ_TOKEN", token)
        asked = cli("agent", "create", "--name", "Mole", "--role", "Spy", "--json").json["data"]["approval"]
        over = ("--title", "The week went well", "--ask", asked)
        made = cli("card", "send", "--kind", "report", *over, "--json")
    assert made.code == 0, made.out + made.err
    sent = made.json["data"]["id"]

    lines = cli("card", "show", sent).lines

    assert lines[0].startswith("[call] Create agent “")
    assert "  chief says: The week went well" in lines and CREATES in lines


def test_a_choice_is_told_as_a_choice(cli: Shell, monkeypatch) -> None:
    token = chief(cli)
    option = json.dumps({"key": "a", "label": "Pay the invoice now"})
    with monkeypatch.context() as as_chief:
        as_chief.setenv("HQ_TOKEN", token)
        made = cli("card", "send", "--kind", "choice", "--title", "Which name?", "--button", option, "--json")
    sent = made.json["data"]

    cli("card", "press", sent["id"], "a")

    assert (
        "I chose the option “Pay the invoice now” of which-name, where chief asked “Which name?”"
        in cli("chat", "history").out
    )
