"""Meanings: what types and links are to rooms below those that declare them, in SQL.

`meanings.sql` is written from what types and edges declare (`means`), by `scripts/sql_views.py`.
"""

from __future__ import annotations

from pathlib import Path

from hq.graph.catalogue import Catalogue

FILE = Path(__file__).with_name("meanings.sql")
TEXT = """-- Written by `scripts/sql_views.py` from the types and edges; do not edit.

-- Whether a type or a kind of link is what a room below knows by this word. Without a `search_path` of its own, so that the planner
-- reads it as the name it stands for, and finds the index.
create or replace function graph.means(_type text, _word text) returns boolean
    language sql immutable parallel safe
    return (_type, _word) in ({pairs});

revoke all on function graph.means from public;
grant execute on function graph.means to {app};
"""


def written(catalogue: Catalogue) -> str:
    declared = {**catalogue.nodes, **catalogue.edges}
    pairs = sorted((each.means, name) for name, each in declared.items() if each.means)
    return TEXT.replace("{pairs}", ", ".join(f"('{name}', '{word}')" for word, name in pairs))
