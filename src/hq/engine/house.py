"""The house's own hand: duties act in each company as `service:hq`, through the door like everybody else."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from hq.door.actor import HOUSE_ACTOR
from hq.door.caller import new_token, token_hash
from hq.door.door import Door
from hq.door.outcome import Outcome
from hq.door.tx import Call
from hq.engine.tenancy import outside
from hq.errors import Defect
from hq.ids import new_id
from hq.json_types import CallArgs

VALID = timedelta(hours=1)


class House:
    """Holds a credential per company for as long as this process lives; each runs out by itself within the hour."""

    def __init__(self, door: Door) -> None:
        self.door = door
        self._keys: dict[tuple[UUID, str | None], tuple[str, datetime]] = {}

    async def call(
        self,
        tenant: UUID,
        verb: str,
        args: CallArgs,
        key: str | None = None,
        *,
        agent: str | None = None,
        taint: frozenset[str] = frozenset(),
    ) -> Outcome:
        """Make a call in this company; where an agent is named, in its name and with its rights alone."""
        return await self.door.call(Call(verb, args, await self._key(tenant, agent), key=key, taint=taint))

    async def _key(self, tenant: UUID, agent: str | None) -> str:
        now = self.door.clock.now()
        token, until = self._keys.get((tenant, agent), ("", now))
        # One that was made while the clock was ahead is of no use either.
        if now >= until or until - now > VALID:
            token, until = new_token("agent" if agent else "house"), now + VALID
            await self._make(tenant, agent, [new_id(), token_hash(token), now, until])
            self._keys[tenant, agent] = (token, until)
        return token

    async def _make(self, tenant: UUID, agent: str | None, values: list[Any]) -> None:
        async with outside(self.door.pool) as reader:
            if agent:
                given = [tenant, agent, *values]
                made = await reader.scalar("select ops.agent_key(%s, %s, %s, %s, %s, %s)", given, of=bool)
            else:
                made = await reader.scalar("select ops.house_key(%s, %s, %s, %s, %s)", [tenant, *values], of=bool)
        if not made:
            raise Defect(f"the company has no principal {f'agent:{agent}' if agent else HOUSE_ACTOR}")
