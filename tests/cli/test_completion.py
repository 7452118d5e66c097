"""Completion: click's scripts, and answers that load no house."""

from __future__ import annotations

import pytest

from .conftest import Shell


@pytest.mark.parametrize("shell_name", ["bash", "zsh", "fish"])
def test_a_script_for_every_shell(shell: Shell, shell_name: str) -> None:
    said = shell("completion", shell_name)

    assert said.code == 0
    assert "_HQ_COMPLETE" in said.out


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("hq ta", {"plain,task"}),
        ("hq task cre", {"plain,create"}),
        ("hq task list --prio", {"plain,--priority"}),
        ("hq task list --priority n", {"plain,now", "plain,next"}),
        ("hq do", {"plain,document", "plain,doctor", "plain,down"}),
    ],
)
def test_what_comes_next_is_known(shell: Shell, words: str, found: set[str]) -> None:
    said = shell(_HQ_COMPLETE="bash_complete", COMP_WORDS=words, COMP_CWORD=str(len(words.split()) - 1))

    assert found <= set(said.lines)


def completed(shell: Shell, words: str, **env: str) -> set[str]:
    place = str(len(words.split(" ")) - 1)
    said = shell(_HQ_COMPLETE="bash_complete", COMP_WORDS=words, COMP_CWORD=place, **env)
    assert said.err == ""
    return {line.removeprefix("plain,") for line in said.lines if line}


def test_names_are_asked_of_the_server(shell: Shell) -> None:
    for title in ("Complete me first", "Complete me second", "Another one"):
        assert shell("task", "create", "--title", title).code == 0
    both = {"complete-me-first", "complete-me-second"}

    assert completed(shell, "hq task show complete-") == both
    assert completed(shell, "hq describe complete-") == both
    assert completed(shell, "hq task create --owner chi") == completed(shell, "hq agent show chi")
    assert completed(shell, "hq task create --title complete-") == set()


def test_where_no_server_runs_names_are_passed_over_in_silence(shell: Shell, tmp_path) -> None:
    assert completed(shell, "hq task show c", HQ_HOME=str(tmp_path)) == set()
    assert completed(shell, "hq task show c", HQ_URL="http://127.0.0.1:1") == set()
