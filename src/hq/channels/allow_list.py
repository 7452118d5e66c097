"""Allow lists, of what the founder allows by name, such as a machine or a site: put on the list, seen there, taken
off."""

from __future__ import annotations

from hq.door.results import Listing, Row, row
from hq.door.tx import Tx
from hq.errors import Refused
from hq.graph.types import Node
from hq.graph.view import NodeFilter
from hq.json_types import NodeItem

MOST = 200


async def put(tx: Tx, name: str, node: Node) -> Row:
    """Its name is its slug, so that calls can name it. One that was forgotten is put back as it is said now; one that is
    taken is refused, not varied."""
    known = await tx.look_up(name)
    if known is not None and known.type == node.type and known.archived_at is not None:
        back = await tx.restore(known)
        tx.target = made = await tx.change(back, node.model_dump(mode="json"))
        return row(made)
    if known is not None:
        raise Refused.conflict(f"the name {name!r} is taken by a {known.type}; take another, or forget what has it")
    tx.target = made = await tx.create(node, slug=name)
    return row(made)


async def every(tx: Tx, type: type[Node]) -> Listing[NodeItem]:
    return Listing[NodeItem](items=[node.brief() for node in await tx.find(NodeFilter(types=[type.type], limit=MOST))])


async def forget(tx: Tx, ref: str, type: type[Node]) -> Row:
    tx.target = gone = await tx.archive(await tx.get(ref, type))
    return row(gone)
