"""Snapshots of a directory: the same content has the same name, and every difference is found, merged and brought back."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hq.errors import Refused
from hq.sandbox import paths
from hq.workspace.snapshots.blobs import YOUNG, Blobs
from hq.workspace.snapshots.capture import DOUBT, StatCache, take
from hq.workspace.snapshots.changes import changes, patch
from hq.workspace.snapshots.checkout import place
from hq.workspace.snapshots.entries import reachable, walk
from hq.workspace.snapshots.merge import merge

Tree = dict[str, str]
NAMES = st.lists(st.sampled_from(["a", "b", "c", "dir", "deep"]), min_size=1, max_size=3).map("/".join)
TREES = st.dictionaries(NAMES, st.sampled_from(["", "one", "two", "three\nlines\nhere"]), max_size=6)


@pytest.fixture
def blobs(tmp_path: Path) -> Blobs:
    return Blobs(tmp_path / "blobs")


def write(top: Path, tree: Tree) -> Path:
    for path, content in tree.items():
        target = top / path
        if target.exists() or any(parent.is_file() for parent in target.parents):
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content)
    top.mkdir(parents=True, exist_ok=True)
    return top


def old(directory: Path) -> None:
    """As if nobody had touched it for a while; only then are a file's times believed."""
    time.sleep(DOUBT / 1e9 + 0.02)


def test_the_same_content_is_the_same_snapshot_wherever_it_lies(tmp_path: Path, blobs: Blobs) -> None:
    tree = {"a": "x", "b/c": "y"}

    one, two = take(write(tmp_path / "1", tree), blobs), take(write(tmp_path / "2", tree), blobs)

    assert one.snapshot == two.snapshot and one.files == 2


def test_what_kind_of_file_it_is_counts_and_what_is_no_file_is_left_out(tmp_path: Path, blobs: Blobs) -> None:
    top = write(tmp_path / "t", {"script": "#!/bin/sh"})
    before = take(top, blobs).snapshot
    (top / "script").chmod(0o755)
    os.mkfifo(top / "pipe")
    (top / "empty").mkdir()
    (top / "link").symlink_to("/etc/passwd")

    taken = take(top, blobs)

    assert [(each.path, each.what) for each in changes(blobs, before, taken.snapshot)] == [
        ("empty", "added"),
        ("link", "added"),
        ("script", "changed"),
    ]
    assert taken.skipped == ["pipe"]
    assert blobs.read(dict(walk(blobs, taken.snapshot))["link"].hash) == b"/etc/passwd"


def test_only_what_changed_is_read_again(tmp_path: Path, blobs: Blobs) -> None:
    top, memory = write(tmp_path / "t", {f"{n}": str(n) for n in range(20)}), tmp_path / "seen"
    old(top)
    assert take(top, blobs, StatCache.load(memory)).read == 20

    (top / "7").write_text("seven")

    taken = take(top, blobs, StatCache.load(memory))
    assert taken.read == 1 and taken.snapshot == take(top, blobs).snapshot


def test_a_change_that_hides_its_time_is_found(tmp_path: Path, blobs: Blobs) -> None:
    top, memory = write(tmp_path / "t", {"a": "one"}), tmp_path / "seen"
    old(top)
    before = take(top, blobs, StatCache.load(memory)).snapshot
    times = (top / "a").stat()
    (top / "a").write_text("two")
    os.utime(top / "a", ns=(times.st_atime_ns, times.st_mtime_ns))

    assert take(top, blobs, StatCache.load(memory)).snapshot != before


def test_a_file_that_was_just_written_is_not_believed(tmp_path: Path, blobs: Blobs) -> None:
    top, memory = write(tmp_path / "t", {"a": "one"}), tmp_path / "seen"
    take(top, blobs, StatCache.load(memory))

    assert take(top, blobs, StatCache.load(memory)).read == 1


def test_a_broken_memory_only_costs_time(tmp_path: Path, blobs: Blobs) -> None:
    top, memory = write(tmp_path / "t", {"a": "one"}), tmp_path / "seen"
    memory.write_text("{half")

    assert take(top, blobs, StatCache.load(memory)).files == 1


def test_our_own_directory_at_the_top_is_no_part_of_it(tmp_path: Path, blobs: Blobs) -> None:
    top = write(tmp_path / "t", {".hq/mission.json": "forged", "deep/.hq/x": "kept"})

    assert [path for path, entry in walk(blobs, take(top, blobs).snapshot) if entry.kind == "file"] == ["deep/.hq/x"]


def test_names_that_are_no_text_survive(tmp_path: Path, blobs: Blobs) -> None:
    top = write(tmp_path / "t", {})
    (Path(os.fsdecode(os.fsencode(top) + b"/\xff\n\x1b[31m"))).write_text("odd")
    there = write(tmp_path / "there", {})

    place(blobs, there, None, take(top, blobs).snapshot)

    assert os.listdir(os.fsencode(there)) == [b"\xff\n\x1b[31m"]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TREES, TREES)
def test_a_directory_comes_from_any_snapshot_to_any_other(tmp_path: Path, blobs: Blobs, one: Tree, two: Tree) -> None:
    place_in, first, second = (tmp_path / name for name in ("place", "first", "second"))
    for each in (place_in, first, second):
        paths.remove(each)
    before, after = take(write(first, one), blobs).snapshot, take(write(second, two), blobs).snapshot
    place_in.mkdir()
    place(blobs, place_in, None, before)

    place(blobs, place_in, before, after)

    assert take(place_in, blobs).snapshot == after


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TREES, TREES, TREES)
def test_a_merge_loses_nothing_that_only_one_side_did(
    tmp_path: Path, blobs: Blobs, base: Tree, mission: Tree, session: Tree
) -> None:
    def snap(tree: Tree) -> str:
        paths.remove(tmp_path / "t")
        return take(write(tmp_path / "t", tree), blobs).snapshot

    was, ours, theirs = snap(base), snap(mission), snap(session)

    merged = merge(blobs, was, ours, theirs)
    swapped = merge(blobs, was, theirs, ours)

    assert sorted(merged.conflicts) == sorted(swapped.conflicts)
    if not merged.conflicts:
        assert merged.snapshot == swapped.snapshot
        result = dict(walk(blobs, merged.snapshot))
        for side in (ours, theirs):
            for change in changes(blobs, was, side):
                if change.after is None or change.after.kind != "directory":
                    assert result.get(change.path) == change.after or change.after is None


def test_both_sides_at_different_files_merge_and_at_the_same_file_are_named(tmp_path: Path, blobs: Blobs) -> None:
    def snap(**tree: str) -> str:
        paths.remove(tmp_path / "t")
        return take(write(tmp_path / "t", {k.replace("_", "/"): v for k, v in tree.items()}), blobs).snapshot

    base = snap(d_a="1", d_b="1")

    fine = merge(blobs, base, snap(d_a="2", d_b="1"), snap(d_a="1", d_b="2"))
    clash = merge(blobs, base, snap(d_a="2", d_b="1"), snap(d_a="3", d_b="1"))
    removed = merge(blobs, base, snap(d_b="1"), snap(d_a="3", d_b="1"))

    assert fine.snapshot == snap(d_a="2", d_b="2") and not fine.conflicts
    assert clash.conflicts == removed.conflicts == ["d/a"]
    assert merge(blobs, base, snap(d_a="2"), snap(d_a="3", d_b="1"), "session").snapshot == snap(d_a="3")


def test_lines_that_differ_are_shown_and_what_is_no_text_is_not(tmp_path: Path, blobs: Blobs) -> None:
    top = write(tmp_path / "t", {"a": "one\ntwo\n", "b": "x"})
    before = take(top, blobs).snapshot
    (top / "a").write_text("one\n2\n")
    (top / "b").write_bytes(b"\0\xff")

    text, binary = changes(blobs, before, take(top, blobs).snapshot)

    assert patch(blobs, text)[-3:] == [" one", "-two", "+2"]
    assert patch(blobs, binary) == ["b: not text, or too large to show"]


def test_a_sweep_takes_what_nothing_refers_to_once_it_is_old(tmp_path: Path, blobs: Blobs) -> None:
    top = write(tmp_path / "t", {"a": "kept", "d/b": "kept too"})
    wanted = take(top, blobs).snapshot
    gone = blobs.put(b"gone")
    for file in blobs.root.glob("??/*"):
        os.utime(file, (0, time.time() - YOUNG - 1))
    young = blobs.put(b"under way")
    found: set[str] = set()
    reachable(blobs, wanted, found)

    assert blobs.sweep(found)[0] == 1

    assert not blobs.has(gone) and blobs.has(young) and len(list(walk(blobs, wanted))) == 3
    with pytest.raises(Refused, match="no longer kept"):
        blobs.read(gone)


def test_what_is_damaged_is_not_handed_out(blobs: Blobs) -> None:
    name = blobs.put(b"content")
    (blobs.root / name[:2] / name[2:]).write_bytes(b"contend")

    with pytest.raises(Exception, match="damaged"):
        blobs.read(name)


def test_a_large_file_is_kept_too(tmp_path: Path, blobs: Blobs) -> None:
    top = write(tmp_path / "t", {})
    (top / "large").write_bytes(os.urandom(1 << 20) * 3)
    there = write(tmp_path / "there", {})

    place(blobs, there, None, take(top, blobs).snapshot)

    assert (there / "large").read_bytes() == (top / "large").read_bytes()


def test_a_link_in_place_of_a_directory_is_not_followed(tmp_path: Path, blobs: Blobs) -> None:
    """Between two snapshots somebody puts a link where a directory was: nothing outside is touched."""
    top, outside = write(tmp_path / "t", {"d/a": "1"}), write(tmp_path / "outside", {"a": "theirs"})
    before = take(top, blobs).snapshot
    after = take(write(tmp_path / "u", {"d/a": "2"}), blobs).snapshot
    paths.remove(top / "d")
    (top / "d").symlink_to(outside)

    with pytest.raises(OSError):
        place(blobs, top, before, after)

    assert (outside / "a").read_text() == "theirs"


@pytest.mark.parametrize("path", ["/etc", "../x", "a/../b", "a/..", "x\0y", "/".join("d" * 200)])
def test_a_path_that_leads_elsewhere_is_refused(path: str) -> None:
    with pytest.raises(Refused):
        paths.parts(path)
