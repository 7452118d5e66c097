-- What wakes sessions, whether there is work, and what is wrong with those that do it.

-- Wake whom the settled events concern, and whose moment has come. Says how many sessions became ready to be worked on.
create or replace function ops.route(_now timestamptz) returns integer
    language plpgsql security definer
    set search_path = pg_catalog, pg_temp
as $$
declare
    mark ops.announcer;
    many integer := 0;
    more integer;
begin
    select * into mark from ops.announcer where chained > routed or routed > looked_from for update;
    if found then
        update ops.sessions s set state = 'queued', updated_at = _now
          from ops.outbox o
          join ops.waits w on w.tenant_id = o.tenant_id and w.since < o.seq
                          and w.thing = split_part(o.topic, '.', 1) || ':' || (o.payload ->> 'id')
                          and ops.ends_wait(w, o.topic)
         where o.seq > mark.looked_from and o.seq <= mark.chained and s.tenant_id = w.tenant_id and s.id = w.session_id
           and s.state = 'waiting';
        get diagnostics many = row_count;
        select many + count(*) into many from ops.outbox o
         where o.seq > mark.routed and o.seq <= mark.chained and o.topic = 'session.queued';
        if mark.looked_at < clock_timestamp() - interval '5 seconds' then
            mark.looked_from := mark.routed;
            mark.looked_at := clock_timestamp();
        end if;
        update ops.announcer set routed = mark.chained, looked_from = mark.looked_from, looked_at = mark.looked_at;
    end if;
    update ops.sessions s set state = 'queued', wake_at = null, updated_at = _now
     where s.state = 'waiting' and s.wake_at <= _now;
    get diagnostics more = row_count;
    return many + more;
end $$;

-- When the next session wakes by itself, of all that wait.
create or replace function ops.next_wake() returns timestamptz
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    select min(s.wake_at) from ops.sessions s where s.state = 'waiting' and s.wake_at is not null;
end;

-- Whether anybody works on a session: one whose worker falls silent has to be taken over.
create or replace function ops.any_at_work() returns boolean
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    select exists (select 1 from ops.sessions s where s.state = 'running');
end;

-- Whether there is anything for a worker to do.
create or replace function ops.work_waits() returns boolean
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    select exists (select 1 from ops.sessions where state = 'queued')
        or exists (select 1 from ops.sessions where state = 'running' and lease_until < clock_timestamp());
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
         where s.ended_at > _now - interval '1 hour' and s.state in ('done', 'failed')
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

revoke all on function ops.watch, ops.route, ops.next_wake, ops.any_at_work, ops.work_waits from public;
grant execute on function ops.watch, ops.route, ops.next_wake, ops.any_at_work, ops.work_waits to {app};
