"""Looking after the artifact directory: made anew when asked, cleared of what is old by a duty."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from hq.agents.workers.artifacts import Artifacts
from hq.door.tx import Tx
from hq.door.verb import Args, Result, verb


class Reindex(Args):
    """Nothing to say."""


class Reindexed(Result):
    workers: int
    """How many directories were written."""
    expired: int
    """Of how many of them only the result is kept."""
    message: str


@verb("worker.reindex", "effect", examples=[{}])
async def reindex(tx: Tx, args: Reindex) -> Reindexed:
    """Make the artifact directory of this machine anew from the journals, and its index."""
    done = await tx.use(Artifacts).rebuild(tx.caller.tenant_id, tx.now)
    return Reindexed(
        workers=done.workers,
        expired=done.expired,
        message=f"wrote {done.workers} workers, {done.expired} without details",
    )


@dataclass(frozen=True, kw_only=True)
class KeepArtifacts:
    """Retention: once a day the details of old workers go, their results stay."""

    async def run_once(self, artifacts: Artifacts, tenant: UUID, now: datetime) -> int:
        return await artifacts.expire(tenant, now)


VERBS = (reindex,)
