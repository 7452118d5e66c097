-- name: left
-- What is left of the limits of a mission and those above it, after what was spent, set aside or promised to open parts.
select l.scope, m.slug, l.tokens_hard - u.tokens - u.reserved_tokens - p.tokens as tokens,
       l.usd_hard - u.usd - u.reserved_usd - p.usd as usd
  from ops.limits(ops.scopes_of(null, %(mission)s)) l
  cross join lateral ops.used(l.scope, l.period, null, %(now)s) u
  join graph.nodes m on m.tenant_id = ops.tenant()
   and m.id = case when l.scope like 'mission:%%' then substr(l.scope, 9)::uuid end
  cross join lateral ops.promised(m.id, %(except)s) p
 where l.period = 'total';

-- name: lock_mission
-- One allotment at a time out of the same mission, and one end of its parts.
select pg_advisory_xact_lock(hashtextextended('mission:' || %(id)s, 0));

-- name: below
-- A mission and everything below it, with what each has used itself.
with recursive down as (
    select %(id)s::uuid as id, null::uuid as parent, 0 as depth
    union all
    select e.from_id, e.to_id, down.depth + 1 from down
      join graph.edges e on e.tenant_id = ops.tenant() and e.to_id = down.id and e.type = 'parent_mission' and e.live
     where down.depth < 50
)
select n.id, down.parent, down.depth, n.slug, n.title, n.status, n.props ->> 'deadline' as deadline,
       case when n.status = 'failed' then coalesce(n.props ->> 'status_reason', n.props ->> 'outcome_summary')
            else n.props ->> 'outcome_summary' end as outcome, n.taint,
       coalesce(c.tokens, 0) as tokens, coalesce(c.cached, 0) as cached, coalesce(c.usd, 0) as usd,
       coalesce(c.unpriced, 0) as unpriced, coalesce(c.estimated, 0) as estimated
  from down
  join graph.nodes n on n.tenant_id = ops.tenant() and n.id = down.id and (n.archived_at is null or down.depth = 0)
  left join lateral (select sum(d.tokens_in + d.tokens_out) as tokens, sum(d.tokens_cached) as cached, sum(d.cost_usd) as usd,
                            sum(d.unpriced) as unpriced, sum(d.estimated) as estimated
                       from ops.llm_daily d where d.tenant_id = ops.tenant() and d.mission_id = n.id::text) c on true
 order by down.depth, n.created_at, n.slug
 limit 2000;

-- name: live_for
-- Sessions that work on a mission.
select s.id, s.agent, s.state from ops.sessions s
 where s.tenant_id = ops.tenant() and ops.live(s.state) and s.trigger ->> 'mission' = %(mission)s;

-- name: left_in_hand
-- Whether an agent has a mission in hand, and neither a part of it nor an answer is waited for.
select exists (select 1 from graph.nodes m
                 join graph.edges x on x.tenant_id = ops.tenant() and x.from_id = m.id and x.type = 'assigned_to' and x.live
                 join graph.nodes a on a.tenant_id = ops.tenant() and a.id = x.to_id and a.slug = %(agent)s
                where m.tenant_id = ops.tenant() and m.id = %(mission)s::uuid and m.archived_at is null
                  and ops.mission_is(m.status, 'in_hand')
                  and not exists (select 1 from graph.edges p
                                    join graph.nodes c on c.tenant_id = ops.tenant() and c.id = p.from_id
                                   where p.tenant_id = ops.tenant() and p.to_id = m.id and p.live
                                     and (p.type = 'parent_mission' and not ops.mission_is(c.status, 'over')
                                          or p.type = 'for_mission' and c.type = 'escalation'
                                             and ops.ask_waits(c.type, c.status)))) as left;

-- name: waited_for
-- Whether a call of a session of this agent waits for one of these things.
select exists (select 1 from ops.sessions s, ops.awaited(s.id) thing
                where s.tenant_id = ops.tenant() and s.agent = %(agent)s and ops.live(s.state)
                  and thing = any(%(things)s)) as waited;

-- name: pending_hires
-- Hires for a mission that wait for a yes, or just got it: the mission is given out once the agent is there.
select a.id, a.slug, a.status from graph.nodes a
 where a.tenant_id = ops.tenant() and a.type = 'approval' and a.archived_at is null
   and (ops.ask_waits(a.type, a.status) or a.status = 'approved' or a.status = 'done' and (a.props ->> 'decided_at')::timestamptz > %(since)s)
   and a.props ->> 'verb' = 'agent.hire' and a.props -> 'arguments' ->> 'mission' in (%(id)s, %(slug)s)
 order by a.created_at;

-- name: serving_none
-- Open missions that trace to no objective, themselves or by what they are a part of.
select n.slug from graph.nodes n
 where n.tenant_id = ops.tenant() and n.type = 'mission' and n.archived_at is null and not n.status = any(%(closed)s)
   and not exists (select 1 from ops.mission_line(n.id) up
                     join graph.edges e on e.tenant_id = ops.tenant() and e.from_id = up.id and e.type = 'serves' and e.live)
 order by n.created_at, n.slug
 limit 200;

-- name: imported
-- Missions that were made of a task list.
select n.id from graph.nodes n
 where n.tenant_id = ops.tenant() and n.type = 'mission' and n.external_source = %(source)s
   and starts_with(n.external_id, %(list)s)
 limit 5000;

-- name: resting
-- Missions below one that rest and that nobody ever had, in the order in which they were made.
with recursive down as (
    select %(id)s::uuid as id, 0 as depth
    union all
    select e.from_id, down.depth + 1 from down
      join graph.edges e on e.tenant_id = ops.tenant() and e.to_id = down.id and e.type = 'parent_mission' and e.live
     where down.depth < 50
)
select n.id
  from down
  join graph.nodes n on n.tenant_id = ops.tenant() and n.id = down.id and n.archived_at is null
 where down.depth > 0 and n.status = 'paused' and n.props ->> 'started_at' is null
   and not exists (select 1 from graph.edges e
                    where e.tenant_id = n.tenant_id and e.from_id = n.id and e.type = 'assigned_to')
 order by n.created_at, n.number, n.slug
 limit 1000;

-- name: start_asks
-- What is asked of this kind about a mission, or about whatever it is part of, and still waits.
select p.id
  from ops.above(ops.tenant(), array[%(id)s::uuid]) a
  join graph.edges e on e.tenant_id = ops.tenant() and e.to_id = a.id and e.type = 'about' and e.live
  join graph.nodes p on p.tenant_id = ops.tenant() and p.id = e.from_id and p.type = 'proposal'
                    and ops.ask_waits(p.type, p.status) and p.props ->> 'kind' = %(kind)s;

-- name: cost_of
-- What missions cost.
select coalesce(sum(d.cost_usd), 0) as usd, coalesce(sum(d.tokens_in + d.tokens_out), 0) as tokens,
       coalesce(sum(d.unpriced), 0) as unpriced
  from ops.llm_daily d where d.tenant_id = ops.tenant() and d.mission_id = any(%(missions)s);

-- name: measurements
-- What was measured of an objective, the latest first.
select v.recorded_at as at, (v.patch -> 'props' ->> 'measured_value')::numeric as value, v.reason
  from graph.versions v
 where v.tenant_id = ops.tenant() and v.item_id = %(id)s and v.op = 'update'
   and v.patch -> 'props' ->> 'measured_value' is not null
 order by v.recorded_at desc, v.seq desc
 limit %(limit)s;

-- name: asked_of
-- A message that somebody waits for the answer to.
select regexp_replace(m.recipient, '^agent:', '') as whom, m.body, m.created_at as at, m.taint
  from ops.messages m where m.tenant_id = ops.tenant() and m.id = %(id)s;

-- name: who_works
-- Who works on a mission now and what each waits for; where nobody does, whose session was the last and how that ended.
select s.agent, s.state, s.closed_as as ended, ops.live(s.state) as live,
       array(select w.thing from ops.waits w where w.tenant_id = s.tenant_id and w.session_id = s.id order by w.thing) as waits
  from ops.sessions s
 where s.tenant_id = ops.tenant() and s.kind = 'agent' and s.trigger ->> 'mission' = %(mission)s
   and s.agent = %(agent)s
 order by ops.live(s.state) desc, s.created_at desc
 limit 5;
