"""Makes a conversation long: what was said last is said again, thousands of times, and the older part is summed up."""

from __future__ import annotations

from typing import Any

import psycopg
from psycopg.rows import namedtuple_row

from hq.context.window import EXCHANGES
from hq.database.queries import beside

SQL = beside(__file__, "talk.sql")
FOUNDERS = "thread:founder:chief"


def lengthen(url: str, messages: int, name: str = FOUNDERS) -> None:
    """So many messages more, half of them answers. The conversation must have two exchanges, and rest."""
    times = messages // 2
    with psycopg.connect(url, row_factory=namedtuple_row) as owner:
        found: Any = owner.execute(SQL["last_exchange"], {"name": name}).fetchone()
        if found is None or found.first is None:
            raise SystemExit(f"{name} has no second exchange, or does not rest")
        one = {"tenant": found.tenant_id, "session": found.session_id, "first": found.first, "last": found.last}
        size = found.last - found.first + 1
        owner.execute(SQL["say_again"], {**one, "times": times, "after": 0})
        kept = found.first + size * max(0, times - EXCHANGES)
        owner.execute(SQL["sum_up"], {**one, "from": kept})
        # The summary is never the last word.
        owner.execute(SQL["say_again"], {**one, "times": 1, "after": size * times + 1})
        owner.commit()
        owner.autocommit = True
        owner.execute("analyze ops.journal")
