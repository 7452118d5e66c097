-- What the house has to know of every company's agents to look after them: never a company's own rows beyond that.

-- Companies with events nobody has routed yet, or with events that wait for an agent that may be woken.
create or replace function ops.with_news()
    returns table (tenant_id uuid)
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    select j.tenant_id
      from ops.jobs j
      cross join ops.announcer a
     where j.name = 'route'
       and (exists (select 1 from ops.outbox o where o.tenant_id = j.tenant_id and o.seq > j.upto and o.seq <= a.chained)
            or exists (select 1 from ops.wakes w where w.tenant_id = j.tenant_id));
end;

-- What is wrong with sessions and agents, in every company, that nobody was told of yet. No model is asked.
create or replace function ops.watch(_silent interval, _idle interval, _failures integer, _memories integer, _now timestamptz)
    returns table (tenant_id uuid, agent text, session_id uuid, kind text, once text, summary text)
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
as $$
    with found as (
        select s.tenant_id, s.agent, s.id as session_id, 'heartbeat' as kind, 'heartbeat:' || s.id || ':' || s.holder as once,
               'its worker fell silent and nobody has taken the session over' as summary
          from ops.sessions s
         where s.state = 'running' and s.lease_until < clock_timestamp() - _silent
        union all
        select s.tenant_id, s.agent, s.id, 'activity_timeout', 'activity:' || s.id || ':' || j.step,
               'no step for ' || extract(epoch from _now - j.created_at)::int / 60 || ' minutes while running'
          from ops.sessions s
          cross join lateral (select x.step, x.created_at from ops.journal x
                               where x.tenant_id = s.tenant_id and x.session_id = s.id order by x.step desc limit 1) j
         where s.state = 'running' and s.lease_until >= clock_timestamp() and greatest(j.created_at, s.updated_at) < _now - _idle
        union all
        select s.tenant_id, s.agent, null, 'error_rate',
               'errors:' || s.agent || ':' || to_char(_now at time zone 'UTC', 'YYYY-MM-DD"T"HH24'),
               count(*) filter (where s.state = 'failed') || ' of ' || count(*) || ' sessions failed within an hour'
          from ops.sessions s
         where s.ended_at > _now - interval '1 hour' and s.state <> 'stopped'
           and not s.trigger ? 'client'  -- a program is told at once why it got no answer
         group by s.tenant_id, s.agent
        having count(*) filter (where s.state = 'failed') >= _failures
           and count(*) filter (where s.state = 'failed') * 2 >= count(*)
        union all
        select a.tenant_id, a.slug, null, 'memory_pool',
               'memory:' || a.slug || ':' || to_char(_now at time zone 'UTC', 'IYYY-"W"IW'),
               'remembers ' || m.many || ' things; more than ' || _memories || ' are no longer a help'
          from graph.nodes a
          cross join lateral (select count(*) as many from graph.edges e
                                join graph.nodes n on n.tenant_id = e.tenant_id and n.id = e.from_id
                               where e.tenant_id = a.tenant_id and e.to_id = a.id and e.type = 'remembered_by' and e.live
                                 and n.type = 'memory_entry' and n.archived_at is null) m
         where a.type = 'agent' and a.archived_at is null and m.many > _memories
    )
    select f.* from found f
     where not exists (select 1 from graph.nodes n
                        where n.tenant_id = f.tenant_id and n.external_source = 'watchdog' and n.external_id = f.once)
     order by f.tenant_id, f.agent
     limit 100
$$;

-- Somebody and whom they lead: the agents, their nodes with their personas and seats, and as what they call and write. Asked of
-- nearly every call of an agent, and planned once: planning it took longer than doing it.
create or replace function ops.sight(_agent text, _principal uuid)
    returns table (agents text[], parties uuid[], principals uuid[], producers uuid[])
    language plpgsql stable
    set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan
as $$
begin
    return query
    with recursive below as (
        select s.position, 0 as far from ops.seats s where s.tenant_id = ops.tenant() and s.agent_slug = _agent
        union
        select e.from_id, b.far + 1
          from below b join graph.edges e on e.tenant_id = ops.tenant() and e.to_id = b.position
         where e.type = 'reports_to' and e.live and b.far < 20
    ), them as materialized (
        select _agent as slug where _agent is not null
        union
        select s.agent_slug from ops.seats s
         where s.tenant_id = ops.tenant() and s.agent_slug is not null
           and s.position in (select b.position from below b where b.far > 0 offset 0)
    ), nodes as materialized (
        select n.id from graph.nodes n
         where n.tenant_id = ops.tenant() and n.slug = any(array(select t.slug from them t)) and n.type = 'agent'
    ), places as materialized (
        select n.id from nodes n
        union
        select s.position from ops.seats s where s.tenant_id = ops.tenant() and s.agent_slug in (select t.slug from them t)
    ), names as materialized (
        select p.id, p.producer_id from ops.principals p
         where p.tenant_id = ops.tenant()
           and (p.id = _principal or p.kind in ('agent', 'worker')
                                        and split_part(split_part(p.actor, ':', 2), '/', 1) in (select t.slug from them t))
    )
    select array(select t.slug from them t order by t.slug) as agents,
           array(select p.id from places p
                 union
                 select e.to_id from places p
                   join graph.edges e on e.tenant_id = ops.tenant() and e.from_id = p.id and e.live
                                     and e.type in ('embodies', 'in_organisation')) as parties,
           array(select p.id from names p) as principals,
           array(select p.producer_id from names p where p.producer_id is not null) as producers;
end $$;

revoke all on function ops.with_news, ops.watch, ops.sight from public;
grant execute on function ops.with_news, ops.watch, ops.sight to {app};
