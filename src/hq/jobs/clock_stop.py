"""Clock stop: whether a freeze or a rest lets nothing begin by itself. The rule is `ops.clock_stop`; the runner's board and what is
looked for in SQL ask it too."""

from __future__ import annotations

from typing import Any

from hq.database.queries import beside
from hq.door.tx import Tx
from hq.graph.records import Stored

SQL = beside(__file__)


async def clock_stop(tx: Tx, *nodes: Stored[Any]) -> str | None:
    """`frozen`: what was due comes once that is lifted. `resting`: it is passed over."""
    return await tx.scalar(SQL["clock_stop"], {"ids": [node.id for node in nodes], "now": tx.now}, of=str)
