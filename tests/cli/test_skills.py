"""Skills on the command line: folders in and out, whatever machine hq runs on."""

from __future__ import annotations

from pathlib import Path

from .conftest import Shell

PAGE = "---\nname: haiku\ndescription: Write a haiku. Use when a poem is asked for.\n---\n\nFive, seven, five.\n"


def test_a_folder_comes_in_and_goes_out_the_same(cli: Shell, tmp_path: Path) -> None:
    folder = tmp_path / "haiku"
    (folder / "scripts").mkdir(parents=True)
    (folder / "SKILL.md").write_text(PAGE)
    (folder / "scripts" / "say.sh").write_text("echo hello\n")
    (folder / "scripts" / "say.sh").chmod(0o755)
    (folder / "logo.png").write_bytes(b"\x89PNG\xff")
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_text("token = s3cret")
    (folder / "stolen").symlink_to("/etc/passwd")

    assert cli("skill", "import", str(folder)).code == 0
    assert cli("skill", "export", "haiku", str(tmp_path / "out")).code == 0

    out = tmp_path / "out" / "haiku"
    found = {str(p.relative_to(out)): p.read_bytes() for p in out.rglob("*") if p.is_file()}
    assert found == {"SKILL.md": PAGE.encode(), "scripts/say.sh": b"echo hello\n", "logo.png": b"\x89PNG\xff"}
    assert (out / "scripts" / "say.sh").stat().st_mode & 0o111
    again = cli("skill", "export", "haiku", str(tmp_path / "out"))
    assert again.code == 1 and "there already" in again.err


def test_what_is_no_skill_is_refused_in_words(cli: Shell, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()

    assert "no folder" in cli("skill", "import", str(tmp_path / "none")).err
    large = tmp_path / "large"
    large.mkdir()
    with open(large / "SKILL.md", "wb") as file:
        file.truncate(64 * 2**30)  # never read: it would not fit
    assert "no skill's folder" in cli("skill", "import", str(large)).err
    assert cli("skill", "import", str(tmp_path / "empty")).code == 1


def test_a_check_on_this_machine_says_what_it_found(cli: Shell) -> None:
    said = cli("skill", "run", "disk-health", "check", "--args", '{"warn_percent": 100, "critical_percent": 101}')

    assert said.code == 0, said.err
    assert "% of space used" in said.out and "disk-health on this machine: ok" in said.out
