-- name: board
-- What the runner looks at.
select * from ops.job_board(%(now)s, %(names)s, %(crons)s);

-- name: topics
-- What was announced since.
select * from ops.topics_after(%(line)s);

-- name: put
-- When a job of the house starts next here, by this expression and these clocks.
insert into ops.jobs (tenant_id, name, kind, cron, zone, next_at)
values (ops.tenant(), %(name)s, 'house', %(cron)s, %(zone)s, %(next)s)
on conflict (tenant_id, name) do update
   set cron = excluded.cron, zone = excluded.zone, next_at = excluded.next_at;

-- name: take
-- Take an occurrence, once for it and for all that were missed; nothing where somebody was first.
update ops.jobs set taken = next_at, next_at = %(next)s
 where tenant_id = ops.tenant() and name = %(name)s and state = 'on' and next_at = %(due)s and taken is null
returning name;

-- name: ended
-- An occurrence is over.
update ops.jobs
   set taken = null, tries = 0, last_at = case when %(did)s or kind = 'house' then %(now)s else last_at end
 where tenant_id = ops.tenant() and name = %(name)s and taken = %(due)s;

-- name: over
-- What was for one moment is gone with it.
delete from ops.jobs
 where tenant_id = ops.tenant() and name = %(name)s and kind <> 'house' and cron is null and next_at is null and taken is null;

-- name: tried
-- An occurrence failed and is to be tried again.
update ops.jobs set tries = tries + 1 where tenant_id = ops.tenant() and name = %(name)s and taken = %(due)s;

-- name: note
-- A run, written down.
insert into ops.job_runs (tenant_id, id, job, item, cause, due, started_at, duration_ms, status, did, result, error, tokens,
                          cost_usd, session_id, action_id)
values (ops.tenant(), %(id)s, %(job)s, %(item)s, %(cause)s, %(due)s, %(started)s, %(duration)s, %(status)s, %(did)s,
        %(result)s, %(error)s, %(tokens)s, %(cost)s, %(session)s, %(action)s);

-- name: failing
-- Whether the last run of a job, for this thing, failed.
select 1 from (select x.status from ops.job_runs x
                where x.tenant_id = ops.tenant() and x.job = %(job)s and x.item is not distinct from %(item)s::text
                order by x.started_at desc, x.id desc limit 1) last
 where last.status = 'failed';

-- name: rows
-- The jobs of this company that have a row, or one of them.
select name, kind, node_id, agent, cron, zone, says, state, next_at, taken, tries, last_at, paused_by from ops.jobs
 where tenant_id = ops.tenant() and (%(name)s::text is null or name = %(name)s)
 order by kind = 'house' desc, next_at, name;

-- name: last_runs
-- The last run of each of these jobs, and of each the last that did something.
select w.name, r.started_at, r.status, r.did, r.error, d.did as did_last
  from unnest(%(names)s::text[]) w (name)
  cross join lateral (select x.started_at, x.status, x.did, x.error from ops.job_runs x
                       where x.tenant_id = ops.tenant() and x.job = w.name order by x.started_at desc, x.id desc limit 1) r
  left join lateral (select x.did from ops.job_runs x
                      where x.tenant_id = ops.tenant() and x.job = w.name and x.did is not null
                      order by x.started_at desc, x.id desc limit 1) d on true;

-- name: runs
-- Runs, newest first, each with what its session used.
select r.id, r.job, r.item, r.cause, r.started_at, r.duration_ms, r.status, r.did, r.result, r.error, r.session_id, r.action_id,
       coalesce(r.tokens, 0) + coalesce(c.tokens, 0) as tokens, coalesce(r.cost_usd, 0) + coalesce(c.usd, 0) as cost_usd
  from ops.job_runs r
  left join lateral (select sum(l.tokens_in + l.tokens_out) as tokens, sum(l.cost_usd) as usd from ops.llm_call_log l
                      where l.tenant_id = r.tenant_id and l.session_id = r.session_id) c on true
 where r.tenant_id = ops.tenant() and (%(job)s::text is null or r.job = %(job)s)
 order by r.started_at desc, r.id desc
 limit %(limit)s;

-- name: switch
-- On, or paused by whom, and when it starts next.
insert into ops.jobs (tenant_id, name, kind, cron, zone, state, next_at, paused_by)
values (ops.tenant(), %(name)s, 'house', %(cron)s, %(zone)s, %(state)s, %(next)s, %(by)s)
on conflict (tenant_id, name) do update
   set state = excluded.state, next_at = excluded.next_at, paused_by = excluded.paused_by;

-- name: zone
-- The company's own time zone.
select time_zone from ops.tenants where id = ops.tenant();

-- name: forget
-- Runs of long ago.
with gone as (delete from ops.job_runs where tenant_id = ops.tenant() and started_at < %(before)s returning 1)
select count(*) as many from gone;

-- name: clock_stop
-- What stops the clocks of these.
select ops.clock_stop(ops.tenant(), %(ids)s::uuid[], %(now)s);
