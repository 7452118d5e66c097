"""A company with a history of a given length, made in one stroke, and what to look at in it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

import psycopg

from bench import plain
from bench.database import Company, found_company
from hq.database.embedded import EmbeddedServer
from hq.database.queries import beside

SQL = beside(__file__, "history.sql")
FIRST = 1_000  # numbers below are the founding's
HOT = UUID("00000000-0000-7000-8000-000000000000")


@dataclass(frozen=True)
class Past:
    """A history, its middle, a task with an ordinary share of it, and one with a tenth of it."""

    company: Company
    rows: int
    moment: datetime
    seq: int
    task: UUID
    hot: UUID = HOT


def make_history(server: EmbeddedServer, rows: int) -> Past:
    """About a hundred change points per task; never fewer than a hundred tasks, so that a list is full."""
    company = found_company(server, f"history_{rows}")
    tasks = max(100, rows // 100)
    values = {
        "tenant": company.tenant,
        "actor": company.actor,
        "producer": company.producer,
        "start": datetime.now(UTC) - timedelta(seconds=rows, hours=1),
        "first": FIRST,
        "rows": rows,
        "each": max(1, rows * 9 // 10 // tasks),
    }
    with psycopg.connect(company.address.url, autocommit=True, cursor_factory=psycopg.ClientCursor) as owner:
        for query in ("write_versions", "show_nodes", "settle"):
            owner.execute(SQL[query], values)
        owner.execute("vacuum (analyze) graph.versions, graph.nodes")
        middle = owner.execute(SQL["half_way"], values).fetchone()
    assert middle is not None
    plain.lay_out(company)
    return Past(company, rows, *middle)
