"""Wholes: what things are part of or done for, and in which states those hold back who acts for them, in SQL.

`wholes.sql` is written from what types and edges declare (`holds_back`, `upward`), by `scripts/sql_views.py`.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from hq.graph.catalogue import Catalogue
from hq.graph.types import Edge

FILE = Path(__file__).with_name("wholes.sql")
NOTE = "-- Written by `scripts/sql_views.py` from the types and edges; do not edit.\n\n"
TEXT = """-- These nodes and whatever they belong to, upward: what each is part of or done for, and the organisation it is in, an
-- agent's also by its seat. (In PL/pgSQL, like those below: it keeps its plans.)
create or replace function ops.above(_tenant uuid, _ids uuid[]) returns table (id uuid, type text, slug text, status text)
    language plpgsql stable
    set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
    return query
    with recursive up(id, depth) as (
        select unnest(_ids), 0
        union
        select x.id, up.depth + 1
          from up
          cross join lateral (
              select e.to_id as id from graph.edges e
               where e.tenant_id = _tenant and e.from_id = up.id and e.live
                 and e.type in ({to_target})
              union all
              select e.from_id from graph.edges e
               where e.tenant_id = _tenant and e.to_id = up.id and e.live
                 and ({to_source})
          ) x
         where up.depth < 8
    )
    select n.id, n.type, n.slug, n.status
      from (select distinct up.id from up) u
      cross join lateral (select x.id, x.type, x.slug, x.status from graph.nodes x
                           where x.tenant_id = _tenant and x.id = u.id) n;
end $$;

-- Whether anything in this company, or in any, holds back who acts for it: a look into an index that is nearly empty. (That an
-- agent's budget is used up holds back its spending alone.) What was put away while it rested holds back all the same.
create or replace function ops.any_held_back(_tenant uuid) returns boolean
    language plpgsql stable
    set search_path = pg_catalog, pg_temp
as $$
begin
    if _tenant is null then
        return exists (select 1 from graph.nodes n
                        where n.status in ({states})
                          and n.type in ({types}));
    end if;
    return exists (select 1 from graph.nodes n
                    where n.tenant_id = _tenant and n.status in ({states})
                      and n.type in ({types}));
end $$;

-- Whether a node of a type holds back, in a state, who acts for it. Without a `search_path` of its own, so that the planner
-- reads it as the list it stands for.
create or replace function ops.holds_back(_type text, _status text) returns boolean
    language sql immutable
    return (_type, _status) in ({pairs});

revoke all on function ops.above, ops.any_held_back, ops.holds_back from public;
grant execute on function ops.above, ops.any_held_back, ops.holds_back to {app};
"""


def written(catalogue: Catalogue) -> str:
    edges = sorted(catalogue.edges.values(), key=lambda edge: edge.name)
    holding = sorted((model for model in catalogue.nodes.values() if model.holds_back), key=lambda model: model.type)
    parts = {
        "to_target": _quoted(edge.name for edge in edges if edge.upward == "target"),
        "to_source": "\n                      or ".join(_from_source(edges)),
        "states": _quoted(sorted({state for model in holding for state in model.holds_back})),
        "types": _quoted(model.type for model in holding),
        "pairs": ", ".join(f"('{model.type}', '{state}')" for model in holding for state in model.holds_back),
    }
    text = TEXT
    for name, said in parts.items():
        text = text.replace(f"{{{name}}}", said)
    return NOTE + text


def _from_source(edges: Iterable[Edge]) -> Iterable[str]:
    up = [edge for edge in edges if edge.upward == "source"]
    yield f"e.type in ({_quoted(edge.name for edge in up if not edge.upward_while)})"
    for edge in up:
        if edge.upward_while:
            yield (
                f"e.type = '{edge.name}' and (select h.status = '{edge.upward_while}' from graph.nodes h\n"
                "                                                  where h.tenant_id = _tenant and h.id = e.from_id)"
            )


def _quoted(words: Iterable[str]) -> str:
    return ", ".join(f"'{word}'" for word in words)
