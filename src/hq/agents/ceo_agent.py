"""The company's CEO: its agent of the kind ceo. Whatever the founder says without a name is said to that one."""

from __future__ import annotations

from hq.door.tx import Tx


async def ceo(tx: Tx) -> str:
    return await tx.the_scalar("select ops.ceo(ops.tenant())", of=str)
