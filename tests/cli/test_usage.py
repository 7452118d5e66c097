"""Mistyped commands: one line, the nearest word, exit code 1."""

from __future__ import annotations

import pytest

from .conftest import Shell


@pytest.mark.parametrize(
    ("args", "near"),
    [
        (["taks", "list"], "'task'"),
        (["tasks", "list"], "'task'"),
        (["descibe", "acme"], "'describe'"),
        (["stats"], "'status'"),
        (["task", "crate"], "'create'"),
        (["task", "create", "--titel", "x"], "'--title'"),
        (["task", "list", "--priority", "nw"], "'now'"),
        (["as-of", "1d", "taks", "list"], "'task'"),
    ],
)
def test_the_nearest_word_is_named(cli: Shell, args: list[str], near: str) -> None:
    said = cli(*args)

    assert said.code == 1
    assert f"did you mean {near}?" in said.err.splitlines()[0]
    assert said.err.splitlines()[1].startswith("hint: `hq")
    assert said.out == ""


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["task", "create"], "hq: hq task create needs --title"),
        (["task", "show"], "hq: hq task show needs <ref>"),
        (["fact", "assert", "Ana"], "hq: hq fact assert needs <relation> and <value>"),
        (
            ["task", "create", "--title", "x", "--estimate-minutes", "soon"],
            "hq: invalid value for '--estimate-minutes'",
        ),
        (["cost", "--bogus"], "hq: `hq cost` has no option '--bogus'\nhint: `hq cost show --help`"),
        (["task", "create", "--title"], "hq: option '--title' requires an argument"),
        (["task", "show", "a", "b"], "hq: got unexpected extra argument (b)"),
        (
            ["mission", "create", "Pay the rent"],
            'hq: `hq mission create` takes no word by its place\nhint: `hq mission create --title "Pay the rent"` says what it is',
        ),
        (["task", "create", "--title", "x", "--confidence", "nan"], "hq: invalid value for '--confidence'"),
        (["proposal", "propose", "--kind", "x", "--evidence", "{"], "hq: invalid value for '--evidence': is not JSON"),
        (["memo", "create", "--title", "x", "--content-md-file", "/nope"], "hq: /nope cannot be read: No such file"),
        (
            ["memo", "create", "--title", "x", "--content-md", "y", "--content-md-file", "/nope"],
            "hq: say --content-md or",
        ),
        (["as-of", "1d", "up"], "hq: `hq as-of` runs reads"),
        (["task", "list", "--url", "ftp://x"], "hq: 'ftp://x' is not the address of a server"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(cli: Shell, args: list[str], message: str) -> None:
    said = cli(*args)

    assert said.code == 1
    assert said.err.startswith(message)


@pytest.mark.parametrize("args", [[], ["-h"], ["task", "-h"]])
def test_help_is_no_mistake(cli: Shell, args: list[str]) -> None:
    said = cli(*args)

    assert said.code == 0
    assert "Usage: hq" in said.out


def test_the_version(cli: Shell) -> None:
    assert cli("--version").out.startswith("hq 0.")


def test_the_help_of_a_noun_that_is_also_a_command_says_what_that_takes(cli: Shell) -> None:
    said = cli("onboard", "--help")

    assert said.code == 0
    assert all(option in said.out for option in ("--company TEXT", "--risk cautious|", "--mission TEXT", "Verbs:"))
