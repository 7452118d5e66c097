"""Which bubblewrap is used, and that the one that comes with hq holds programs where the system has none."""

from __future__ import annotations

import os
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

from hq.sandbox import bubblewrap, machine
from tests.support.sandboxes import Ground

SITE = Path(str(getattr(find_spec(bubblewrap.PACKAGE), "origin", "/nowhere/x/y"))).parents[1]
bundled = pytest.mark.skipif(bubblewrap._bundled() is None, reason="no bubblewrap comes along for this machine")


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the system would have its bubblewrap; there is none."""
    place = tmp_path / "bin"
    place.mkdir()
    monkeypatch.setattr(machine, "choose", lambda _places, account: bubblewrap.choose(str(place), account))
    monkeypatch.setattr(bubblewrap, "RESTRICTED", tmp_path / "restricted")
    return place


def system(place: Path, version: str) -> Path:
    program = place / "bwrap"
    program.write_text(f"#!/bin/sh\necho bubblewrap {version}\n")
    program.chmod(0o755)
    return program


@bundled
async def test_where_the_system_has_none_the_one_of_hq_runs_programs(hq, bare: Path, ground: Ground) -> None:
    ran = await ground.sh("id -u; cat /etc/shadow; ls /home")
    tested = await hq.do("sandbox.test")

    assert b"No such file" in ran.stderr and ran.stdout.split() != []
    assert tested["usable"] and tested["says"] == "every limit holds", tested
    assert "that came with hq" in tested["bubblewrap"] and str(SITE) in tested["bubblewrap"]


@bundled
def test_the_systems_own_is_used_where_it_is_newer(bare: Path) -> None:
    older = system(bare, "0.8.0")
    assert machine.look().bubblewrap.bundled

    bubblewrap._version.cache_clear()
    newer = system(bare, "0.99.1")
    chosen = machine.look().bubblewrap

    assert (chosen.path, chosen.version) == (newer, (0, 99, 1)) and older == newer
    assert str(chosen) == f"bubblewrap 0.99.1 of this system ({newer})"


@bundled
def test_where_only_the_systems_own_may_make_namespaces_it_is_used(bare: Path, tmp_path: Path) -> None:
    program = system(bare, "0.8.0")
    (tmp_path / "restricted").write_text("1\n")

    assert machine.look().bubblewrap.path == program

    program.unlink()
    assert machine.look().bubblewrap.bundled


@bundled
@pytest.mark.skipif(os.geteuid() != 0, reason="only root runs programs as another account")
async def test_installed_in_a_closed_directory_it_is_put_within_reach(
    bare: Path, tmp_path: Path, ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = tmp_path / "closed"
    for part in (bubblewrap.PACKAGE, bubblewrap.LIBRARIES):
        shutil.copytree(SITE / part, closed / part)
    closed.chmod(0o700)
    monkeypatch.syspath_prepend(str(closed))
    monkeypatch.setattr(bubblewrap, "COPIES", tmp_path / "cache")

    ran = [(await ground.sh("echo ran")).stdout for _ in range(2)]

    assert ran == [b"ran\n"] * 2
    assert machine.look().bubblewrap.path.is_relative_to(tmp_path / "cache")
    assert len(list((tmp_path / "cache").iterdir())) == 1


def test_a_copy_that_cannot_be_made_is_told_with_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(bubblewrap, "COPIES", tmp_path / "file")
    own = bubblewrap.Bubblewrap(Path(__file__), (0, 11, 0), bundled=True)

    with pytest.raises(Exception, match="cannot reach") as refused:
        bubblewrap._within_reach(own)

    assert "apt install bubblewrap" in getattr(refused.value, "hint", "")
