"""Meanings: what types, their states and links are to rooms below those that declare them, in SQL.

`meanings.sql` is written from what types and edges declare (`means`, `over`, `in_hand`), by `scripts/sql_views.py`.
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

-- Whether something of a type is over in a state, and whether whoever has it works on it. Read as the lists they stand for, too.
create or replace function graph.over(_type text, _status text) returns boolean
    language sql immutable parallel safe
    return (_type, _status) in ({over});
create or replace function graph.in_hand(_type text, _status text) returns boolean
    language sql immutable parallel safe
    return (_type, _status) in ({in_hand});

revoke all on function graph.means, graph.over, graph.in_hand from public;
grant execute on function graph.means, graph.over, graph.in_hand to {app};
"""


def written(catalogue: Catalogue) -> str:
    declared = {**catalogue.nodes, **catalogue.edges}
    pairs = sorted((each.means, name) for name, each in declared.items() if each.means)
    kinds = sorted(catalogue.nodes.items())
    listed = {
        "pairs": [(name, word) for word, name in pairs],
        "over": [(name, state) for name, each in kinds for state in each.over],
        "in_hand": [(name, state) for name, each in kinds for state in each.in_hand],
    }
    text = TEXT
    for name, found in listed.items():
        text = text.replace(f"{{{name}}}", ", ".join(map(repr, found)))
    return text
