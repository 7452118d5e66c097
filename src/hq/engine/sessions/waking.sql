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

revoke all on function ops.route, ops.next_wake, ops.any_at_work, ops.work_waits from public;
grant execute on function ops.route, ops.next_wake, ops.any_at_work, ops.work_waits to {app};
