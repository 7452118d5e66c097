"""Output of a mission: the files it is worked on in; of a whole that has none of its own, a directory for each of its parts."""

from __future__ import annotations

from dataclasses import dataclass, field

from hq.door.tx import Tx
from hq.graph.records import Stored
from hq.graph.view import EdgeFilter, NodeFilter
from hq.missions.types import Mission
from hq.missions.work_start import workspace_of
from hq.workspace.directories import EMPTY
from hq.workspace.lineage import accepted, missions_of
from hq.workspace.snapshots.blobs import Blobs
from hq.workspace.snapshots.entries import Entry, get_entries, put_entries
from hq.workspace.snapshots.threads import in_thread
from hq.workspace.types import Workspace
from hq.workspace.verbs.workspace_verbs import company, held

DEEPEST, MOST = 8, 100
"""Parts of parts that are gone into, and parts of each."""


@dataclass(frozen=True)
class MissionFiles:
    """A mission with the files it brought, or is worked on in."""

    mission: Stored[Mission]
    workspace: Stored[Workspace] | None
    """Its own files; nothing of a whole that has only what its parts made."""
    snapshot: str
    """What it holds; of one that is done, what was accepted last."""
    before: str = EMPTY
    """What it began with."""
    after: str = EMPTY
    """What it has handed in; before that, what it holds."""
    start: str | None = None
    """How whoever built it said that it is started; of what goes on with it, the latest word."""
    parts: list[MissionFiles] = field(default_factory=list)
    """Parts with files, where it has none of its own."""

    @property
    def is_there(self) -> bool:
        """Whether anything was merged yet."""
        return self.workspace is None or self.workspace.props.snapshot is not None

    @property
    def alone(self) -> MissionFiles:
        """The one that made it all, where it was a single part."""
        return self.parts[0].alone if len(self.parts) == 1 else self

    @property
    def workspaces(self) -> list[Stored[Workspace]]:
        below = [space for part in self.parts for space in part.workspaces]
        return [self.workspace, *below] if self.workspace else below


async def output_of(tx: Tx, mission: Stored[Mission], depth: int = 0) -> MissionFiles | None:
    """Its own files, if there are any; else what its parts made; nothing where there is neither."""
    workspace = await workspace_of(tx, mission)
    if workspace is not None and workspace.props.snapshot is not None:
        return await _own(tx, mission, workspace)
    found = [await output_of(tx, part, depth + 1) for part in await _parts(tx, mission)] if depth < DEEPEST else []
    if parts := [each for each in found if each is not None and each.snapshot != EMPTY]:
        return await in_thread(_together, company(tx).blobs, mission, parts)
    return await _own(tx, mission, workspace) if workspace is not None else None


async def _own(tx: Tx, mission: Stored[Mission], workspace: Stored[Workspace]) -> MissionFiles:
    line, props = await missions_of(tx, workspace), mission.props
    said = [each.props.start_with for each in line if each.props.start_with]
    last = accepted(line) if mission.status == "done" else None
    snapshot = last.props.brought if last else held(workspace)
    before, after = props.began_with or EMPTY, props.brought or snapshot
    return MissionFiles(mission, workspace, snapshot, before, after, said[-1] if said else None)


async def _parts(tx: Tx, mission: Stored[Mission]) -> list[Stored[Mission]]:
    related = [EdgeFilter("parent_mission", mission.id)]
    found = await tx.find(NodeFilter(types=[Mission.type], related=related, limit=MOST))
    return sorted(found, key=lambda each: (each.created_at, each.id))


def _together(blobs: Blobs, mission: Stored[Mission], parts: list[MissionFiles]) -> MissionFiles:
    """A listing is kept by its hash, so the same parts are always the same tree."""

    def tree(held: dict[str, str]) -> str:
        entries = {name: _directory(blobs, hash_) for name, hash_ in held.items() if hash_ != EMPTY}
        return put_entries(blobs, entries).hash

    return MissionFiles(
        mission,
        None,
        tree({each.mission.slug: each.snapshot for each in parts}),
        tree({each.mission.slug: each.before for each in parts}),
        tree({each.mission.slug: each.after for each in parts}),
        parts=parts,
    )


def _directory(blobs: Blobs, hash_: str) -> Entry:
    return Entry("directory", hash_, sum(entry.size for entry in get_entries(blobs, hash_).values()))
