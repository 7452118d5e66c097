-- name: reserve
-- Set aside what a call may cost.
select scope, period, measure, hard, spent, began_at, turns_at, reserved, asked, title, verdict, agent_status, granted, kept
  from ops.reserve_call(%(id)s, %(agent)s, %(mission)s, %(session)s, %(task)s, %(holder)s, %(provider)s, %(model)s,
                        %(tier)s, %(purpose)s, %(usd)s, %(usd_in)s, %(tokens_in)s, %(tokens_out)s, %(share)s, %(margin)s,
                        %(silent)s, %(least)s, %(now)s);

-- name: settle
-- What a call came to.
select scope, period, measure, coalesce(hard, 0) as hard, spent, began_at, null::timestamptz as turns_at,
       0::numeric as reserved, 0::numeric as asked, ops.scope_title(scope) as title
  from ops.settle_call(%(id)s, %(provider)s, %(model)s, %(tokens_in)s, %(tokens_out)s, %(tokens_cached)s,
                       %(tokens_counted)s, %(usd)s, %(priced)s, %(estimated)s, %(latency)s, %(error)s, %(now)s);

-- name: sweep
-- Calls whose worker is gone.
select ops.sweep_reservations(%(patience)s, %(now)s);

-- name: standing
-- The share of the limits that the trend of seven days, or what was spent already, comes to; and the heavy turns today.
select least(1, coalesce(max(greatest(d.daily * case l.period when 'month' then 30 else 1 end, u.usd)
                             / nullif(l.usd_hard, 0)), 0))::float8 as pressure,
       coalesce(max(u.heavy) filter (where l.period = 'day' and l.scope like 'agent:%%'), 0)::bigint as heavy_today,
       min(l.heavy_hard) filter (where l.period = 'day' and l.scope like 'agent:%%')::bigint as heavy_cap
  from ops.limits(ops.scopes_of(%(agent)s, null)) l
  cross join lateral ops.used(l.scope, l.period, null, %(now)s) u
  cross join lateral (
      select coalesce(sum(x.cost_usd), 0) / 7 as daily from ops.llm_daily x
       where x.tenant_id = ops.tenant() and x.day >= (%(now)s::timestamptz at time zone 'UTC')::date - 7
         and x.day < (%(now)s::timestamptz at time zone 'UTC')::date
         and (l.scope = 'tenant' or (l.scope = 'agent:' || %(agent)s and x.agent_id = %(agent)s))
  ) d
 where l.period in ('day', 'month');

-- name: limits
-- Every limit that binds somebody, or those of one scope, with what is used of it.
select l.*, u.*, b.slug as budget
  from ops.limits(case when %(scope)s::text is not null then array[%(scope)s] else (
        select array_agg(x.s) from (
            select 'tenant' as s
            union all
            (select 'agent:' || slug from graph.nodes
              where tenant_id = ops.tenant() and graph.means(type, 'actor') and archived_at is null
              order by created_at desc limit 200)
            union all
            (select 'mission:' || id from graph.nodes
              where tenant_id = ops.tenant() and graph.means(type, 'work') and archived_at is null and not graph.over(type, status)
              order by created_at desc limit 200)
            union all
            (select case when graph.means(type, 'seat') then 'seat:' else 'unit:' end || id from graph.nodes
              where tenant_id = ops.tenant() and (graph.means(type, 'seat') or graph.means(type, 'unit')) and archived_at is null
              order by created_at desc limit 400)) x) end) l
  cross join lateral ops.used(l.scope, l.period, null, %(now)s) u
  left join graph.nodes b on b.tenant_id = ops.tenant() and b.external_source = 'budget'
                         and b.external_id = l.scope || '/' || l.period
 where num_nonnulls(l.usd_hard, l.usd_soft, l.tokens_hard, l.tokens_soft, l.heavy_hard) > 0
 order by l.scope, l.period;

-- name: limit
-- One limit as it is now; of a limit on runs, what this session has used.
select l.*, u.* from ops.limits(array[%(scope)s]) l
  cross join lateral ops.used(l.scope, l.period, %(session)s, %(now)s) u
 where l.period = %(period)s;

-- name: title
-- What a scope is called by people.
select coalesce(ops.scope_title(%(scope)s), %(scope)s);

-- name: warn
-- Note that somebody was warned; nothing if they were already.
insert into ops.budget_warnings (tenant_id, scope, period, measure, began_at, warned_at)
values (ops.tenant(), %(scope)s, %(period)s, %(measure)s, %(began_at)s, %(now)s)
on conflict do nothing returning scope;

-- name: stop
-- Note at which limit an agent stopped.
insert into ops.budget_stops (tenant_id, agent, scope, period, measure, asked, stopped_at)
values (ops.tenant(), %(agent)s, %(scope)s, %(period)s, %(measure)s, %(asked)s, %(now)s)
on conflict (tenant_id, agent) do update
   set scope = excluded.scope, period = excluded.period, measure = excluded.measure, asked = excluded.asked,
       stopped_at = excluded.stopped_at;

-- name: stops
-- Where agents stopped, and whether that limit would still be in their way.
select s.agent, s.scope, s.period,
       exists (select 1 from ops.limits(array[s.scope]) l
                 cross join lateral ops.used(l.scope, l.period, null, %(now)s) u
                 cross join lateral (values ('usd', l.usd_hard, u.usd), ('tokens', l.tokens_hard, u.tokens),
                                            ('heavy', l.heavy_hard, u.heavy)) x (measure, hard, spent)
                where l.period = s.period and x.measure = s.measure and x.spent + s.asked > x.hard
                  -- Who sits elsewhere by now does not stand at the limit of the seat it left.
                  and (s.scope like 'mission:%%' or s.scope = any(ops.scopes_of(s.agent, null)))) as stands
  from ops.budget_stops s
 where s.tenant_id = ops.tenant() and (%(agent)s::text is null or s.agent = %(agent)s);

-- name: go
-- It may work again.
delete from ops.budget_stops where tenant_id = ops.tenant() and agent = %(agent)s;

-- name: asked
-- What was asked about a limit since its period began, newest first.
select id, slug, status, created_at from graph.nodes
 where tenant_id = ops.tenant() and graph.means(type, 'permission') and created_at >= %(since)s
   and props @> jsonb_build_object('verb', 'budget.raise', 'arguments', %(arguments)s::jsonb)
 order by created_at desc, id desc limit 1;

-- name: costs
-- What the models cost, by agent, mission, model or day: the dearest first, of days the newest. Calls for no mission are `none`.
select case %(by)s when 'agent' then d.agent_id when 'model' then d.model when 'day' then d.day::text
                   else coalesce(m.slug, nullif(d.mission_id, ''), 'none') end as who,
       sum(calls)::bigint as calls, sum(failed)::bigint as failed, sum(unpriced)::bigint as unpriced,
       sum(estimated)::bigint as estimated, sum(tokens_in)::bigint as tokens_in, sum(tokens_out)::bigint as tokens_out,
       sum(tokens_cached)::bigint as tokens_cached, sum(cost_usd) as cost_usd
  from ops.llm_daily d
  left join graph.nodes m on %(by)s = 'mission' and m.tenant_id = d.tenant_id and m.id = nullif(d.mission_id, '')::uuid
 where d.tenant_id = ops.tenant() and d.day >= %(since)s::date and (%(agent)s::text is null or d.agent_id = %(agent)s)
 group by 1
 order by case when %(by)s = 'day' then max(d.day) end desc, sum(cost_usd) desc, 1
 limit 200;

-- name: calls
-- Model calls, newest first.
select id, agent_id, session_id, step, model, tokens_in, tokens_out, tokens_cached, cost_usd, priced, estimated, latency_ms,
       error, purpose, started_at
  from ops.llm_call_log
 where tenant_id = ops.tenant() and (%(agent)s::text is null or agent_id = %(agent)s)
   and (%(session)s::uuid is null or session_id = %(session)s) and (%(before)s::bigint is null or id < %(before)s)
 order by id desc limit %(limit)s;
