"""What is typed becomes the arguments of the call: lists, JSON, files, flags in any place."""

from __future__ import annotations

import io
import json

import click
import pytest

from hq.cli import verbs
from hq.cli.commands import VerbCommand
from hq.cli.manifest import manifest

from .conftest import Shell


def props(cli: Shell, noun: str, slug: str) -> dict:
    return cli(noun, "show", slug, "--json").json["data"]["props"]


def test_what_may_be_said_several_times_is_a_list_under_both_spellings(cli: Shell) -> None:
    cli("task", "create", "--title", "Call Ana", "--tag", "a", "--tags", "b")

    assert cli("task", "show", "call-ana", "--json").json["data"]["tags"] == ["a", "b"]


def test_flags_stand_before_the_noun_behind_the_verb_or_behind_everything(cli: Shell) -> None:
    cli("task", "create", "--title", "Call Ana")

    for args in (
        ["--json", "task", "show", "call-ana"],
        ["task", "show", "--json", "call-ana"],
        ["task", "show", "call-ana", "--json"],
    ):
        assert cli(*args).json["data"]["slug"] == "call-ana"
    assert cli("--json", "task", "show", "call-ana", "--text").lines[0] == "Call Ana  (task call-ana)"


def test_no_word_of_a_command_means_two_things() -> None:
    for name in manifest()["verbs"]:
        verb = verbs.find(name)
        assert verb is not None
        words = [word for each in VerbCommand(verb).params if isinstance(each, click.Option) for word in said_by(each)]
        assert len(words) == len(set(words)), f"{verb.command}: {sorted(words)}"
        assert not {"--previou", "--memorie"} & set(words)


def said_by(option: click.Option) -> list[str]:
    return [*option.opts, *option.secondary_opts]


def test_an_answer_in_words_is_typed_as_the_inbox_prints_it(cli: Shell) -> None:
    cli("agent", "load")
    token = cli("auth", "token", "--agent", "operator", "--json").json["data"]["token"]
    asked = cli("agent", "ask", "founder", "Which size?", "--timeout", "1", HQ_TOKEN=token)
    assert asked.code == 4, asked
    (ask,) = cli("inbox", "--json").json["data"]["items"]
    assert f'hq ask answer {ask["slug"]} --text "…"' in cli("inbox").out

    said = cli("ask", "answer", ask["slug"], "--text", "Middle", "--json")

    assert said.code == 0 and said.json["data"]["answer"] == "Middle"


def test_objects_are_json_or_a_file(cli: Shell, tmp_path) -> None:
    (tmp_path / "evidence.json").write_text('{"edits": 12}')

    cli("proposal", "propose", "--kind", "tweak one", "--evidence", '{"edits": 3}')
    cli("proposal", "propose", "--kind", "tweak two", "--evidence", f"@{tmp_path}/evidence.json")

    assert props(cli, "proposal", "tweak-one")["evidence"] == {"edits": 3}
    assert props(cli, "proposal", "tweak-two")["evidence"] == {"edits": 12}


def test_lists_of_objects_are_said_one_by_one_or_at_once(cli: Shell) -> None:
    one, two = {"key": "yes", "label": "Yes"}, {"key": "no", "label": "No"}

    cli("review", "create", "--question-text", "One?", "--option", json.dumps(one), "--option", json.dumps(two))
    cli("review", "create", "--question-text", "Two?", "--options", json.dumps([one, two]))

    assert props(cli, "review", "one")["options"] == props(cli, "review", "two")["options"] == [one, two]


def test_long_texts_come_from_a_file_or_a_pipe(cli: Shell, tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "memo.md").write_text("# All quiet\n")
    monkeypatch.setattr("sys.stdin", io.StringIO("From a pipe.\n"))

    cli("memo", "create", "--title", "Week 46", "--content-md-file", str(tmp_path / "memo.md"))
    cli("memo", "create", "--title", "Week 47", "--content-md-file", "-")

    assert props(cli, "memo", "week-46")["content_md"] == "# All quiet\n"
    assert props(cli, "memo", "week-47")["content_md"] == "From a pipe.\n"


def test_a_text_that_begins_with_an_at_sign_is_a_text(cli: Shell) -> None:
    cli("memo", "create", "--title", "Week 46", "--content-md", "@/etc/passwd")

    assert props(cli, "memo", "week-46")["content_md"] == "@/etc/passwd"


def test_a_word_of_the_language_is_an_option_like_any_other(cli: Shell) -> None:
    cli("contact", "create", "--name", "Ana Pereira")

    said = cli(
        "interaction", "log", "--channel", "email", "--direction", "inbound", "--subject", "Hi", "--from", "ana-pereira"
    )

    assert said.code == 0, said.err
    shown = cli("interaction", "show", "hi").out.split()
    assert " ".join(shown).partition("links ")[2].startswith("from → ana-pereira Ana Pereira (contact")


def test_a_verbs_own_argument_wins_over_a_flag_of_the_same_name(cli: Shell) -> None:
    cli("document", "create", "--title", "Offer", "--kind", "pdf", "--url", "https://example.com/offer.pdf")

    assert props(cli, "document", "offer")["url"] == "https://example.com/offer.pdf"
    assert cli("grant", "add", "agent:chief", "entity.merge").code == 0


def test_an_actor_can_only_narrow(cli: Shell) -> None:
    assert cli("task", "list", "--actor", "user:somebody-else").code == 1


def test_the_reason_is_kept_in_any_script(cli: Shell) -> None:
    cli("task", "create", "--title", "Call Ana", "--reason", "São João: 日本 100 %")

    assert "“São João: 日本 100 %”" in cli("history", "call-ana").out


def test_the_same_key_acts_once(cli: Shell) -> None:
    first = cli("task", "create", "--title", "Call Ana", "--key", "k1", "--json").json
    again = cli("task", "create", "--title", "Call Ana", "--key", "k1", "--json").json

    assert again["data"]["id"] == first["data"]["id"]
    assert cli("task", "create", "--title", "Other", "--key", "k1").code == 1


def test_as_of_is_any_read_with_at(cli: Shell) -> None:
    cli("task", "create", "--title", "Call Ana")
    before = cli("task", "show", "call-ana", "--json").json["sequence"]
    cli("task", "update", "call-ana", "--status", "in_progress")

    assert "todo" in cli("as-of", before, "task", "show", "call-ana").out
    assert cli("as-of", before, "describe", "call-ana", "--json").json["data"]["props"]["status"] == "todo"
    assert "in_progress" in cli("task", "list").out
    assert cli("as-of", before, "task", "create", "--title", "x").code == 1


def test_quiet_prints_slugs_alone(cli: Shell) -> None:
    assert cli("task", "create", "--title", "Call Ana", "-q").out == "call-ana\n"
    cli("task", "create", "--title", "Call Bo")

    assert cli("task", "list", "--quiet").lines == ["call-bo", "call-ana"]


def test_freeze_alone_stops_everything_and_its_noun_still_has_verbs(cli: Shell) -> None:
    assert cli("freeze", "--reason", "too hot").out == "froze all\n"
    assert cli("task", "create", "--title", "x").code == 1
    assert "too hot" in cli("freeze", "list").out
    assert cli("thaw").out == "thawed all\n"
    assert cli("task", "create", "--title", "x").code == 0


def test_a_noun_alone_lists_what_there_is(cli: Shell) -> None:
    cli("task", "create", "--title", "Call Ana")

    assert "Call Ana" in cli("task").out
    assert [each["title"] for each in json.loads(cli("task", "--json").out)["data"]["items"]] == ["Call Ana"]
    assert "`hq task` alone lists them" in " ".join(cli("task", "--help").out.split())
