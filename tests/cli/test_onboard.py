"""`hq onboard` in a terminal: asked one by one, wrong answers asked again, broken off and taken up again."""

from __future__ import annotations

import json
from collections.abc import Iterable

import pytest

from tests.support.provider import Provider, provider, running
from tests.support.servers import House

from .conftest import Shell

__all__ = ["provider", "running"]


@pytest.fixture
def house(working_house: House) -> House:
    """The CEO greets whoever is done."""
    return working_house


def typing(monkeypatch: pytest.MonkeyPatch, lines: Iterable[str]) -> list[str]:
    """Somebody at the keyboard, who leaves when they have nothing more to say. What they were asked is written down."""
    asked: list[str] = []
    left = iter(lines)

    def answer(question: str) -> str:
        asked.append(question)
        try:
            return next(left)
        except StopIteration:
            raise EOFError from None

    monkeypatch.setattr("builtins.input", answer)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    return asked


def test_it_asks_until_the_company_works(cli: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    first = typing(monkeypatch, ["Lumen", "Ana", "Ada"])
    stopped = cli("onboard")
    assert stopped.code == 0 and "Go on any time" in stopped.err
    assert len(first) == 4  # the fourth was left open

    asked = typing(monkeypatch, ["", "bold", "balanced", "25", "none", "A flight tracker"])
    said = cli("onboard")

    assert said.code == 0, said.err
    assert "led" in asked[0] and len(asked) == 6 and "risk must be" in said.err
    assert "Welcome, Ana" in said.out and "A flight tracker" in said.out
    assert "What you left out is asked again" in cli("onboard").err


def test_everything_can_be_said_at_once(cli: Shell) -> None:
    said = cli("onboard", "--company", "Lumen", "--risk", "cautious", "--skip", "mission", "--json")

    told = json.loads(said.out)["data"]
    assert told["next"] == "founder" and not told["done"]
    assert [each["state"] for each in told["steps"]].count("answered") == 2


def test_a_wrong_option_is_said(cli: Shell) -> None:
    said = cli("onboard", "--risk", "bold")

    assert said.code == 1 and "cautious" in said.err


def test_what_comes_next_is_asked_in_words(cli: Shell) -> None:
    said = cli("onboard", "--company", "Lumen")

    assert (said.out, said.err) == ("next: What is your name?\n", "")


def test_who_has_a_key_is_led_to_it_and_told_whether_it_works(
    cli: Shell, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("onboard", "--skip", "company", "--skip", "founder", "--skip", "ceo", "--skip", "philosophy", "--skip", "risk",
        "--skip", "budget", "--skip", "mission")  # fmt: skip
    pasted = iter(["sk-wrong-0123456789", "sk-right-0123456789"])
    monkeypatch.setattr("hq.cli.onboard.getpass", lambda question: next(pasted))
    provider.fail(401)
    asked = typing(monkeypatch, ["nonsense", "7", f"{provider.url}/v1", "mine", "y"])

    said = cli("onboard")

    assert said.code == 0, said.err
    assert "1  Anthropic (Claude)" in said.out and "8  None" in said.out and "'nonsense' is none of these" in said.err
    assert "refused the key" in said.err and "It answers: compatible:mine" in said.err
    assert "another key" in asked[-1] and "0123456789" not in said.out + said.err
    assert provider.seen[-1]["headers"]["authorization"] == "Bearer sk-right-0123456789"
    assert cli("mind", "list", "--json").json["data"]["tiers"][0]["answers"] == "compatible:mine"


def test_who_comes_back_is_asked_what_was_left_out(cli: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    cli("onboard", "--company", "Lumen", "--skip", "founder", "--skip", "ceo", "--skip", "philosophy", "--skip", "risk",
        "--skip", "budget", "--skip", "mission", "--provider", "none")  # fmt: skip
    asked = typing(monkeypatch, ["Ana", "", "", "", "", ""])

    said = cli("onboard")

    assert said.code == 0 and len(asked) == 6 and "name" in asked[0], asked
    assert cli("onboard", "show", "--json").json["data"]["steps"][1]["answer"] == "Ana"
