"""Secrets come from a pipe or a hidden prompt, never from arguments that other processes can read."""

from __future__ import annotations

import stat
from collections.abc import Callable

import pytest

from hq.cli.main import run
from hq.cli.names import manifest
from hq.cli.verbs import find

from .conftest import House, Shell, Terminal

SECRET = [(name, arg.name) for name in manifest()["verbs"] for arg in find(name).args if arg.secret]  # type: ignore[union-attr]


def test_there_are_secrets_to_look_after() -> None:
    assert ("vault.set", "value") in SECRET


@pytest.mark.parametrize(("verb", "name"), SECRET)
def test_a_secret_is_no_option(verb: str, name: str, capsys) -> None:
    assert run([*verb.split("."), "x", f"--{name}", "s3cret"]) == 1
    assert "others on this machine could see" in capsys.readouterr().err


def test_a_secret_comes_in_by_a_pipe(shell: Shell) -> None:
    said = shell("vault", "set", "test/pipe", stdin="s3cret\n")

    assert (said.code, said.out, said.err) == (0, "set secret test/pipe (version 1)\n", "")
    assert "s3cret" not in shell("vault", "list", "--json").out + shell("action", "list", "--json").out


def test_an_empty_pipe_is_refused(shell: Shell) -> None:
    said = shell("vault", "set", "test/empty", stdin="")

    assert said.code == 1
    assert said.err.startswith("hq: no value came in")


def test_on_a_terminal_it_is_asked_for_and_not_shown(terminal: Callable[..., Terminal]) -> None:
    asked = terminal("vault", "set", "test/typed")
    for prompt in ("Value: ", "Repeat for confirmation: "):
        asked.read_until(prompt)
        asked.type("s3cret\n")
    said = asked.end()

    assert said.code == 0
    assert "set secret test/typed (version 1)" in said.out
    assert "s3cret" not in said.out


def test_a_token_is_alone_on_stdout(shell: Shell) -> None:
    said = shell("auth", "token", "--device", "phone")

    assert said.out.startswith("hq_device_")
    assert len(said.lines) == 1
    assert "device:phone" in said.err


def test_the_code_of_a_login_may_come_by_a_pipe_and_is_kept_private(house: House, shell: Shell, tmp_path) -> None:
    link = shell("auth", "login").out.strip()
    assert link.startswith(f"{house.url}/login?code=")

    said = shell(
        "auth", "login", "--url", house.url, "--code", "-", stdin=link.partition("code=")[2], HQ_HOME=str(tmp_path)
    )

    kept = tmp_path / "remote.json"
    assert said.code == 0, said.err
    assert said.out.startswith(f"logged in to {house.url} as device:")
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert shell("whoami", HQ_HOME=str(tmp_path), HQ_DATABASE_URL="").out.startswith("device:")
    assert shell("auth", "logout", HQ_HOME=str(tmp_path)).out == f"forgot {house.url}\n"
    assert not kept.exists()


def test_a_whole_link_is_an_address_with_a_code(house: House, shell: Shell, tmp_path) -> None:
    link = shell("auth", "login").out.strip()

    assert shell("auth", "login", "--url", link, HQ_HOME=str(tmp_path)).code == 0
    used = shell("auth", "login", "--url", link, HQ_HOME=str(tmp_path / "other"))
    assert used.code == 1
    assert "token" not in used.out


def test_the_exchange_of_a_code_is_not_listed(capsys) -> None:
    assert run(["auth", "--help"]) == 0
    assert "exchange" not in capsys.readouterr().out
