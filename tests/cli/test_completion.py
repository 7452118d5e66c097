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
