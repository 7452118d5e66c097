"""Files of a whole: what the mission that another is a part of has merged. Who works on the part reads them beside its own
tree, as they are now, and changes none of them.

Reading blocks; verbs call it in a thread.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

from hq import patterns
from hq.artifacts.search import matching
from hq.door.tx import Tx
from hq.errors import Refused
from hq.graph.records import Stored
from hq.sandbox import paths
from hq.workspace.files.tree import LONGEST_LINE, MOST, SEARCHED, FoundFile, FoundText, as_regex
from hq.workspace.snapshots.blobs import Blobs
from hq.workspace.snapshots.by_products import is_by_product
from hq.workspace.snapshots.entries import Entry, walk
from hq.workspace.snapshots.lookup import entry_at
from hq.workspace.types import Workspace
from hq.workspace.verbs.workspace_verbs import SQL, company, held


async def wholes_of(tx: Tx, workspace: Stored[Workspace]) -> list[WholeFiles]:
    """Those above the missions whose files a workspace holds, the nearest first."""
    above = await tx.scalars(SQL["wholes"], {"workspace": workspace.id}, of=UUID)
    return [WholeFiles(await tx.get(each, Workspace), company(tx).blobs) for each in above]


@dataclass(frozen=True)
class WholeFiles:
    workspace: Stored[Workspace]
    blobs: Blobs

    @property
    def mark(self) -> str:
        return f"workspace:{self.workspace.slug}"

    def read(self, path: str) -> bytes | None:
        """Nothing where there is no such file."""
        entry = entry_at(self.blobs, held(self.workspace), paths.parts(path))
        if entry is None or entry.kind not in ("file", "program"):
            return None
        if entry.size > MOST:
            raise Refused(f"{path} is larger than {MOST // 2**20} MB", code="too_large")
        return self.blobs.read(entry.hash)

    def glob(self, pattern: str, most: int) -> tuple[list[FoundFile], bool]:
        found: list[FoundFile] = []
        for path, entry in self._files(pattern):
            if len(found) == most:
                return found, True
            found.append({"path": path, "size": entry.size, "workspace": self.workspace.slug})
        return found, False

    def grep(self, pattern: str, glob: str, *, ignore_case: bool, most: int) -> tuple[list[FoundText], bool]:
        wanted, hits = patterns.compiled(pattern, ignore_case=ignore_case), list[FoundText]()
        for path, entry in self._files(glob):
            content = self.blobs.read(entry.hash) if entry.size <= SEARCHED else b"\0"
            if b"\0" in content[:8192]:
                continue
            for line, text in matching(wanted, content.decode("utf-8", "replace")):
                if len(hits) == most:
                    return hits, True
                shown = text[:LONGEST_LINE]
                hits.append({"path": path, "line": line, "text": shown, "workspace": self.workspace.slug})
        return hits, False

    def _files(self, glob: str) -> Iterator[tuple[str, Entry]]:
        wanted = patterns.compiled(as_regex(glob), ignore_case=False)
        for path, entry in walk(self.blobs, held(self.workspace), without=is_by_product):
            if entry.kind in ("file", "program") and path.isprintable() and wanted.fullmatch(path):
                yield path, entry
