-- Jobs: what the runner has to know of every company. Never a company's own rows beyond that.

-- Whom and what a job is for: its agent, its node, and who does what that node says.
create or replace function ops.job_ends(_job ops.jobs) returns uuid[]
    language sql stable
    set search_path = pg_catalog, pg_temp
begin atomic
    select array(select n.id from graph.nodes n
                  where n.tenant_id = _job.tenant_id and n.slug = _job.agent and graph.means(n.type, 'actor')
                 union all
                 select _job.node_id where _job.node_id is not null
                 union all
                 select e.to_id from graph.edges e
                  where e.tenant_id = _job.tenant_id and e.from_id = _job.node_id and graph.means(e.type, 'does') and e.live);
end;

-- The runner's board, in one look:
--   due     an occurrence whose time has come, or that somebody took and never ended, of whom nothing is frozen
--   next    the earliest one to come
--   unset   a company in which a job of the house has no time yet, or one by another cron expression or other clocks
--   paused  a job of the house that rests in a company
--   frozen  a company in which nothing is to begin
create or replace function ops.job_board(_now timestamptz, _names text[], _crons text[])
    returns table (what text, tenant_id uuid, name text, kind text, node_id uuid, agent text, cron text, zone text,
                   next_at timestamptz, taken timestamptz, tries smallint, last_at timestamptz)
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    (select 'due', j.tenant_id, j.name, j.kind, j.node_id, j.agent, j.cron, j.zone, j.next_at, j.taken, j.tries, j.last_at
       from ops.jobs j
       join ops.tenants t on t.id = j.tenant_id
      where (j.state = 'on' and j.next_at <= _now or j.taken is not null)
        and (j.kind <> 'house' or j.zone = t.time_zone)
        and ops.clock_stop(j.tenant_id, ops.job_ends(j), _now) is distinct from 'frozen'
      order by coalesce(j.taken, j.next_at), j.name
      limit 500)
    union all
    (select 'next', j.tenant_id, j.name, j.kind, null, null, null, null, j.next_at, null, 0::smallint, null
       from ops.jobs j where j.state = 'on' and j.next_at > _now order by j.next_at limit 1)
    union all
    select 'unset', t.id, d.name, 'house', null, null, d.cron, t.time_zone, j.next_at, null, 0::smallint, j.last_at
      from ops.tenants t
      cross join unnest(_names, _crons) d (name, cron)
      left join ops.jobs j on j.tenant_id = t.id and j.name = d.name
     where j.cron is distinct from d.cron or j.zone is distinct from t.time_zone
    union all
    select 'paused', j.tenant_id, j.name, j.kind, null, null, null, null, null, null, 0::smallint, null
      from ops.jobs j where j.state = 'paused' and j.kind = 'house'
    union all
    select 'frozen', f.tenant_id, null, null, null, null, null, null, f.until, null, 0::smallint, null
      from ops.freezes f where f.scope = 'all' and ops.in_force(f, _now);
end;

-- What was announced in which company behind that line, and where the line is now.
create or replace function ops.topics_after(_line bigint) returns table (tenant_id uuid, topic text, line bigint)
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    select distinct o.tenant_id, o.topic, a.chained
      from ops.announcer a
      left join ops.outbox o on o.seq > _line and o.seq <= a.chained;
end;

revoke all on function ops.job_ends, ops.job_board, ops.topics_after from public;
grant execute on function ops.job_board, ops.topics_after to {app};
