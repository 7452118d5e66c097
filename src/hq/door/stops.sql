-- What stops a caller: freezes and pauses of whatever it acts for. One look, with the opening of the call; and the same for sessions
-- and for what the clock would begin.

-- Whether a freeze stops anything at that moment. Without a `search_path` of its own, so that the planner reads through it to the
-- index of those that were not lifted.
create or replace function ops.in_force(_freeze ops.freezes, _now timestamptz) returns boolean
    language sql immutable
    return _freeze.lifted_at is null and coalesce(_freeze.until > _now, true);

-- Whether everything in a company is frozen.
create or replace function ops.all_frozen(_tenant uuid, _now timestamptz) returns boolean
    language sql stable
    set search_path = pg_catalog, pg_temp
begin atomic
    select exists (select 1 from ops.freezes f where f.tenant_id = _tenant and f.scope = 'all' and ops.in_force(f, _now));
end;

-- What stops the clocks of these, so that nothing begins of itself for them and no time of theirs runs out: `frozen`, where all
-- or whatever they belong to is, and what was due comes once that is lifted; `resting`, where one of them or what it belongs
-- to holds back who acts for it, or one who would act is not at work, and what was due is passed over. The one rule for jobs,
-- beats, schedules and what missions wait for.
create or replace function ops.clock_stop(_tenant uuid, _ids uuid[], _now timestamptz) returns text
    language plpgsql stable
    set search_path = pg_catalog, pg_temp
as $$
declare
    scopes text[] := array(select f.scope from ops.freezes f where f.tenant_id = _tenant and ops.in_force(f, _now));
begin
    if 'all' = any (scopes)
       or scopes <> '{}' and exists (select 1 from ops.above(_tenant, _ids) a where a.type || ':' || a.slug = any (scopes)) then
        return 'frozen';
    elsif exists (select 1 from graph.nodes n where n.tenant_id = _tenant and n.id = any (_ids) and graph.means(n.type, 'actor')
                                                and (n.status <> 'active' or n.archived_at is not null))
          or ops.any_held_back(_tenant)
             and exists (select 1 from ops.above(_tenant, _ids) a where ops.holds_back(a.type, a.status)) then
        return 'resting';
    end if;
    return null;
end $$;

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

revoke all on function ops.rested_by, ops.acts_for, ops.stops_upon, ops.in_force, ops.all_frozen, ops.clock_stop from public;
grant execute on function ops.rested_by, ops.in_force, ops.all_frozen, ops.clock_stop to {app};
