"""The house's own hand: duties act in each company as `service:hq`, through the door like everybody else."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from hq.door.caller import new_token, token_hash
from hq.door.door import Door
from hq.door.outcome import Outcome
from hq.door.tx import Call
from hq.errors import Defect
from hq.ids import new_id

VALID = timedelta(hours=1)


class House:
    """Holds a credential per company for as long as this process lives; each runs out by itself within the hour."""

    def __init__(self, door: Door) -> None:
        self.door = door
        self._keys: dict[UUID, tuple[str, datetime]] = {}

    async def call(self, tenant: UUID, verb: str, args: dict[str, Any], key: str | None = None) -> Outcome:
        """Make a call in this company."""
        return await self.door.call(Call(verb, args, await self._key(tenant), key=key))

    async def _key(self, tenant: UUID) -> str:
        now = self.door.clock.now()
        token, until = self._keys.get(tenant, ("", now))
        # One that was made while the clock was ahead is of no use either.
        if now >= until or until - now > VALID:
            token, until = new_token("house"), now + VALID
            async with self.door.pool.connection() as conn:
                made = await conn.execute(
                    "select ops.house_key(%s, %s, %s, %s, %s)", [tenant, new_id(), token_hash(token), now, until]
                )
                row = await made.fetchone()
            if not row or not row[0]:
                raise Defect("the company has no principal service:hq")
            self._keys[tenant] = (token, until)
        return token
