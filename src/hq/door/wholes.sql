-- Written by `scripts/sql_views.py` from the types and edges; do not edit.

-- These nodes and whatever they belong to, upward: what each is part of or done for, and the organisation it is in, an
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
                 and e.type in ('belongs_to', 'embodies', 'fills', 'for_mission', 'fulfills', 'in_organisation', 'owned_by', 'parent_mission', 'part_of', 'serves', 'works_on')
              union all
              select e.from_id from graph.edges e
               where e.tenant_id = _tenant and e.to_id = up.id and e.live
                 and (e.type in ('has_feature', 'has_task')
                      or e.type = 'held_by' and (select h.status = 'active' from graph.nodes h
                                                  where h.tenant_id = _tenant and h.id = e.from_id))
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
                        where n.status in ('dormant', 'paused', 'quarantined')
                          and n.type in ('agent', 'mission', 'organisation', 'project'));
    end if;
    return exists (select 1 from graph.nodes n
                    where n.tenant_id = _tenant and n.status in ('dormant', 'paused', 'quarantined')
                      and n.type in ('agent', 'mission', 'organisation', 'project'));
end $$;

-- Whether a node of a type holds back, in a state, who acts for it. Without a `search_path` of its own, so that the planner
-- reads it as the list it stands for.
create or replace function ops.holds_back(_type text, _status text) returns boolean
    language sql immutable
    return (_type, _status) in (('agent', 'paused'), ('agent', 'quarantined'), ('mission', 'paused'), ('organisation', 'dormant'), ('project', 'paused'));

revoke all on function ops.above, ops.any_held_back, ops.holds_back from public;
grant execute on function ops.above, ops.any_held_back, ops.holds_back to {app};
