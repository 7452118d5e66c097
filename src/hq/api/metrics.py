"""`GET /metrics`: what Prometheus reads. From this machine as it is, from elsewhere with a token that may read."""

from __future__ import annotations

import ipaddress
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.gc_collector import GCCollector
from prometheus_client.platform_collector import PlatformCollector
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector
from psycopg_pool import AsyncConnectionPool
from starlette.requests import Request
from starlette.responses import Response

from hq.api.agents import AgentsCollector
from hq.api.credentials import token_of
from hq.api.database_health import Pulse
from hq.api.problems import problem
from hq.door.door import Door
from hq.door.outcome import Outcome
from hq.door.tx import Call
from hq.door.verb import Verb
from hq.engine.announcer import Announcer

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)


@dataclass
class TimedCall:
    """What became of a call that is being timed."""

    outcome: Outcome | None = None

    @property
    def status(self) -> str:
        return "defect" if self.outcome is None else self.outcome.code or "ok"


class Meter:
    """Counts and times calls. One per app, so that two in a process do not add up."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._calls = Counter(
            "hq_calls", "Calls by verb and how they ended.", ["verb", "status"], registry=self.registry
        )
        self._seconds = Histogram(
            "hq_call_seconds", "How long calls take.", ["kind"], buckets=BUCKETS, registry=self.registry
        )
        for collector in (ProcessCollector, PlatformCollector, GCCollector):
            collector(registry=self.registry)

    @contextmanager
    def timed(self, verb: Verb) -> Iterator[TimedCall]:
        seen, started = TimedCall(), time.perf_counter()
        try:
            yield seen
        finally:
            self._calls.labels(verb.name, seen.status).inc()
            self._seconds.labels(verb.kind).observe(time.perf_counter() - started)


class PoolCollector(Collector):
    """The database connections of this process, read when asked for."""

    def __init__(self, pool: AsyncConnectionPool[Any]) -> None:
        self._pool = pool

    def collect(self) -> Iterable[GaugeMetricFamily]:
        stats = self._pool.get_stats()
        connections = GaugeMetricFamily("hq_pool_connections", "Database connections.", labels=["state"])
        connections.add_metric(["open"], stats["pool_size"])
        connections.add_metric(["free"], stats["pool_available"])
        connections.add_metric(["most"], stats["pool_max"])
        yield connections
        waiting = stats.get("requests_waiting", 0)
        yield GaugeMetricFamily("hq_pool_waiting", "Calls that wait for a connection.", value=waiting)


class Metrics:
    def __init__(self, door: Door, announcer: Announcer | None, pulse: Pulse, meter: Meter) -> None:
        self._door, self._announcer, self._pulse, self._meter = door, announcer, pulse, meter
        registry = meter.registry
        registry.register(PoolCollector(door.pool))
        self._agents = AgentsCollector(door.pool)
        registry.register(self._agents)
        self._up = Gauge("hq_database_up", "Whether the database answered this time.", registry=registry)
        self._lag = Gauge("hq_announcer_lag_calls", "Calls not linked into the ledger yet.", registry=registry)
        self._leading = Gauge("hq_announcer_leading", "Whether this process leads the announcer.", registry=registry)

    async def show(self, request: Request) -> Response:
        tenant: str | None = None  # from this machine: the whole house
        if not _on_this_machine(request):
            allowed = await self._door.call(Call("auth.whoami", {}, token_of(request)))
            if not allowed.ok:
                return problem(allowed)
            tenant = allowed.data["tenant_id"]
        look = await self._pulse.look()
        self._up.set(look.vitals is not None)
        self._leading.set(bool(self._announcer and self._announcer.leading))
        if look.vitals is not None:
            self._lag.set(look.vitals.lag)
            await self._agents.count(tenant)
        return Response(generate_latest(self._meter.registry), media_type=CONTENT_TYPE_LATEST)


def _on_this_machine(request: Request) -> bool:
    try:
        return request.client is not None and ipaddress.ip_address(request.client.host).is_loopback
    except ValueError:
        return False
