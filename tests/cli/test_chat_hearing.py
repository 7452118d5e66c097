"""What `hq chat` does while an answer is on its way: it waits through what passes, and says who speaks."""

from __future__ import annotations

import sys
import types
from typing import Any

from hq.cli.chat import AnswerPrinter, TerminalChat
from hq.cli.chat_follow import ConversationPrinter
from hq.cli.flags import Flags
from hq.cli.last_shown import LastShown
from hq.cli.request import CommandAnswer, CommandRequest
from hq.terminal.screen import Screen


def screen() -> Screen:
    import io

    return Screen.of(io.StringIO())


def line(text: str, sender: str = "chief", **more: str) -> dict:
    at = "2026-11-17T10:00:00+00:00"
    return {"id": f"step:{text}", "role": "assistant", "sender": sender, "at": at, "text": text} | more


def test_a_quota_that_is_used_up_is_waited_for(capsys):
    hearing = AnswerPrinter(screen(), "chief", silent=False)

    assert not hearing.done_with("status", {"state": "waiting", "why": "used up until 10:05", "passes": True})
    assert not hearing.done_with("line", line("Here I am."))
    assert hearing.done_with("status", {"state": "ready", "why": "ready"})
    assert hearing.last == "step:Here I am."
    said = capsys.readouterr()
    assert "used up until 10:05" in said.err and "Here I am." in said.out


def test_what_waits_for_the_founder_is_left(capsys):
    assert AnswerPrinter(screen(), "chief", silent=False).done_with(
        "status", {"state": "waiting", "why": "your approval"}
    )


def test_j14_who_was_called_in_is_named(capsys):
    hearing = AnswerPrinter(screen(), "chief", silent=False)
    hearing.done_with("line", line("I am forge.", "forge", name="Forge"))
    hearing.done_with("line", line("Noted."))

    assert capsys.readouterr().out == "Forge\nI am forge.\nNoted.\n"


def test_following_tells_who_said_what_in_words(capsys):
    tell = ConversationPrinter(Flags(), screen())
    tell("ready", {"after": "x"})
    tell("status", {"state": "working", "why": "thinking"})
    tell("draft", {"at": 0, "text": "He"})
    tell("line", line("Hello."))
    said = capsys.readouterr()

    assert said.out.splitlines()[0].startswith("chief  ") and "Hello." in said.out
    assert "(thinking)" in said.err


def test_that_the_model_is_still_waited_for_is_told(capsys):
    hearing = AnswerPrinter(screen(), "chief", silent=False)

    assert not hearing.done_with("status", {"state": "working", "why": "thinking"})
    assert not hearing.done_with("status", {"state": "working", "why": "still waiting for the model (15 s)"})
    assert capsys.readouterr().err == "(still waiting for the model (15 s))\n"


class Waiting:
    """A conversation in which nothing is said; cards come."""

    def __init__(self, *found: list[dict[str, Any]]) -> None:
        self._found = iter(found)

    def say(self, request: CommandRequest) -> CommandAnswer:
        assert request.verb == "card.list"
        return CommandAnswer({"ok": True, "data": {"items": next(self._found)}})


def card(number: int, title: str) -> dict[str, Any]:
    return {"id": f"0{number}", "kind": "info", "severity": "info", "title": title, "text": "", "state": "open", "facts": [], "buttons": [], "at": "2026-11-17T10:00:00+00:00"}  # fmt: skip


def test_at_the_prompt_what_comes_meanwhile_is_shown_once(capsys, monkeypatch, tmp_path):
    old, new = card(1, "Which name?"), card(2, "The page is done")
    talk = TerminalChat(
        Waiting([old], [old], [old], [new, old], [new, old]),
        None,
        Flags(),
        {},
        LastShown(types.SimpleNamespace(home=tmp_path)),
    )
    looked = iter([[], [], [sys.stdin]])
    monkeypatch.setattr("sys.stdin", types.SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr("hq.cli.chat.select.select", lambda *_: (next(looked), [], []))
    monkeypatch.setattr("builtins.input", lambda prompt: "hello")

    talk._show_open()
    assert talk._typed() == "hello"

    said = capsys.readouterr().out
    assert said.count("Which name?") == 1 and said.count("The page is done") == 1 and said.count("you ›") == 2


def test_what_was_said_elsewhere_stands_before_the_answer_to_it(capsys):
    hearing = AnswerPrinter(screen(), "chief", silent=False, mine="step:Who?")

    hearing.done_with("line", line("Who?", role="user"))
    hearing.done_with("line", line("When?", role="user"))
    hearing.done_with("line", line("Ana, at noon."))

    said = capsys.readouterr()
    assert said.err == "(also said: When?)\n" and said.out == "Ana, at noon.\n"
