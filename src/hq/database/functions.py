"""Functions and views: files that are applied again, all together, whenever one of them is new, changed, moved or gone.

Which files, and in which order, the caller says: paths under `src/hq`. All are dropped first, so that a function whose file or signature is gone does not live on beside its successor.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import psycopg
from psycopg import sql

from hq.database.address import Address
from hq.database.queries import beside
from hq.database.roles import for_roles
from hq.database.schema_history import migrations

SOURCE = Path(__file__).parent.parent
SQL = beside(__file__)
_MADE = re.compile(r"^create\s+(?:or\s+replace\s+)?(?:function|view)\s+(\w+\.\w+)", re.IGNORECASE | re.MULTILINE)


def stale_functions(conn: psycopg.Connection, files: Sequence[str]) -> list[str]:
    """Paths of the files that are not applied as they read now, and of those that are gone."""
    applied: dict[str, str] = dict(conn.execute(SQL["functions"]).fetchall())
    ours = {path: _hash(text) for path, text in _texts(files).items()}
    return [path for path in {**ours, **applied} if ours.get(path) != applied.get(path)]


def apply_functions(conn: psycopg.Connection, address: Address, files: Sequence[str]) -> None:
    """Make all functions and views anew. For the caller's transaction: nobody sees the house without them."""
    conn.execute("drop schema if exists hq cascade")  # holds nothing but what these files make
    made_by_migrations = [name for step in migrations() for name in _MADE.findall(step.text)]
    # In one statement each, as they use each other; with the views go the functions that read them, and those are ours too.
    drops = {"repeatable_views": sql.SQL("drop view {} cascade"), "repeatable_functions": sql.SQL("drop routine {}")}
    for query, drop in drops.items():
        found = conn.execute(SQL[query], {"made_by_migrations": made_by_migrations}).fetchall()
        if found:
            conn.execute(drop.format(sql.SQL(", ").join(sql.SQL(name) for (name,) in found)))
    conn.execute(SQL["forget_functions"])
    for path, text in _texts(files).items():
        conn.execute(for_roles(text, address))
        conn.execute(SQL["record_functions"], {"path": path, "hash": _hash(text)})


def _texts(files: Sequence[str]) -> Mapping[str, str]:
    return {path: (SOURCE / path).read_text("utf-8") for path in files}


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
