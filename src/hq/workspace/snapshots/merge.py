"""Merge of three snapshots: what both came from, and what each became. Where both changed the same file, somebody must
say."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from hq.workspace.snapshots.blobs import Blobs
from hq.workspace.snapshots.entries import Entries, Entry, TreeReader, put_entries

Side = Literal["mission", "session"]


@dataclass
class Merged:
    snapshot: str = ""
    conflicts: list[str] = field(default_factory=list)
    """Paths that both sides changed, each in its own way."""


class MergeInput(NamedTuple):
    """The same directory in each of the three."""

    base: Entries
    mission: Entries
    session: Entries


def merge(blobs: Blobs, base: str, mission: str, session: str, prefer: Side | None = None) -> Merged:
    merged = Merged()
    if mission in (base, session):
        merged.snapshot = session
    elif base == session:
        merged.snapshot = mission
    else:
        reader = TreeReader(blobs)
        trees = MergeInput(*(reader.entries(each) for each in (base, mission, session)))
        merged.snapshot = _merged(reader, trees, "", 1, prefer, merged.conflicts).hash
        blobs.settle()
    return merged


def _merged(
    reader: TreeReader, trees: MergeInput, path: str, depth: int, prefer: Side | None, conflicts: list[str]
) -> Entry:
    result: dict[str, Entry] = {}
    for name in {*trees.mission, *trees.session}:
        was, ours, theirs = (tree.get(name) for tree in trees)
        if theirs in (ours, was):
            chosen = ours
        elif ours == was:
            chosen = theirs
        elif ours and theirs and ours.kind == theirs.kind == "directory":
            inside = MergeInput(*(reader.below(each, depth) for each in (was, ours, theirs)))
            chosen = _merged(reader, inside, f"{path}{name}/", depth + 1, prefer, conflicts)
        else:
            if prefer is None:
                conflicts.append(path + name)
            chosen = theirs if prefer == "session" else ours
        if chosen:
            result[name] = chosen
    return put_entries(reader.blobs, result)
