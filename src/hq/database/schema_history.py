"""Schema history: the migrations this program brings, and those a database says it has.

A migration is known by its name and the hash of its text; the number only orders. So branches may land theirs in any
order, and a file that was edited after it was applied is found out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path

import psycopg
from psycopg.rows import class_row

from hq import __version__
from hq.database.queries import beside
from hq.errors import Outage

FILES = Path(__file__).parent / "schema"
SQL = beside(__file__)


@dataclass(frozen=True)
class Migration:
    version: int
    name: str
    text: str

    @cached_property
    def hash(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()

    def __str__(self) -> str:
        return f"{self.version:04d}_{self.name}"


@dataclass(frozen=True)
class AppliedMigration:
    """A migration as a database remembers it. Where hashes were not kept yet, neither was who applied it."""

    version: int
    name: str
    applied_at: datetime
    hash: str | None
    applied_by: str | None

    def __str__(self) -> str:
        by = f"by hq {self.applied_by} " if self.applied_by else ""
        return f"{self.version:04d}_{self.name} (applied {by}on {self.applied_at:%Y-%m-%d})"


def migrations() -> list[Migration]:
    """What this program brings, in the order of its numbers."""
    files = sorted(FILES.glob("[0-9]*.sql"))
    return [Migration(int(f.stem[:4]), f.stem[5:], f.read_text("utf-8")) for f in files]


@dataclass(frozen=True)
class SchemaHistory:
    """What a database has, beside what this program brings."""

    applied: Sequence[AppliedMigration]
    brought: Sequence[Migration]

    @property
    def version(self) -> int:
        return max((step.version for step in self.applied), default=0)

    @property
    def missing(self) -> list[Migration]:
        known = {step.name for step in self.applied}
        return [step for step in self.brought if step.name not in known]

    @property
    def renumbered(self) -> list[Migration]:
        """Applied under another number than their files have by now."""
        numbers = {step.name: step.version for step in self.applied}
        return [step for step in self.brought if numbers.get(step.name, step.version) != step.version]

    @property
    def without_hashes(self) -> bool:
        return any(step.hash is None for step in self.applied)

    def refuse_others(self) -> None:
        """Raises where the database has what this program does not know as it is: going on would mix two schemas."""
        ours = {step.name: step for step in self.brought}
        newest = max(step.version for step in self.brought)
        for step in self.applied:
            if step.name not in ours:
                whose = "a newer hq" if step.version > newest else "another hq"
                raise Outage(
                    f"the database was made by {whose}: its migration {step} is none of hq {__version__}; "
                    + what_to_do(step.applied_by)
                )
            if step.hash not in (None, ours[step.name].hash):
                raise Outage(
                    f"a migration was edited after this database had it: {FILES / str(ours[step.name])}.sql reads otherwise "
                    f"than {step} did; " + what_to_do(step.applied_by, edited=True)
                )


def what_to_do(applied_by: str | None = None, *, edited: bool = False) -> str:
    """For a database that is not this program's. It is left as it was."""
    ways = [
        "put that file back as it was and bring the change as a new migration" if edited else "",
        # By the number alone a copy of the same version would be no other one.
        "start it with the copy of hq that made it"
        if applied_by in (None, __version__)
        else f"start it with hq {applied_by}",
        "restore a copy of the home from before",
    ]
    return f"nothing was changed; {', or '.join(filter(None, ways))}"


def read_history(conn: psycopg.Connection) -> SchemaHistory:
    if conn.execute(SQL["history_exists"]).fetchone() == (False,):
        return SchemaHistory((), migrations())
    with conn.cursor(row_factory=class_row(AppliedMigration)) as cursor:
        return SchemaHistory(cursor.execute(SQL["history"]).fetchall(), migrations())
