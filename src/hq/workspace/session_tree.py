"""The session's working tree, which its tools work in: its own, and nobody else's."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from hq.door.access import Touch
from hq.door.tx import Tx
from hq.door.verb import Args, Ref
from hq.errors import Refused
from hq.graph.records import Stored
from hq.workspace.files.tree import FileTree
from hq.workspace.types import Workspace
from hq.workspace.verbs.rows import SessionTreeRow
from hq.workspace.verbs.workspace_verbs import NAME, SQL, company, usable

OWN_TREE = Touch("session", "session_tree", within="workspace", ceo="own", operator="own", optional=True)
IN_WORKSPACE = Touch("workspace", "tree", agent="mission", ceo="mission", project="own", optional=True)
"""Left out, the workspace is that of the tree, and `OWN_TREE` says whose that is."""


NO_TREE = (
    "`hq mission read_file <mission> <path>` reads what was merged there. Where the mission is yours, `hq workspace begin <workspace>` "
    "makes a tree for this session; `hq workspace list --mission <mission>` has its name"
)


class InTree(Args):
    """In which working tree."""

    workspace: Ref | None = None
    """The workspace; left out, the one in which this session has its tree."""
    session: str | None = Field(None, pattern=NAME)
    """Whose tree; left out, that of the session in which the call is made."""


@dataclass(frozen=True)
class WorkingTree:
    workspace: Stored[Workspace]
    session: str
    path: Path

    @property
    def tree(self) -> FileTree:
        return FileTree(self.path)

    @property
    def mark(self) -> str:
        """Programs and strangers' code write there: what is read from it is marked."""
        return f"workspace:{self.workspace.slug}"


async def place_of(tx: Tx, args: InTree) -> WorkingTree:
    """The tree that is meant."""
    own = str(tx.call.session_id) if tx.call.session_id else None
    session = args.session or own
    if session is None:
        raise Refused.invalid("session: say whose working tree; `hq workspace trees` lists them")
    found = await tx.rows(SQL["trees_of_session"], {"session": session}, into=SessionTreeRow)
    if args.workspace:
        workspace = await usable(tx, args.workspace)
    elif len(found) == 1:
        workspace = await usable(tx, str(found[0].workspace_id))
    else:
        raise Refused.not_found(
            f"{session} has {'several working trees' if found else 'no working tree'}",
            hint="`hq workspace drop <workspace>` gives one of them up" if found else NO_TREE,
        )
    if not any(each.workspace_id == workspace.id for each in found):
        raise Refused.not_found(f"{workspace.slug} has no working tree for {session!r}", hint=NO_TREE)
    return WorkingTree(workspace, session, company(tx).tree(workspace.id, session))
