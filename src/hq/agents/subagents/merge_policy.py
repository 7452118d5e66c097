"""Unreviewed merges are refused: the agent of a project merges nothing that nobody looked at."""

from __future__ import annotations

from typing import Any

from hq.agents.subagents.verbs import SQL
from hq.door.tx import Tx
from hq.door.verb import Verb
from hq.errors import Refused
from hq.workspace.directories import EMPTY
from hq.workspace.types import Workspace
from hq.workspace.verbs.tree_verbs import session_of

MERGES, GOES_BACK = "workspace.merge", "workspace.revert"
"""What puts changes where they count. Whatever else does, such as a run of a coding program, makes one of these calls."""


class UnreviewedMergePolicy:
    """Refuses by the evidence, which are the reviews that the session asked for; who may merge at all the verb says."""

    async def judge(self, tx: Tx, verb: Verb, args: Any) -> str | None:
        if verb.name not in (MERGES, GOES_BACK) or not tx.caller.project:
            return None
        workspace = await tx.look_up(args.ref, Workspace)
        if workspace is None:
            return None  # the verb says so better
        if verb.name == GOES_BACK:
            values = {"workspace": workspace.id, "snapshot": args.snapshot, "empty": EMPTY}
            seen = await tx.the_scalar(SQL["held_before"], values, of=bool)
        else:
            values = {"workspace": workspace.id, "tree": session_of(tx, args), "session": tx.call.session_id}
            seen = await tx.scalar(SQL["reviewed"], values, of=bool)
        if not seen:
            raise Refused(
                f"nothing is merged into {workspace.slug} that code-reviewer has not read as it is",
                code="cross_scope_violation",
                hint="`workspace save`, then `subagent run code-reviewer` with the workspace and the name of the tree: "
                "it reads `workspace diff` of that tree with `patch`; then `workspace merge`",
            )
        return None
