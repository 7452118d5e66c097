"""A worker whose minds are the test's, on the agents' own files."""

from __future__ import annotations

from hq.engine.sessions.leases import Leases
from hq.sessions.runner import Runner
from tests.support.watched import Watched


def worker(house, told) -> Runner:
    return Runner(Watched(house.hq, told), house.hq.address.app_url, Leases(house.hq.door.pool, house.hq.clock))
