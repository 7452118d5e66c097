"""Merge three snapshots: what both came from, and what each became. Where both changed the same file, somebody must say."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from hq.workspace.snapshots.blobs import Blobs
from hq.workspace.snapshots.entries import Entries, Entry, below, get_entries, put_entries

Side = Literal["mission", "session"]


@dataclass
class Merged:
    snapshot: str = ""
    conflicts: list[str] = field(default_factory=list)
    """Paths that both sides changed, each in its own way."""


def merge(blobs: Blobs, base: str, mission: str, session: str, prefer: Side | None = None) -> Merged:
    merged = Merged()
    if base == mission or mission == session:
        merged.snapshot = session
    elif base == session:
        merged.snapshot = mission
    else:
        trees = [get_entries(blobs, each) for each in (base, mission, session)]
        merged.snapshot = put_entries(blobs, _merged(blobs, *trees, "", prefer, merged.conflicts)).hash
        blobs.settle()
    return merged


def _merged(
    blobs: Blobs, base: Entries, mission: Entries, session: Entries, path: str, prefer: Side | None, conflicts: list[str]
) -> Entries:
    result: dict[str, Entry] = {}
    for name in {*mission, *session}:
        was, ours, theirs = base.get(name), mission.get(name), session.get(name)
        if ours == theirs or theirs == was:
            chosen = ours
        elif ours == was:
            chosen = theirs
        elif _directories(ours, theirs):
            inside = [below(blobs, each) for each in (was, ours, theirs)]
            chosen = put_entries(blobs, _merged(blobs, *inside, f"{path}{name}/", prefer, conflicts))
        else:
            if prefer is None:
                conflicts.append(path + name)
            chosen = theirs if prefer == "session" else ours
        if chosen:
            result[name] = chosen
    return result


def _directories(*entries: Entry | None) -> bool:
    return all(entry is not None and entry.kind == "directory" for entry in entries)
