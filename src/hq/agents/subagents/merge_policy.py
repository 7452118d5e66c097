"""Unreviewed merges are refused: the agent of a project merges nothing that nobody looked at."""

from __future__ import annotations

from typing import Any

from hq.agents.subagents.verbs import SQL
from hq.door.tx import Tx
from hq.door.verb import Verb
from hq.errors import Refused

LASTING = ("workspace.merge", "code.execute")
"""What puts changes where they count."""


class UnreviewedMergePolicy:
    """Refuses by the evidence, which are the reviews that the session asked for; who may merge at all the verb says."""

    async def judge(self, tx: Tx, verb: Verb, args: Any) -> str | None:
        if verb.name not in LASTING or not tx.caller.project or not getattr(args, "merge", True):
            return None
        reviewed = await tx.scalar(SQL["reviewed"], {"session": tx.call.session_id}, of=bool)
        if not reviewed:
            raise Refused(
                "nothing is merged that nobody looked at",
                code="cross_scope_violation",
                hint="`subagent run code-reviewer` first",
            )
        return None
