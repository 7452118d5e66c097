"""Metrics of agents, for `/metrics` (002 §19.1): who is awake, what waits, what it cost; counted when asked for."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, TypeVar

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from psycopg import AsyncConnection
from psycopg_pool import AsyncConnectionPool

from hq.database.queries import beside
from hq.database.rows import RowReader

SQL = beside(__file__)
K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True, slots=True)
class SessionTotalRow:
    """Sessions by agent, kind and state."""

    agent: str
    kind: str
    state: str
    sessions: int


@dataclass(frozen=True, slots=True)
class MindTotalRow:
    """What minds were asked, and what that cost."""

    agent: str
    model: str
    calls: int
    unpriced: int
    tokens_in: int
    tokens_out: int
    cost_usd: Decimal


@dataclass(eq=False)
class AgentsCollector(Collector):
    """Holds what was counted last; `count` is called right before it is shown."""

    pool: AsyncConnectionPool[AsyncConnection[Any]]
    _sessions: list[SessionTotalRow] = field(default_factory=list)
    _calls: list[MindTotalRow] = field(default_factory=list)

    async def count(self, tenant: str | None) -> None:
        """Of the whole house, or of one company only. Kept in one go at the end, with nothing awaited before it is shown:
        or somebody would be shown what was counted for somebody else meanwhile."""
        async with self.pool.connection() as conn:
            reader = RowReader(conn)
            sessions = await reader.rows(SQL["session_totals"], {"tenant": tenant}, into=SessionTotalRow)
            calls = await reader.rows(SQL["mind_totals"], {"tenant": tenant}, into=MindTotalRow)
        self._sessions, self._calls = sessions, calls

    def collect(self) -> Iterable[Metric]:
        yield from self._agents()
        yield from self._minds()

    def _agents(self) -> Iterable[Metric]:
        warm = GaugeMetricFamily("supervisor_agents_warm", "Sessions of an agent that run now.", labels=["agent"])
        queued = GaugeMetricFamily(
            "supervisor_events_queued", "Wakes of an agent that wait for a worker.", labels=["agent"]
        )
        wakes = CounterMetricFamily("supervisor_wakes", "How often an agent was woken.", labels=["agent"])
        spawns = CounterMetricFamily("supervisor_subagent_spawns", "Workers spawned.", labels=["parent", "subagent"])
        sessions = GaugeMetricFamily("hq_sessions", "Sessions by kind and state.", labels=["kind", "state"])
        for agent, rows in _grouped(self._sessions, lambda row: row.agent).items():
            own = [row for row in rows if row.kind != "worker"]
            warm.add_metric([agent], _sum(row for row in own if row.state == "running"))
            queued.add_metric([agent], _sum(row for row in own if row.state == "queued"))
            wakes.add_metric([agent], _sum(own))
            if len(own) < len(rows):
                spawns.add_metric([agent, "worker"], _sum(row for row in rows if row.kind == "worker"))
        for (kind, state), rows in _grouped(self._sessions, lambda row: (row.kind, row.state)).items():
            sessions.add_metric([kind, state], _sum(rows))
        yield from (warm, queued, wakes, spawns, sessions)

    def _minds(self) -> Iterable[Metric]:
        labels = ["agent", "model"]
        calls = CounterMetricFamily("hq_llm_calls", "Model calls.", labels=labels)
        tokens = CounterMetricFamily("hq_llm_tokens", "Tokens in and out.", labels=[*labels, "direction"])
        cost = CounterMetricFamily("hq_llm_cost_usd", "What priced calls cost.", labels=labels)
        unpriced = CounterMetricFamily("hq_llm_unpriced_calls", "Calls whose price is not known.", labels=labels)
        for row in self._calls:
            named = [row.agent, row.model]
            calls.add_metric(named, row.calls)
            tokens.add_metric([*named, "in"], row.tokens_in)
            tokens.add_metric([*named, "out"], row.tokens_out)
            cost.add_metric(named, float(row.cost_usd))
            unpriced.add_metric(named, row.unpriced)
        yield from (calls, tokens, cost, unpriced)


def _grouped(rows: list[SessionTotalRow], key: Callable[[SessionTotalRow], K]) -> dict[K, list[SessionTotalRow]]:
    found: dict[K, list[SessionTotalRow]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return found


def _sum(rows: Iterable[SessionTotalRow]) -> int:
    return sum(row.sessions for row in rows)
