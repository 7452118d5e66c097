"""The scope of a project's agent: it may change what is that project's. The door holds it to that, whatever it was
told."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from hq.agents.subagents.verbs import SQL
from hq.door.tx import Tx
from hq.door.verb import Verb
from hq.errors import Refused
from hq.graph.view import EdgeFilter, NodeFilter

SPEAKS = frozenset(
    [
        "agent.send", "agent.ask", "agent.reply", "proposal.propose", "escalation.raise", "memory.add", "event.create",
        "document.create", "memo.create", "subagent.run", "worker.wait",
    ]
)  # fmt: skip
"""What says something or asks somebody, and belongs to nobody else."""
PARTS = {"task": "has_task", "feature": "has_feature"}
PLACES = ("workspace", "code", "file", "container")
LASTING = ("workspace.merge", "code.execute")
"""What puts changes where they count; only after a review."""


class ProjectPolicy:
    """The policy for the door."""

    async def judge(self, tx: Tx, verb: Verb, args: Any) -> str | None:
        if tx.caller.kind != "worker" or not verb.changes or verb.internal or tx.call.inside:
            return None
        row = await tx.one(SQL["running_as"], {"session": tx.call.session_id})
        if row is None or row.project is None or verb.name in SPEAKS:
            return None
        if verb.noun in PARTS:
            await self._part(tx, verb, args, UUID(row.project))
        elif verb.noun in PLACES:
            await self._place(tx, verb, args, row)
        else:
            raise _across(f"{verb.name} is not for the agent of a project")
        return None

    async def _part(self, tx: Tx, verb: Verb, args: Any, project: UUID) -> None:
        if verb.action == "create":
            named = await tx.look_up(args.project) if args.project else None
            if named is None or named.id != project:
                raise _across(f"a {verb.noun} of yours is this project's", hint="say which in `project`")
            return
        node = await tx.get(args.ref)
        inside = [project]
        if verb.noun == "task":
            features = NodeFilter(
                types=["feature"], related=[EdgeFilter("has_feature", project, inward=True)], limit=500
            )
            inside += [each.id for each in await tx.find(features)]
        links = await tx.links(node, edge=PARTS[verb.noun])
        if not any(not link.outward and link.other_id in inside for link in links):
            raise _across(f"{node.slug} is not part of this project")

    async def _place(self, tx: Tx, verb: Verb, args: Any, row: Any) -> None:
        ref = getattr(args, "workspace", None) or getattr(args, "ref", None)
        named = await tx.look_up(ref) if ref else None
        if ref and (named is None or str(named.id) != row.workspace):
            raise _across(f"{ref} is not the workspace of this project")
        if verb.name in LASTING and getattr(args, "merge", True):
            reviewed = await tx.one(SQL["reviewed"], {"session": tx.call.session_id})
            if not reviewed.done:
                raise _across("nothing is merged that nobody looked at", hint="`subagent run code-reviewer` first")


def _across(why: str, hint: str = "say in your result what has to be done elsewhere") -> Refused:
    return Refused(why, code="cross_scope_violation", hint=hint)
