"""`hq chat`: what is typed beside the message goes with it."""

from __future__ import annotations

from itertools import product

from hq.cli.last_shown import LastShown
from hq.settings import Settings

from .conftest import Shell


def asked(cli: Shell, name: str) -> str:
    """A choice that waits for the founder."""
    options = '[{"key": "a", "label": "The Weekly"}, {"key": "b", "label": "Field Notes"}]'
    return cli("review", "create", "--question-text", name, "--options", options, "-q").out.strip()


def test_a_reply_answers_the_ask_that_it_names(working_cli: Shell) -> None:
    working_cli("agent", "load")
    first, second = asked(working_cli, "Which name?"), asked(working_cli, "Which title?")

    said = working_cli("chat", "Field Notes", "--reply-to", second, "--json")

    assert said.code == 0, said.err
    assert working_cli("ask", "show", second, "--json").json["data"]["answer"] == "b"
    assert working_cli("ask", "show", first, "--json").json["data"]["state"] == "open"


def test_a_reply_to_what_waits_for_nobody_is_refused(cli: Shell) -> None:
    cli("agent", "load")

    said = cli("chat", "yes", "--reply-to", "nothing-here")

    assert said.code == 3
    assert "does not wait for an answer" in said.err


def test_a_yes_in_one_shot_answers_nothing_that_the_terminal_has_not_shown(working_cli: Shell) -> None:
    """It is shown then, and asked; the next yes counts."""
    working_cli("agent", "load")
    change = '{"verb": "task.create", "args": {"title": "Call Ana"}}'
    working_cli("proposal", "propose", "--kind", "errand", "--body", "She waits.", "--change", change)
    working_cli("card", "send", "--kind", "attention", "--ask", "errand")
    working_cli("chat", "read")

    first = working_cli("chat", "yes")

    assert first.code == 4, first.out + first.err
    assert "Nothing was decided by that" in first.out
    assert "hq ask answer errand yes" in first.out and "Call Ana" in first.out
    assert "say it once more" in first.err
    assert working_cli("ask", "show", "errand", "--json").json["data"]["state"] == "open"

    second = working_cli("chat", "yes")

    assert second.code == 0, second.out + second.err
    assert "Taken as your answer" in second.out
    assert "Nothing was decided" not in second.out, "what was shown is not printed again"
    assert working_cli("task", "show", "call-ana").code == 0


def test_a_yes_is_for_the_card_that_the_command_before_has_shown_in_this_terminal(working_cli: Shell) -> None:
    working_cli("agent", "load")
    working_cli("org", "create", "--template", "software-team")
    asked = working_cli("chat", "Hire a developer called Forge")
    assert "Hire agent" in asked.out, asked.out + asked.err

    said = working_cli("chat", "yes")

    assert said.code == 0 and "Taken as your answer" in said.out, said.out + said.err
    assert working_cli("agent", "show", "forge").code == 0


def test_no_order_of_looking_takes_back_what_a_terminal_has_shown(tmp_path) -> None:
    """Whatever is shown in whichever order, the last line and the latest card are told to the house."""
    steps = {
        "first card": ("card", "01-a"),
        "second card": ("card", "01-b"),
        "line": ("line", "s.4"),
        "house": ("line", "h"),
    }
    for number, order in enumerate(product(steps, repeat=4)):
        home = tmp_path / str(number)
        home.mkdir()
        shown = LastShown(Settings.load({"HQ_HOME": str(home)}))
        for kind, id in (steps[each] for each in order):
            shown.line(None, id) if kind == "line" else shown.cards(None, [id])

        lines = [id for kind, id in (steps[each] for each in order) if kind == "line"]
        cards = [id for kind, id in (steps[each] for each in order) if kind == "card"]
        expected = {*lines[-1:], *([max(cards)] if cards else [])}
        assert set((shown.read(None) or "").split(",")) == expected, order
        assert shown.read("scout") is None


LOOKS = {"inbox": ("inbox",), "cards": ("card", "list", "--open"), "status": ("chat", "status")}


def test_a_repeated_yes_counts_whatever_was_looked_at_in_between(working_cli: Shell) -> None:
    working_cli("agent", "load")
    change = '{"verb": "task.create", "args": {"title": "Call Ana"}}'
    for number, between in enumerate(
        [(), ("inbox",), ("inbox", "inbox"), ("status", "inbox", "cards"), ("cards", "inbox")]
    ):
        name = f"errand-{number}"
        working_cli("proposal", "propose", "--kind", name, "--body", "She waits.", "--change", change)
        working_cli("card", "send", "--kind", "attention", "--ask", name)
        working_cli("inbox")
        working_cli("chat", "Hello.")
        first = working_cli("chat", "yes")
        assert first.code == 4 and "Nothing was decided" in first.out, (between, first.out + first.err)

        for each in between:
            assert working_cli(*LOOKS[each]).code == 0
        second = working_cli("chat", "yes")

        assert second.code == 0 and "Taken as your answer" in second.out, (between, second.out + second.err)


def test_what_a_terminal_has_printed_is_read(working_cli: Shell) -> None:
    working_cli("agent", "load")
    working_cli("chat", "Hello.")

    assert working_cli("chat", "status", "--json").json["data"]["unread"] == 0


def test_what_came_since_is_shown_at_the_next_message_and_once(working_cli: Shell) -> None:
    working_cli("agent", "load")
    first = working_cli("chat", "hello")
    asked(working_cli, "Which name?")
    working_cli("card", "send", "--kind", "attention", "--ask", "which-name")

    second, third = working_cli("chat", "how are you?"), working_cli("chat", "hello")

    assert "Which name?" not in first.out
    assert "Which name?" in second.out and "Field Notes" in second.out
    assert "Field Notes" not in third.out
