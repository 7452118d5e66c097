"""Snapshots of a large tree: the first, one when nothing changed, one when a file did, and a session's own tree made of it."""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.measure import median, spending
from bench.report import Result, at_most
from hq.workspace.snapshots.blobs import Blobs
from hq.workspace.snapshots.capture import DOUBT, StatCache, take
from hq.workspace.snapshots.changes import changes
from hq.workspace.snapshots.checkout import place

FILES_EACH = 100
TEXT = "def answer() -> int:\n    return {0}\n" * 40
TIMES = 5


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--files", type=int, default=10_000, help="how many files (default: 10000)")


def run(options: argparse.Namespace) -> list[Result]:
    with tempfile.TemporaryDirectory(prefix="hqbench-") as place_:
        top = Path(place_)
        tree = _grown(top / "tree", options.files)
        time.sleep(DOUBT / 1e9 * 2)  # only then are a file's times believed
        return _measure(top, tree)


def _measure(top: Path, tree: Path) -> list[Result]:
    blobs, memory = Blobs(top / "blobs"), top / "seen"

    def snapshot() -> str:
        return take(tree, blobs, StatCache.load(memory)).snapshot

    copying = _wall(lambda: shutil.copytree(tree, top / "copy"))
    looking = median([_wall(lambda: _looked_at(tree)) for _ in range(TIMES)])
    first = _wall(snapshot)
    same = median([_wall(snapshot) for _ in range(TIMES)])
    before = snapshot()
    edits = []
    for turn in range(TIMES):
        (tree / "0" / "0.py").write_text(str(turn))
        edits.append(_wall(snapshot))
    after = snapshot()
    (top / "session").mkdir()
    placing = _wall(lambda: place(blobs, top / "session", None, before))
    back = _wall(lambda: place(blobs, top / "session", before, after))
    copied = {"unit": "ms", "raw": copying, "against": "copying the tree"}
    looked = {"unit": "ms", "raw": looking, "against": "looking at every file once"}
    return [
        Result(what="the first snapshot", value=first, **copied),
        at_most(500, what="a snapshot when nothing changed", value=same, **looked),
        at_most(500, what="a snapshot when one file changed", value=median(edits), **looked),
        Result(what="a session's own tree", value=placing, **copied),
        Result(what="undoing one file", value=back, unit="ms"),
        Result(what="what changed between two", value=_wall(lambda: changes(blobs, before, after)), unit="ms"),
    ]


def _grown(tree: Path, files: int) -> Path:
    for number in range(files):
        directory = tree / str(number // FILES_EACH)
        directory.mkdir(parents=True, exist_ok=True)
        (directory / f"{number % FILES_EACH}.py").write_text(TEXT.format(number))
    return tree


def _looked_at(tree: Path) -> int:
    return sum(os.lstat(os.path.join(top, name)).st_size for top, _, names in os.walk(tree) for name in names)


def _wall(work: Callable[[], Any]) -> float:
    with spending() as spent:
        work()
    return spent.wall * 1000
