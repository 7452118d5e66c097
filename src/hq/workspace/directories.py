"""Directories of workspaces on the disk, and what is done there. Everything here blocks; verbs call it in a thread.

    <home>/workspaces/<company>/
        missions/<category>/<name>/        what the mission has: every merge ends up here
            .hq/mission.json, agent.json, log.jsonl
        sessions/<workspace>/<session>/    one working tree for each session
        sessions/<workspace>/.preview/     where it is opened; .preview-data/ is what the app keeps
        shared/{templates,configs,libraries}/
        connectors/<name>/                 what a connector's program keeps
        .hq-global/workspace-config.json, agent-sessions.jsonl, blobs/

The database says which snapshot a workspace holds. The directory under missions/ is a view of that, brought up to date
by `workspace.open`, and whatever an interrupted process left there is mended by the next one.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from uuid import UUID

from hq.errors import Refused
from hq.sandbox import METADATA, SHARED, SandboxJob, SandboxLimits, Shared, paths
from hq.sandbox.machine import ACCOUNT, hand_over, own
from hq.workspace import preview_tree
from hq.workspace.snapshots.blobs import Blobs
from hq.workspace.snapshots.capture import RESERVED, CapturedSnapshot, StatCache, take
from hq.workspace.snapshots.changes import FileChange, changes
from hq.workspace.snapshots.checkout import place
from hq.workspace.snapshots.entries import reachable
from hq.workspace.snapshots.merge import merge
from hq.workspace.types import Workspace

EMPTY = hashlib.sha256(b"[]").hexdigest()
"""The snapshot of a directory with nothing in it."""
GLOBAL = ".hq-global"


@dataclass(frozen=True)
class OpenedDirectory:
    """A mission's directory, brought up to date or left alone."""

    path: Path
    current: bool
    unsaved: Sequence[FileChange] = ()
    """What somebody changed there that no snapshot has; as long as there is any, nothing is overwritten."""


class Workspaces:
    """The workspaces of every company in this home."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @property
    def scratch(self) -> Path:
        return self.root / "scratch"

    def company(self, tenant: UUID) -> TenantDirectories:
        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        if os.geteuid() == 0:  # the account that programs run as passes through; nobody else does
            os.chown(self.root, 0, ACCOUNT)
            self.root.chmod(0o710)
        return TenantDirectories(self.root / str(tenant))


class TenantDirectories:
    """One company's workspaces."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @cached_property
    def blobs(self) -> Blobs:
        for name in ("shared/templates", "shared/configs", "shared/libraries", "missions", "sessions", GLOBAL):
            (self.root / name).mkdir(mode=0o755, parents=True, exist_ok=True)
        config = self.root / GLOBAL / "workspace-config.json"
        if not config.exists():
            _write(config, {"version": 1, "limits": SandboxLimits().__dict__, "layout": "missions/<category>/<name>"})
        blobs = Blobs(self.root / GLOBAL / "blobs")
        blobs.put(b"[]")
        return blobs

    def mission(self, workspace: Workspace) -> Path:
        return self.root.joinpath(*paths.parts(workspace.path))

    def tree(self, id: UUID, session: str) -> Path:
        return self.root.joinpath("sessions", str(id), *paths.parts(session))

    def shares_files(self) -> bool:
        """Whether there is anything that every program finds, in whatever workspace."""
        return any(not each.is_dir() for each in (self.root / "shared").rglob("*"))

    def connector(self, name: str) -> Path:
        """The one directory that a connector's program may write to, kept from one start to the next."""
        place = self.root / "connectors" / name
        place.mkdir(mode=0o755, parents=True, exist_ok=True)
        descriptor = paths.open_top(place)
        try:
            own(descriptor)
        finally:
            os.close(descriptor)
        return place

    def begin(self, id: UUID, session: str, snapshot: str) -> Path:
        """A session's working tree. One that is there is left as it is: a session goes on where it was."""
        tree = self.tree(id, session)
        with self._alone(id):
            if tree.is_dir():
                hand_over(tree)
                return tree
            tree.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
            fresh = tree.with_name(f".{tree.name}.new")
            paths.remove(fresh)
            fresh.mkdir(mode=0o755)
            hand_over(fresh)
            place(self.blobs, fresh, None, snapshot, own)
            fresh.rename(tree)  # there whole, or not at all
        return tree

    def save(self, id: UUID, session: str) -> CapturedSnapshot:
        """The snapshot of a session's tree as it is now."""
        tree = self.tree(id, session)
        with self._alone(id), self._kept():
            if not tree.is_dir():
                raise Refused.not_found(f"there is no working tree for {session}; `hq workspace begin` makes one")
            return take(tree, self.blobs, StatCache.load(self._memory(id, session)))

    def look(self, id: UUID, workspace: Workspace) -> CapturedSnapshot:
        """The snapshot of the mission's own directory as it is now."""
        with self._alone(id), self._kept():
            self.blobs.put(b"[]")
            self.mission(workspace).mkdir(mode=0o755, parents=True, exist_ok=True)
            return take(self.mission(workspace), self.blobs, StatCache.load(self._memory(id, "")))

    def placed(self, workspace: Workspace) -> str:
        """The snapshot that was last put into the mission's directory."""
        return _read(self.mission(workspace) / RESERVED / "placed") or EMPTY

    def open(self, id: UUID, workspace: Workspace, snapshot: str, metadata: Mapping[str, Any]) -> OpenedDirectory:
        """Bring the mission's directory to a snapshot, unless somebody has changed something in it."""
        directory, marks = self.mission(workspace), self.mission(workspace) / RESERVED
        now = self.look(id, workspace).snapshot
        with self._alone(id):
            marks.mkdir(mode=0o755, exist_ok=True)
            for name, content in metadata.items():
                _write(marks / f"{name}.json", content)
            (marks / "log.jsonl").touch()
            before = self.placed(workspace)
            interrupted = _read(marks / "placing")
            if interrupted:  # every file is as it was before or as it was meant to be: the merge of both is the aim
                now_meant = merge(self.blobs, before, interrupted, now, "session").snapshot
                place(self.blobs, directory, now, now_meant)
                before = now = now_meant
            both = merge(self.blobs, before, snapshot, now)
            if (
                both.conflicts or both.snapshot != snapshot
            ):  # something was done by hand that the snapshot does not have
                return OpenedDirectory(directory, False, changes(self.blobs, before, now, by_products=True))
            if now != snapshot:
                _write_text(marks / "placing", snapshot)
                place(self.blobs, directory, now, snapshot)
            _write_text(marks / "placed", snapshot)
            (marks / "placing").unlink(missing_ok=True)
        return OpenedDirectory(directory, True)

    def preview(self, id: UUID) -> Path:
        """Where what was made is opened (`preview_tree`)."""
        return self.root / "sessions" / str(id)

    def lay_preview(self, id: UUID, snapshot: str) -> None:
        with self._alone(id):
            preview_tree.lay(self.preview(id), self.blobs, snapshot)

    def drop(self, id: UUID, session: str) -> None:
        """Remove a session's tree."""
        with self._alone(id):
            paths.remove(self.tree(id, session))
            self._memory(id, session).unlink(missing_ok=True)

    def clear(self, id: UUID, workspace: Workspace) -> None:
        """Remove everything of a workspace but its snapshots."""
        with self._alone(id):
            paths.remove(self.mission(workspace))
            paths.remove(self.root / "sessions" / str(id))
            for memory in self._memory(id, "").parent.glob(f"{id}.*"):
                memory.unlink()

    def prune(self, wanted: Sequence[str]) -> tuple[int, int]:
        """Sweep away what no wanted snapshot refers to. How many, and how many bytes."""
        with self._kept(exclusive=True):
            found: set[str] = set()
            for snapshot in {*wanted, EMPTY}:
                reachable(self.blobs, snapshot, found)
            for memory in (self.root / GLOBAL).glob("*.seen"):
                memory.unlink()  # it may name what is about to go
            return self.blobs.sweep(found)

    def log(self, workspace: Workspace, entry: Mapping[str, Any]) -> None:
        """Add a line to the mission's log, which agents can read and not write."""
        marks = self.mission(workspace) / RESERVED
        marks.mkdir(mode=0o755, parents=True, exist_ok=True)
        _append(marks / "log.jsonl", entry)

    def note_session(self, entry: Mapping[str, Any]) -> None:
        _append(self.root / GLOBAL / "agent-sessions.jsonl", entry)

    def job(self, id: UUID, workspace: Workspace, session: str, argv: Sequence[str], **more: Any) -> SandboxJob:
        """A program to run in a session's tree, under the workspace's policy; `more` is what else a Job takes."""
        return SandboxJob(
            argv,
            writable=self.tree(id, session),
            shared=[
                Shared(self.root / "shared", SHARED),
                Shared(self.mission(workspace) / RESERVED, METADATA),
                *more.pop("shared", ()),
            ],
            network=(workspace.allowed_domains or "on") if workspace.network else "off",
            blocked=workspace.blocked_domains,
            limits=more.pop("limits", None) or limits_of(workspace),
            **more,
        )

    def _memory(self, id: UUID, session: str) -> Path:
        return self.root / GLOBAL / f"{id}.{session}.seen"

    @contextmanager
    def _alone(self, id: UUID) -> Iterator[None]:
        """One process at a time for one workspace."""
        self.blobs  # noqa: B018 (makes the directories)
        with _locked(self.root / GLOBAL / f"{id}.lock", fcntl.LOCK_EX):
            yield

    @contextmanager
    def _kept(self, *, exclusive: bool = False) -> Iterator[None]:
        """While snapshots are taken nothing is swept away."""
        self.blobs  # noqa: B018
        with _locked(self.root / GLOBAL / "blobs.lock", fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH):
            yield


def limits_of(workspace: Workspace) -> SandboxLimits:
    return SandboxLimits(
        processes=workspace.max_processes,
        memory_mb=workspace.max_memory_mb,
        disk_mb=workspace.max_disk_mb,
        runtime_seconds=workspace.max_runtime_minutes * 60,
    )


@contextmanager
def _locked(file: Path, how: int) -> Iterator[None]:
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, how)
        yield
    finally:
        os.close(descriptor)


def _read(file: Path) -> str:
    try:
        return file.read_text().strip()
    except FileNotFoundError:
        return ""


def _write(file: Path, content: Any) -> None:
    _write_text(file, json.dumps(content, indent=2, default=str) + "\n")


def _write_text(file: Path, text: str) -> None:
    fresh = file.with_name(f".{file.name}.{os.getpid()}")
    fresh.write_text(text)
    fresh.replace(file)


def _append(file: Path, entry: Mapping[str, Any]) -> None:
    with open(file, "a") as out:
        out.write(json.dumps(entry, default=str) + "\n")
