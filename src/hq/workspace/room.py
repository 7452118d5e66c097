"""The front of the room `workspace`: what it brings."""

from __future__ import annotations

from hq.room import Room
from hq.workspace import container, program_run, types
from hq.workspace.directories import Workspaces
from hq.workspace.files import verbs as file_verbs
from hq.workspace.owners import (
    owner_of_kept_files,
    owner_of_opened_tree,
    owner_of_session_tree,
    owner_of_tree,
    owner_of_workspace,
)
from hq.workspace.verbs import diff_verbs, merge_verbs, sandbox_verbs, snapshot_verbs, tree_verbs, workspace_verbs

ROOM = Room(
    name="workspace",
    types=types.NODES,
    edges=types.EDGES,
    verbs=(
        *sandbox_verbs.VERBS,
        *workspace_verbs.VERBS,
        *tree_verbs.VERBS,
        *merge_verbs.VERBS,
        *diff_verbs.VERBS,
        *snapshot_verbs.VERBS,
        *file_verbs.VERBS,
        *container.VERBS,
        *program_run.VERBS,
    ),
    nouns={
        "container": "Commands in the sandbox, on a session's working tree.",
        "file": "Files of a session's working tree: read, write, edit, search.",
        "sandbox": "Where programs run, kept apart: try every limit of it on this machine.",
    },
    owners={
        "workspace": owner_of_workspace,
        "kept_files": owner_of_kept_files,
        "tree": owner_of_tree,
        "opened_tree": owner_of_opened_tree,
        "session_tree": owner_of_session_tree,
    },
    policies=(container.ContainerPolicy,),
    services=(lambda wiring: Workspaces(wiring.workspaces),),
    tables=("workspace_trees", "clean_content"),
)
