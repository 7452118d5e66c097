"""`verbs.json` says what the registry says, and every verb in it is a command."""

from __future__ import annotations

import pytest

from hq.app import registry
from hq.cli import manifest, names, verbs
from hq.cli.main import run
from hq.cli.names import command_name
from hq.cli.verbs import find

VERBS = sorted(registry().verbs)


def test_the_manifest_is_not_stale() -> None:
    assert manifest.main(["--check"]) == 0


def test_a_stale_manifest_is_noticed(monkeypatch: pytest.MonkeyPatch, tmp_path, capsys) -> None:
    monkeypatch.setattr(manifest, "FILE", tmp_path / "verbs.json")

    assert manifest.main(["--check"]) == 1
    assert "stale" in capsys.readouterr().err
    assert manifest.main([]) == 0
    assert manifest.main(["--check"]) == 0


def test_the_manifest_knows_every_argument_by_its_name_on_every_face() -> None:
    for verb in registry():
        known = find(verb.name)
        assert known is not None
        assert {arg.name for arg in known.args} == set(verb.args.model_json_schema().get("properties", {}))


def test_the_manifest_knows_a_verb_as_the_door_does() -> None:
    for verb in registry():
        known = find(verb.name)
        assert known is not None
        assert (known.noun, known.action, known.changes) == (verb.noun, verb.action, verb.changes)


@pytest.mark.parametrize("name", VERBS)
def test_every_verb_has_a_command_whose_help_shows_what_it_takes_and_an_example(name: str, capsys) -> None:
    noun, _, action = name.partition(".")
    assert run([*names.words(noun).split(), names.command_name(action), "--help", "--all"]) == 0

    shown = capsys.readouterr().out
    verb = find(name)
    assert verb is not None
    assert verb.says.split()[0] in shown
    assert f"  {verb.command}" in shown or f"| {verb.command}" in shown
    for arg in verb.args:
        assert verbs_option(arg) in shown


def verbs_option(arg: verbs.Argument) -> str:
    if arg.secret:
        return arg.name
    return arg.name.upper() if arg.positional else "--" + names.command_name(arg.name)


@pytest.mark.parametrize("alias", sorted(names.aliases()))
def test_every_short_command_is_there(alias: str, capsys) -> None:
    assert run([alias, "--help"]) == 0
    assert "Usage: hq" in capsys.readouterr().out


@pytest.mark.parametrize("noun", sorted(names.nouns()))
def test_every_noun_has_help_that_lists_its_verbs(noun: str, capsys) -> None:
    assert run([*names.words(noun).split(), "--help"]) == 0

    shown = capsys.readouterr().out
    known = [find(name) for name in VERBS if name.startswith(f"{noun}.")]
    typed = {command_name(verb.action) for verb in known if verb and not verb.internal}
    assert f"Usage: hq {names.words(noun)}" in shown
    assert typed <= {line.split()[0] for line in shown.splitlines() if line.startswith("  ")}
    assert typed or "there is nothing to type here" in shown


def test_what_a_noun_does_by_itself_is_in_its_help(capsys) -> None:
    run(["chat", "--help"])

    shown = capsys.readouterr().out
    assert shown.startswith("Usage: hq chat TEXT [options]")
    assert '  hq chat "What is going on?"' in shown


@pytest.mark.parametrize("asked", [["--help", "--all"], ["help", "--all"]])
def test_help_lists_every_noun_and_short_command_when_asked_for_all(asked: list[str], capsys) -> None:
    assert run(asked) == 0

    shown = {line.split()[0] for line in capsys.readouterr().out.splitlines() if line.startswith("  ")}
    nouns = names.typed() - set(names.under())
    own = {"up", "down", "status", "doctor", "logs", "as-of"}
    assert {*map(command_name, nouns), *names.aliases(), *own} - shown == {"graph"}


def test_help_shows_what_a_founder_does_every_day_and_how_to_see_the_rest(capsys) -> None:
    assert run(["--help"]) == 0

    shown = capsys.readouterr().out.splitlines()
    commands = [line for line in shown if line.startswith("  ")]
    assert 10 <= len(commands) <= 16 and all(len(line) <= 80 for line in shown)
    assert commands[0].startswith('  chat "…"') and shown[-1].startswith("`hq --help --all`")
    for line in commands:
        for word in line[2:].partition("  ")[0].split(", "):
            assert run([word.split()[0], "--help"]) == 0


def test_many_options_begin_with_those_of_every_day(capsys) -> None:
    assert run(["task", "create", "--help"]) == 0
    daily = capsys.readouterr().out
    assert run(["task", "create", "--help", "--all"]) == 0
    every = capsys.readouterr().out

    assert daily.count("\n  --") <= 10 and every.count("\n  --") >= 30
    assert "--due" in daily and "--ops-runbook-url" not in daily
    assert "`hq task create --help --all` shows 24 more options" in daily and "--ops-runbook-url" in every


@pytest.mark.parametrize("noun", ["thread", "message", "incident"])
def test_a_noun_of_the_house_alone_has_help_that_says_so(noun: str, capsys) -> None:
    assert run([noun, "--help"]) == 0
    assert "there is nothing to type here" in capsys.readouterr().out
