-- What stops a caller: freezes and pauses of whatever it acts for. One look, with the opening of the call; and the same for sessions.

-- Who brought a node into the state in which it is, and why.
create or replace function ops.rested_by(_tenant uuid, _node uuid, _state text, _now timestamptz)
    returns table (actor text, reason text)
    language sql stable
    set search_path = pg_catalog, pg_temp
begin atomic
    select v.actor, v.reason from graph.versions v
     where v.tenant_id = _tenant and v.item_id = _node and v.valid_from <= _now and 'status' = any (v.touched)
       and v.doc ->> 'status' = _state
     order by v.valid_from desc, v.seq desc limit 1;
end;

-- All that somebody who acts under this name, or in this session, acts for: the agent, those that sent it, what their sessions
-- work on, and whatever these belong to; of each, whether its state holds back who acts for it. A mission is worked on by who
-- has it, not by who gave it and hears of it.
create or replace function ops.acts_for(_tenant uuid, _actor text, _session uuid)
    returns table (id uuid, scope text, status text, holds boolean)
    language plpgsql stable
    set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
    return query
    with recursive line as (
        select s.parent_id, s.agent, s.trigger, 0 as depth from ops.sessions s where s.tenant_id = _tenant and s.id = _session
        union all
        select p.parent_id, p.agent, p.trigger, l.depth + 1
          from line l join ops.sessions p on p.tenant_id = _tenant and p.id = l.parent_id
         where l.depth < 20
    ), agents as (
        select n.id, n.slug from graph.nodes n
         where n.tenant_id = _tenant and graph.means(n.type, 'actor')
           and n.slug in (select l.agent from line l union all select split_part(substr(_actor, strpos(_actor, ':') + 1), '/', 1))
    )
    select a.id, a.type || ':' || a.slug, a.status,
           coalesce(ops.holds_back(a.type, a.status), false)
      from ops.above(_tenant, array(
               select x.id from agents x
               union all
               select e.from_id from line l
                 join graph.edges e on e.tenant_id = _tenant and e.from_id = (l.trigger ->> 'mission')::uuid
                                   and graph.means(e.type, 'does') and e.live
                 join agents x on x.id = e.to_id and x.slug = l.agent
               union all
               select (l.trigger ->> 'project')::uuid from line l where l.trigger ? 'project')) a;
end $$;

-- The freezes in force, each with whether it binds who acts so, and whatever else holds that one back.
create or replace function ops.stops_upon(_tenant uuid, _actor text, _session uuid, _freezes jsonb, _now timestamptz) returns jsonb
    language plpgsql stable
    set search_path = pg_catalog, pg_temp
as $$
begin
    return (
        with above as materialized (select a.* from ops.acts_for(_tenant, _actor, _session) a)
        select coalesce(jsonb_agg(s.stop), '[]') from (
            select case when f.stop ->> 'scope' in (select a.scope from above a) then f.stop || '{"binds": true}' else f.stop end as stop
              from jsonb_array_elements(_freezes) f(stop)
            union all
            select jsonb_build_object('scope', a.scope, 'state', a.status, 'by', r.actor, 'reason', r.reason, 'binds', true)
              from above a left join lateral ops.rested_by(_tenant, a.id, a.status, _now) r on true
             where a.holds
        ) s);
end $$;

revoke all on function ops.rested_by, ops.acts_for, ops.stops_upon from public;
grant execute on function ops.rested_by to {app};
