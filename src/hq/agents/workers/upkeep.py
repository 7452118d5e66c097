"""Looking after the artifact directory: made anew when asked, cleared of what is old by a duty."""

from __future__ import annotations

from dataclasses import dataclass

from hq.agents.supervision.companies import Company
from hq.agents.supervision.nightly import AtTimes
from hq.agents.workers.artifacts import Artifacts
from hq.door.access import STAFF
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


@verb("worker.reindex", "effect", for_=STAFF, examples=[{}])
async def reindex(tx: Tx, args: Reindex) -> Reindexed:
    """Make the artifact directory of this machine anew from the journals, and its index."""
    done = await tx.use(Artifacts).rebuild(tx.caller.tenant_id, tx.now)
    return Reindexed(
        workers=done.workers,
        expired=done.expired,
        message=f"wrote {done.workers} workers, {done.expired} without details",
    )


@dataclass
class KeepArtifacts(AtTimes):
    """Retention: once a day the details of old workers and what tools gave back go; results stay."""

    cron: str = "30 4 * * *"
    name: str = "keep-artifacts"
    says: str = "clears old artifacts and the details of old workers at 04:30; results stay"
    counted = "artifacts and workers cleared"

    async def _do(self, company: Company) -> int:
        kept = self.companies.door.services[Artifacts]
        workers = await kept.expire(company.tenant, self.companies.now())
        gone = await self.companies.call(company.tenant, "artifact.expire", {"days": kept.keep_days})
        return workers + (gone.data["artifacts"] if gone.ok else 0)


VERBS = (reindex,)
