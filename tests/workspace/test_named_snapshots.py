"""Snapshots by name: a workspace goes to and compares what it has held itself. A hash opens nothing of others, and no file is a snapshot."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from hq.errors import Refused
from hq.workspace.snapshots import entries
from hq.workspace.snapshots.blobs import Blobs
from hq.workspace.snapshots.changes import changes
from hq.workspace.snapshots.checkout import place
from hq.workspace.snapshots.entries import get_entries, walk

EMPTY = hashlib.sha256(b"[]").hexdigest()


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def listing(*entries: list[object]) -> str:
    """As directories are kept."""
    return json.dumps(list(entries), separators=(",", ":"))


@pytest.fixture
async def mona(hq) -> str:
    """Her token; she has a workspace of her own."""
    token = await hq.hired("mona")
    await hq.do("workspace.create", name="mona-own", _token=token)
    await hq.do("workspace.begin", ref="mona-own", session="x", _token=token)
    return token


async def kept(hq, token: str, *contents: str) -> str:
    """Files with these contents are saved in her workspace; the hash of the last one."""
    for number, content in enumerate(contents):
        path = f"{number}.txt"
        await hq.do("file.write", workspace="mona-own", session="x", path=path, content=content, _token=token)
    await hq.do("workspace.save", ref="mona-own", session="x", _token=token)
    return sha(contents[-1])


async def refused_as_unknown(hq, token: str, snapshot: str) -> None:
    """By whatever verb, in the words that are said of what nobody keeps."""
    for verb, args in (
        ("workspace.revert", {"snapshot": snapshot}),
        ("workspace.diff", {"before": snapshot, "patch": True}),
        ("workspace.diff", {"after": snapshot}),
    ):
        outcome = await hq.call(verb, ref="mona-own", **args, _token=token)
        assert outcome.error["code"] == "not_found"
        assert outcome.error["message"] == f"mona-own has no snapshot {snapshot[:12]}"


async def test_a_snapshot_that_nobody_keeps_is_refused(hq, mona):
    await refused_as_unknown(hq, mona, sha("nothing"))


@pytest.mark.parametrize("way", ["absolute", "upwards", "directory"])
async def test_a_file_that_looks_like_a_directory_writes_nothing_outside(hq, mona, tmp_path, way):
    outside = tmp_path / "outside"
    outside.mkdir(mode=0o777)
    payload = "# written by mona\n"
    file = ["mine", "file", sha(payload), len(payload)]
    inner = listing(file)
    top = {
        "absolute": listing([str(outside / "mine"), *file[1:]]),
        "upwards": listing(["../" * 30 + str(outside / "mine").lstrip("/"), *file[1:]]),
        "directory": listing([str(outside), "directory", sha(inner), len(payload)]),
    }[way]
    snapshot = await kept(hq, mona, payload, inner, top)

    await refused_as_unknown(hq, mona, snapshot)
    await hq.call("workspace.begin", ref="mona-own", session="y", _token=mona)

    assert list(outside.iterdir()) == []


async def test_a_file_of_text_is_no_snapshot(hq, mona):
    await refused_as_unknown(hq, mona, await kept(hq, mona, "just a text\n"))


async def test_what_another_workspace_holds_is_not_there(hq, mona):
    secret = "SECRET plan of sven, salary 4711"
    await hq.do("workspace.create", name="svens")
    tree = Path((await hq.do("workspace.begin", ref="svens", session="s"))["path"])
    (tree / "plan.txt").write_text(secret)
    for verb in ("save", "merge"):
        await hq.do(f"workspace.{verb}", ref="svens", session="s")
    snapshot = (await hq.do("workspace.show", ref="svens"))["props"]["snapshot"]

    await refused_as_unknown(hq, mona, snapshot)
    await hq.do("workspace.begin", ref="mona-own", session="z", _token=mona)
    read = await hq.call("file.read", workspace="mona-own", session="z", path="plan.txt", _token=mona)

    assert not read.ok


async def test_a_crafted_tree_of_two_to_the_fortieth_is_not_gone_through(hq, mona):
    contents = ["[]"]
    for _ in range(40):
        contents.append(listing(*([name, "directory", sha(contents[-1]), 0] for name in "ab")))

    await refused_as_unknown(hq, mona, await kept(hq, mona, *contents))


async def test_what_it_has_held_and_its_sessions_saved_is_its_own(hq, mona):
    await kept(hq, mona, "first")
    await hq.do("workspace.merge", ref="mona-own", session="x")
    first = (await hq.do("workspace.show", ref="mona-own"))["props"]["snapshot"]
    saved = []
    for text in ("second", "third"):
        await kept(hq, mona, text)
        saved.append((await hq.do("workspace.save", ref="mona-own", session="x", _token=mona))["snapshot"])
    second = saved[0]

    between = await hq.do("workspace.diff", ref="mona-own", before=first, after=second, patch=True, _token=mona)
    await hq.do("workspace.revert", ref="mona-own", snapshot=EMPTY, _token=mona)
    back = await hq.do("workspace.revert", ref="mona-own", snapshot=first, _token=mona)

    assert between["items"][0]["patch"][-2:] == ["-first", "+second"] and back["snapshot"] == first


async def test_what_was_taken_over_by_hand_is_its_own(hq, mona):
    top = Path((await hq.do("workspace.open", ref="mona-own"))["path"])
    (top / "by-hand").write_text("x")

    taken = await hq.do("workspace.take", ref="mona-own")

    assert (await hq.do("workspace.show", ref="mona-own"))["props"]["snapshot"] == taken["snapshot"]


async def test_what_a_file_of_another_workspace_held_is_not_brought_back_by_its_hash(hq, mona):
    secret = "SECRET plan of sven, salary 4711"
    await hq.do("workspace.create", name="svens")
    await hq.do("workspace.begin", ref="svens", session="s")
    for text in (secret, "nothing to see"):
        await hq.do("file.write", workspace="svens", session="s", path="plan.txt", content=text)
    mine = {"workspace": "mona-own", "session": "x", "path": "a.txt", "_token": mona}
    await hq.do("file.write", content="mine", **mine)

    outcome = await hq.call("file.restore", expect=sha("mine"), before=sha(secret), **mine)

    assert outcome.error["code"] == "not_found"
    assert (await hq.do("file.read", **mine))["text"] == "mine"


# ---- by construction, whoever asks


@pytest.fixture
def blobs(tmp_path: Path) -> Blobs:
    return Blobs(tmp_path / "blobs")


FILE = ["file", EMPTY, 2]


@pytest.mark.parametrize(
    "content",
    [
        "just a text",
        "{}",
        "[",
        "[" * 100_000,
        "[1]",
        "null",
        listing(["a", "file"]),
        listing(["a", "socket", EMPTY, 2]),
        listing(["a", "file", "no hash", 2]),
        listing(["a", "file", EMPTY + "\n", 2]),
        listing(["a", "file", EMPTY, -1]),
        listing(["a", "file", EMPTY, True]),
        listing(["b", *FILE], ["a", *FILE]),
        listing(["a", *FILE], ["a", *FILE]),
        '[["a", "file", "' + EMPTY + '", 2]]',
        *(listing([name, *FILE]) for name in ("", ".", "..", "a/b", "/etc", "../x", "a\0b", "x" * 256, "\ud800")),
    ],
    ids=lambda content: content[:20],
)
def test_what_we_did_not_write_down_is_no_directory(blobs, content):
    hash_ = blobs.put(content.encode())

    with pytest.raises(Refused, match="is no snapshot") as refused:
        get_entries(blobs, hash_)

    assert refused.value.code.name == "not_found"


@pytest.mark.parametrize("name", ["/etc/x", "..", "a/b"])
def test_a_checkout_follows_no_name_that_leads_elsewhere(blobs, tmp_path, monkeypatch, name):
    """Even where such a list were believed."""
    hash_ = blobs.put(listing([name, *FILE]).encode())
    (there := tmp_path / "there").mkdir()
    monkeypatch.setattr(entries, "get_entries", lambda *_: {name: entries.Entry("file", EMPTY, 2)})

    with pytest.raises(Exception, match="no name of a file"):
        place(blobs, there, None, hash_)

    assert list(there.iterdir()) == []


def test_our_own_directory_is_not_written_by_a_checkout(blobs, tmp_path):
    hash_ = blobs.put(listing([".hq", "directory", blobs.put(b"[]"), 0]).encode())
    (there := tmp_path / "there").mkdir()

    with pytest.raises(Exception, match="no part of any"):
        place(blobs, there, None, hash_)


def test_a_tree_that_grows_with_each_level_is_given_up(blobs, monkeypatch):
    monkeypatch.setattr(entries, "MOST", 10_000)
    one, other = blobs.put(b"[]"), blobs.put(listing(["f", *FILE]).encode())
    for _ in range(40):
        one, other = (
            blobs.put(listing(*([name, "directory", hash_, 0] for name in "ab")).encode()) for hash_ in (one, other)
        )

    for work in (
        lambda: changes(blobs, EMPTY, one),
        lambda: changes(blobs, one, other),
        lambda: list(walk(blobs, one)),
    ):
        with pytest.raises(Refused, match="more than") as refused:
            work()
        assert refused.value.code.name == "too_large"
    assert changes(blobs, one, one) == []


def test_a_tree_that_is_too_deep_is_given_up(blobs):
    top = EMPTY
    for _ in range(500):
        top = blobs.put(listing(["a", "directory", top, 0]).encode())
    blobs.put(b"[]")

    with pytest.raises(Refused, match="deep"):
        list(walk(blobs, top))
