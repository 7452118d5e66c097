"""A worker whose minds are the test's, on the agents' own files."""

from __future__ import annotations

from hq.engine.sessions.leases import Leases
from hq.sessions.runner import Runner
from tests.support.watched import Watched


class Unrouted(Watched):
    """Takes every message as it comes."""

    async def route(self, claimed, said):
        return None


def worker(house, told) -> Runner:
    return Runner(Unrouted(house.hq, told), house.hq.address.app_url, Leases(house.hq.door.pool, house.hq.clock))
