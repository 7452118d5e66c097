"""The one life, in SQL: `life.sql` is written from the words that the types declare, by `scripts/sql_views.py`."""

from __future__ import annotations

from pathlib import Path

from hq.asks.types import ASKS

FILE = Path(__file__).with_name("life.sql")
NOTE = "-- Written by `scripts/sql_views.py` from the types' own words; do not edit.\n\n"


def written() -> str:
    """The view of everything that waits, in every company. Only functions that ask for one company use it."""
    words = [f"('{ask.type}', '{state}')" for ask in ASKS for state in ask.open_states()]
    deadlines = sorted({ask.deadline_field for ask in ASKS if ask.deadline_field})
    until = ", ".join(f"n.props ->> '{name}'" for name in deadlines)
    says = ", ".join(f"n.props ->> '{ask.says_field}'" for ask in ASKS if ask.says_field)
    return (
        f"{NOTE}create or replace view ops.open_asks with (security_invoker = true) as\n"
        "    select n.tenant_id, n.id, n.type, n.slug, n.status, n.title, n.props, n.taint, n.created_at, n.updated_at,\n"
        f"           coalesce({says}) as says,\n"
        f"           coalesce({until})::timestamptz as deadline,\n"
        "           (n.props ->> 'defer_until')::timestamptz as defer_until\n"
        "      from graph.nodes n\n"
        f"     where n.archived_at is null and (n.type, n.status) in ({', '.join(words)});\n"
        "revoke all on ops.open_asks from public;\n\n"
        "-- Whether an ask of a type waits in a state.\n"
        "create or replace function ops.ask_waits(_type text, _status text) returns boolean\n"
        "    language sql immutable\n"
        "    set search_path = pg_catalog, pg_temp\n"
        f"    return (_type, _status) in ({', '.join(words)});\n"
        "revoke all on function ops.ask_waits from public;\n"
        "grant execute on function ops.ask_waits to {app};\n"
    )
