"""The raw limit: the same rows written and read by nobody but the driver, in plain copies of the tables."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, LiteralString
from uuid import UUID

import psycopg
from psycopg import AsyncConnection
from psycopg.types.json import Jsonb

from bench.database import Company
from hq.database.queries import beside
from hq.ids import new_id

SQL = beside(__file__, "plain.sql")
Statement = tuple[LiteralString, Mapping[str, Any]]


def lay_out(company: Company) -> None:
    """Make the copies, with what the graph holds now."""
    with psycopg.connect(company.address.url, autocommit=True) as owner:
        owner.execute(SQL["create"])
        owner.execute(SQL["copy"])
        owner.execute("analyze")  # as autovacuum does within a minute


@dataclass(frozen=True)
class Plain:
    """One connection of the product's role, and nothing else."""

    conn: AsyncConnection[Any]
    company: Company

    @classmethod
    @asynccontextmanager
    async def connected(cls, company: Company) -> AsyncIterator[Plain]:
        async with await AsyncConnection[Any].connect(company.address.app_url, autocommit=True) as conn:
            yield cls(conn, company)

    async def write(self, type_: str, props: dict[str, Any], links: int = 0, *, rows: bool = False) -> None:
        """A node and so many links, in one transaction; with `rows` also what the graph and the door add to them."""
        values = self._values(type_, props)
        statements: list[Statement] = [(SQL["node"], values)]
        edges = [new_id() for _ in range(links)]
        statements.extend((SQL["edge"], values | {"edge": edge, "edge_type": f"edge {edge}"}) for edge in edges)
        if rows:
            statements.extend((SQL["version"], values | {"item": item}) for item in (values["id"], *edges))
            statements.extend([(SQL["action"], values), (SQL["outbox"], values)])
        await self._transaction(statements)

    async def change(self, node: UUID, type_: str, props: dict[str, Any]) -> None:
        await self._transaction([(SQL["change"], self._values(type_, props) | {"id": node})])

    async def list_tasks(self) -> None:
        await (await self.conn.execute(SQL["list"], {"tenant": self.company.tenant})).fetchall()

    async def show_task(self, slug: str) -> None:
        row = await (await self.conn.execute(SQL["show"], {"tenant": self.company.tenant, "slug": slug})).fetchone()
        assert row is not None
        links = await self.conn.execute(SQL["links"], {"tenant": self.company.tenant, "id": row[0]})
        await links.fetchall()

    async def _transaction(self, statements: Sequence[Statement]) -> None:
        await self.conn.execute("begin")
        for query, values in statements:
            await self.conn.execute(query, values)
        await self.conn.execute("commit")

    def _values(self, type_: str, props: dict[str, Any]) -> dict[str, Any]:
        node = new_id()
        return {
            "tenant": self.company.tenant,
            "id": node,
            "type": type_,
            "slug": node.hex,
            "title": props.get("title") or props.get("summary"),
            "status": props.get("status"),
            "priority": props.get("priority"),
            "props": Jsonb(props),
            "producer": self.company.producer,
            "actor": self.company.actor,
            "now": datetime.now(UTC),
            "seq": 1,
            "action": new_id(),
            "hash": b"0" * 32,
        }
