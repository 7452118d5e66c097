"""`hq org` as it is typed: one tree, pipes, files, YAML out."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
import yaml

from .conftest import Shell

TREE = {
    "org": ["create", "list", "update", "archive", "status", "export", "import", "validate", "tree", "whoami", "assign",
            "unassign", "assignments", "vacancies", "available-personas", "assess-fit", "role", "position", "persona", "intent"],
    "org role": ["create", "list", "update"],
    "org position": ["create", "list", "show", "update", "remove"],
    "org persona": ["create", "list", "show", "update", "archive", "skill", "experience"],
    "org intent": ["read", "write"],
}  # fmt: skip


@pytest.mark.parametrize("group", TREE)
def test_the_whole_tree_of_the_seed_is_there(cli: Shell, group: str) -> None:
    for command in TREE[group]:
        said = cli(*group.split(), command, "--help")
        assert said.code == 0 and said.out.startswith(f"Usage: hq {group} {command}"), said


def test_one_page_shows_it_all(cli: Shell) -> None:
    said = cli("org", "--help").out

    for group in TREE:
        assert f"hq {group}" in said
    for word in (word for words in TREE.values() for word in words):
        assert f"  {word} " in said or f"hq org {word}" in said


def test_there_is_no_second_path(cli: Shell) -> None:
    said = cli("persona", "list")

    assert said.code == 1 and "there is no command 'persona'" in said.err


def test_export_is_piped_into_validate_and_import(cli: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    cli("org", "create", "--template", "software-team")
    document = cli("org", "export", "--org", "Development").out

    monkeypatch.setattr("sys.stdin", io.StringIO(document))
    assert yaml.safe_load(cli("org", "validate").out) == {"valid": True, "faults": [], "warnings": []}
    (tmp_path / "org.yaml").write_text(document.replace('"QA Lead"', '"Tester"'))
    preview = cli("org", "import", "--file", str(tmp_path / "org.yaml"), "--preview")
    assert yaml.safe_load(preview.out)["changes"] == [
        {"change": "update", "type": "position", "name": "Tester", "position_id": 6, "fields": ["title"]}
    ]
    assert cli("org", "export").out == document
    assert cli("org", "import", "--file", str(tmp_path / "org.yaml")).code == 0
    assert cli("org", "export").out == document.replace('"QA Lead"', '"Tester"')


def test_a_broken_file_is_an_exit_code_and_a_line_number(cli: Shell, tmp_path: Path) -> None:
    (tmp_path / "org.yaml").write_text("organisation:\n  name: A\n  purpose: b\n  nam: c\n")

    said = cli("org", "import", "--file", str(tmp_path / "org.yaml"))
    checked = cli("org", "validate", "--file", str(tmp_path / "org.yaml"))

    assert said.code == 1 and "line 4: organisation has no key 'nam'; did you mean 'name'?" in said.err
    assert checked.code == 1 and "line 4" in checked.out
    assert "cannot be read" in cli("org", "import", "--file", str(tmp_path / "none.yaml")).err


def test_structural_queries_are_yaml(cli: Shell) -> None:
    cli("org", "create", "--template", "software-team")

    seats = yaml.safe_load(cli("org", "position", "list", "--org", "Development").out)
    card = yaml.safe_load(cli("org", "whoami", "--persona-slug", "pm-gavin-3").out)
    tree = cli("org", "tree").lines

    assert [seat["position_id"] for seat in seats] == [1, 2, 3, 4, 5, 6]
    assert card["positions"][0]["reporting_line"] == ["Principal Architect", "founder"]
    assert tree[1] == "├── Principal Architect [architect]: Robbo"


def test_words_are_read_and_written_through_pipes(cli: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    cli("org", "create", "--template", "software-team")
    for words, text in (
        (("persona", "skill", "--slug", "pm-gavin-3", "--write"), "# Gavin\n\nPlans.\n"),
        (("persona", "experience", "--slug", "pm-gavin-3", "--append"), "- Ask early\n"),
        (("intent", "write", "--org", "Development"), "## Protect\n\n- Sleep\n"),
    ):
        monkeypatch.setattr("sys.stdin", io.StringIO(text))
        said = cli("org", *words)
        assert said.code == 0, said.err

    assert cli("org", "persona", "skill", "--slug", "pm-gavin-3").out == "# Gavin\n\nPlans.\n"
    assert cli("org", "persona", "experience", "--slug", "pm-gavin-3").lines[-1] == "- Ask early"
    assert cli("org", "intent", "read").out == "## Protect\n\n- Sleep\n"


def test_the_past_is_exported(cli: Shell) -> None:
    cli("org", "create", "--template", "solo-founder")
    then = cli("org", "export", "--json").json
    cli("org", "position", "update", "--position-id", "4", "--title", "Editor")

    assert cli("org", "export", "--at", then["sequence"]).out == then["data"]["document"]


def test_the_end_of_an_assignment_tells_who_has_no_seat_now(cli: Shell) -> None:
    cli("org", "create", "--template", "software-team")
    cli("agent", "hire", "Paula", "--position-id", "2")
    cli("agent", "hire", "Forge", "--position-id", "5")

    archived = cli("org", "persona", "archive", "--slug", "ar-director-paula-2", "--unassign")
    unassigned = cli("org", "unassign", "--position-id", "5")
    vacated = cli("org", "unassign", "--position-id", "1")

    assert archived.lines[0] == "archived persona ar-director-paula-2; without a seat now: paula"
    assert unassigned.lines[0] == "unassigned Forge as Developer; without a seat now: forge"
    assert vacated.lines[0] == "unassigned Robbo as Principal Architect"
    assert "AR Director [ar-director, cross-cutting]: vacant" in cli("org", "tree").out


def test_a_hire_says_who_where_for_how_much_and_what_it_does_now(cli: Shell) -> None:
    made = cli("mission", "create", "--title", "Flight tracker")
    assert not made.err, made.err
    forge = cli("agent", "hire", "Forge", "--title", "Builder of apps", "--role", "developer")
    dora = cli("agent", "hire", "Dora", "--role", "designer", "--mission", "flight-tracker")

    assert forge.lines[0].startswith("forge is hired as Builder of apps, a developer, in seat ")
    assert forge.lines[1] == "  expected cost: free: no model is set, so the script answers"
    assert "it waits for work: `hq mission assign <mission> --to forge`" in forge.lines[2]
    assert dora.lines, dora.err
    assert dora.lines[0].startswith("dora is hired as Designer in seat ")
    assert "it begins with flight-tracker" in dora.lines[2]
