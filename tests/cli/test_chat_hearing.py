"""What `hq chat` does while an answer is on its way: it waits through what passes, and says who speaks."""

from __future__ import annotations

from hq.cli.chat import AnswerPrinter
from hq.cli.chat_follow import ConversationPrinter
from hq.cli.flags import Flags
from hq.terminal.screen import Screen


def screen() -> Screen:
    import io

    return Screen.of(io.StringIO())


def line(text: str, sender: str = "chief", **more: str) -> dict:
    at = "2026-11-17T10:00:00+00:00"
    return {"id": f"step:{text}", "role": "assistant", "sender": sender, "at": at, "text": text, **more}


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
