"""Owners of workspaces: who takes part in the mission whose files they hold, else who made them."""

from __future__ import annotations

from dataclasses import replace

from hq.door.access import Owner
from hq.door.tx import Tx
from hq.graph.records import Stored
from hq.workspace.lineage import kept_from
from hq.workspace.project_directory import project_directory
from hq.workspace.types import Workspace
from hq.workspace.verbs.rows import SessionTreeRow, WorkspacePartyRow
from hq.workspace.verbs.workspace_verbs import SQL, locked


async def owner_of_workspace(tx: Tx, ref: str) -> Owner | None:
    """For what lasts: a merge counts for everybody who works there."""
    workspace = await _workspace(tx, ref)
    if workspace is None:
        return None
    if tx.caller.project:
        mine = workspace.slug == project_directory(tx.caller.project)
        return Owner(
            workspace.slug,
            frozenset(filter(None, (tx.caller.agent,))) if mine else frozenset(),
            why=f"{workspace.slug} is not the workspace of this project",
        )
    values = {"workspace": workspace.id, "agent": tx.caller.agent, "session": tx.call.session_id}
    row = await tx.the_one(SQL["works_in"], values, into=WorkspacePartyRow)
    name = f"the mission {row.mission}" if row.mission else row.maker or "the founder"
    made = frozenset((row.maker,)) if row.maker and not row.mission else frozenset[str]()
    return Owner(name, made, mission=row.party or row.sent)


async def owner_of_kept_files(tx: Tx, ref: str) -> Owner | None:
    """For what is brought there past any working tree: what was handed in people change, and the CEO takes back."""
    owner, workspace = await owner_of_workspace(tx, ref), await _workspace(tx, ref)
    last = (
        await kept_from(tx, await locked(tx, workspace)) if workspace else None
    )  # it may be handed in this very moment
    if owner is None or last is None or tx.caller.role == "ceo":
        return owner
    why = f"what {last.slug} brought stays as it was handed in; `hq mission change` goes on with it"
    return Owner(owner.name, why=why, ask="ceo")


async def owner_of_tree(tx: Tx, ref: str) -> Owner | None:
    """For a copy to work on: in files of no mission everybody may have one."""
    owner = await owner_of_workspace(tx, ref)
    return replace(owner, shared=not owner.name.startswith("the mission ")) if owner else None


async def owner_of_opened_tree(tx: Tx, session: str, ref: str) -> Owner | None:
    """Two agents never share a tree: each works on its own session's, or on one that it opened itself."""
    if session == str(tx.call.session_id):
        return _mine(tx)
    workspace = await _workspace(tx, ref)
    rows = await tx.rows(SQL["trees_of_session"], {"session": session}, into=SessionTreeRow)
    return _opened(session, [row.opened_by for row in rows if workspace and row.workspace_id == workspace.id])


async def owner_of_session_tree(tx: Tx, session: str, ref: str | None) -> Owner | None:
    """Within a session only its own tree is; outside of any, one that was opened by who calls."""
    own = tx.call.session_id
    if session == str(own):
        return _mine(tx)
    if own is not None:
        return Owner(session, why=f"{session} is another session's working tree; yours is {own}")
    if ref is not None:
        return await owner_of_opened_tree(tx, session, ref)
    rows = await tx.rows(SQL["trees_of_session"], {"session": session}, into=SessionTreeRow)
    return _opened(session, [row.opened_by for row in rows])


def _mine(tx: Tx) -> Owner:
    return Owner(tx.caller.actor, actors=frozenset((tx.caller.speaks_as,)))


def _opened(session: str, by: list[str]) -> Owner | None:
    """Where there is none yet, the verb says what becomes of that."""
    if not by:
        return None
    names = frozenset(each.partition("/")[0] for each in by)
    why = f"the working tree of {session} is {', '.join(sorted(names))}'s; leave --session away for your own"
    return Owner(session, actors=names if len(names) == 1 else frozenset(), why=why)


async def _workspace(tx: Tx, ref: str) -> Stored[Workspace] | None:
    return await tx.look_up(ref.rstrip("/").rpartition("/")[2], Workspace)
