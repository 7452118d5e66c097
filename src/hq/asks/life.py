"""The one life, in SQL: `life.sql` is written from the words that the types declare, and `then.sql`, what waited at a moment of the
past, from `functions.sql`, which says what waits now; by `scripts/sql_views.py`."""

from __future__ import annotations

import re
from pathlib import Path

from hq.asks.types import ASKS

FILE = Path(__file__).with_name("life.sql")
NOW = Path(__file__).with_name("functions.sql")
THEN = Path(__file__).with_name("then.sql")
NOTE = "-- Written by `scripts/sql_views.py` from the types' own words; do not edit.\n\n"
THEN_NOTE = """-- Written by `scripts/sql_views.py` from functions.sql; do not edit. What waited for somebody at a moment of the past, as far
-- as was known at another: the rule of what waits now, of the graph as it was.

"""
PAST = "(_now, _known_at, _upto, _also)"
AS_IT_WAS = (
    (r"\bops\.(asks_for|asks|my_asks)\(", r"ops.\1_then("),
    (r"\b_now timestamptz", "_now timestamptz, _known_at timestamptz, _upto bigint, _also bigint[]"),
    (r"\b_to, _now\b", "_to, _now, _known_at, _upto, _also"),
    (r"shown_at <= _now\b", "shown_at <= least(_now, _known_at)"),
    (r"\bgraph\.(nodes|edges)(?= \w)", rf"graph.\1_at{PAST}"),
)
"""What is said of now, and how the same is said of then."""


def written() -> str:
    """The view of everything that waits, in every company. Only functions that ask for one company use it."""
    return (
        f"{NOTE}create or replace view ops.open_asks with (security_invoker = true) as\n{_open()};\n"
        "revoke all on ops.open_asks from public;\n\n"
        "-- Whether an ask of a type waits in a state.\n"
        "create or replace function ops.ask_waits(_type text, _status text) returns boolean\n"
        "    language sql immutable\n"
        "    set search_path = pg_catalog, pg_temp\n"
        f"    return (_type, _status) in ({_words()});\n"
        "revoke all on function ops.ask_waits from public;\n"
        "grant execute on function ops.ask_waits to {app};\n"
    )


def written_then() -> str:
    """What waits now, with the graph as it was in place of the graph as it is."""
    made = re.findall(
        r"^create or replace function ops\.(?:asks_for|asks|my_asks)\(.*?^\$\$;\n", NOW.read_text("utf-8"), re.M | re.S
    )
    text = "\n".join(made).replace("ops.open_asks", f"(\n{_open()})")
    for now, then in AS_IT_WAS:
        text = re.sub(now, then, text)
    return (
        f"{THEN_NOTE}{text}\n"
        "revoke all on function ops.asks_for_then, ops.asks_then, ops.my_asks_then from public;\n"
        "grant execute on function ops.my_asks_then to {app};\n"
    )


def _open() -> str:
    """Every ask in an open state that has begun."""
    deadlines = sorted({ask.deadline_field for ask in ASKS if ask.deadline_field})
    until = ", ".join(f"n.props ->> '{name}'" for name in deadlines)
    says = ", ".join(f"n.props ->> '{ask.says_field}'" for ask in ASKS if ask.says_field)
    return (
        "    select n.tenant_id, n.id, n.type, n.slug, n.status, n.title, n.props, n.taint, n.created_at, n.updated_at,\n"
        f"           coalesce({says}) as says,\n"
        f"           coalesce({until})::timestamptz as deadline,\n"
        "           (n.props ->> 'defer_until')::timestamptz as defer_until, n.valid_to\n"
        "      from graph.nodes n\n"
        "     where n.archived_at is null and n.next_change_at is distinct from n.valid_from\n"
        f"       and (n.type, n.status) in ({_words()})"
    )


def _words() -> str:
    return ", ".join(f"('{ask.type}', '{state}')" for ask in ASKS for state in ask.open_states())
