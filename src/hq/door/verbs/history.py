"""History of a node: each change with its author, its reason and the time in which it was believed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypedDict

from pydantic import Field

from hq.door.access import EVERYONE
from hq.door.json_shape import AsJson
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, Result, first, verb
from hq.graph.records import NodeChange, Stored
from hq.ids import event_name
from hq.json_types import Props


class GraphHistoryArgs(Args):
    """Which one, and how far back."""

    ref: Ref = first()
    """Slug or id."""
    limit: int = Field(50, ge=1, le=500)
    """How many changes at most."""


class NodeChangeItem(TypedDict):
    """A change of a node, and how long it was believed."""

    sequence: int
    op: str
    actor: str
    reason: str
    said: Props
    true_from: str
    believed_from: str
    believed_until: str | None
    action: str


class NodeHistory(Result):
    slug: str
    items: AsJson[list[NodeChangeItem]]


async def history_of(tx: Tx, node: Stored[Any], limit: int) -> NodeHistory:
    rows = await tx.history(node.id, limit)
    return NodeHistory(slug=node.slug, items=[_change(row) for row in rows])


def _change(row: NodeChange) -> NodeChangeItem:
    said = {name: _patched_value(row.patch, name) for name in plain_names(row.touched)}
    return {
        "sequence": row.seq,
        "op": row.op,
        "actor": row.actor,
        "reason": row.reason,
        "said": {k: v for k, v in said.items() if v not in (None, "", [])},
        "true_from": row.valid_from.isoformat(),
        "believed_from": row.recorded_at.isoformat(),
        "believed_until": row.believed_until.isoformat() if row.believed_until else None,
        "action": event_name(row.action_id),
    }


def plain_names(touched: Iterable[str]) -> list[str]:
    """The words for what a change touched: a property and the column projected from it are one thing."""
    names = set(touched)
    kept = names - {"redaction_policy", "occurred_at"}  # columns hq fills in itself
    return sorted({name.removeprefix("props.") for name in kept})


def _patched_value(patch: Props, name: str) -> Any:
    props = patch.get("props") or {}
    return props[name] if name in props else patch.get(name)


@verb("graph.history", "read", for_=EVERYONE, target="ref", alias="history", text="hq.door.history_text:history")
async def history(tx: Tx, args: GraphHistoryArgs) -> NodeHistory:
    """Every change of a node: what, when, by whom, why, and how long it was believed."""
    node = await tx.get(args.ref)
    tx.target = node
    return await history_of(tx, node, args.limit)


VERBS = (history,)
