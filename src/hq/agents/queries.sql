-- name: keep_question
-- What a stopped session was woken with is before the one that begins instead.
update ops.messages set session_id = %(to)s
 where tenant_id = ops.tenant() and session_id = %(from)s and state in ('delivered', 'read')
   and id::text = (select s.trigger ->> 'message' from ops.sessions s where s.tenant_id = ops.tenant() and s.id = %(from)s);

-- name: company
-- The company of this call.
select slug, time_zone from ops.tenants where id = ops.tenant();

-- name: set_scopes
-- What the sessions of an agent may do.
update ops.principals set scopes = %(scopes)s
 where tenant_id = ops.tenant() and id = %(id)s and scopes is distinct from %(scopes)s::text[];

-- name: begin_routing
-- From here on this company's events are routed; what was before wakes nobody.
insert into ops.jobs (tenant_id, name, kind, upto)
select ops.tenant(), 'route', 'house', chained from ops.announcer
on conflict do nothing;

-- name: beats
-- The beats of an agent, or of all.
select agent, cron, says, after_work, state = 'on' as enabled, next_at as due_at, last_at, paused_by from ops.jobs
 where tenant_id = ops.tenant() and kind = 'beat' and (%(agent)s::text is null or agent = %(agent)s)
 order by agent, next_at, cron;

-- name: put_beat
-- A beat. One that is there stays on or off, and one that is due stays due.
with there as (
    update ops.jobs j
       set says = %(says)s, after_work = %(after_work)s, zone = %(zone)s,
           next_at = case when j.next_at > %(now)s then %(due)s else j.next_at end
     where j.tenant_id = ops.tenant() and j.kind = 'beat' and j.agent = %(agent)s and j.cron = %(cron)s
    returning 1
)
insert into ops.jobs (tenant_id, name, kind, agent, cron, zone, says, after_work, next_at, seen)
select ops.tenant(),
       'beat:' || %(agent)s || ':' || (select coalesce(max(split_part(x.name, ':', 3)::integer), 0) + 1 from ops.jobs x
                                        where x.tenant_id = ops.tenant() and x.kind = 'beat' and x.agent = %(agent)s),
       'beat', %(agent)s, %(cron)s, %(zone)s, %(says)s, %(after_work)s, %(due)s, %(seq)s
 where not exists (select 1 from there);

-- name: drop_beats
-- Beats that the agent's file no longer has.
delete from ops.jobs
 where tenant_id = ops.tenant() and kind = 'beat' and agent = %(agent)s and not cron = any(%(crons)s);

-- name: switch_beats
-- Beats on or off; from now on, not from when they were last due.
update ops.jobs set state = %(state)s, next_at = %(due)s, paused_by = %(by)s
 where tenant_id = ops.tenant() and kind = 'beat' and agent = %(agent)s and cron = %(cron)s;

-- name: beat
-- A beat, for one who looks at it alone.
select says, after_work, seen from ops.jobs
 where tenant_id = ops.tenant() and kind = 'beat' and agent = %(agent)s and cron = %(cron)s
   for update;

-- name: note_beat
-- A beat was looked at: how far the ledger was then.
update ops.jobs set seen = %(seq)s
 where tenant_id = ops.tenant() and kind = 'beat' and agent = %(agent)s and cron = %(cron)s;

-- name: worked
-- Whether anybody did anything since: a person, a program from outside, or an agent that no beat set to work. What the
-- house does by itself is no work, in its own name or an agent's, and a beat is no reason for the next.
select exists (
    select from ops.agent_actions a
      left join ops.credentials c on c.tenant_id = a.tenant_id and c.id = a.credential_id
     where a.tenant_id = ops.tenant() and a.seq > %(seen)s and a.seq < %(seq)s
       and a.status = 'ok' and a.kind in ('write', 'effect') and a.actor <> 'service:hq'
       and case when a.session_id is null then c.name is distinct from 'by the house'
                else ops.set_off_by(a.session_id) is distinct from 'beat' end
) as worked;

-- name: unheld
-- What waits for an agent goes with its next session.
delete from ops.wakes w
 where w.tenant_id = ops.tenant() and w.agent = %(agent)s
   and (w.seq, w.ordinal) in (select x.seq, x.ordinal from ops.wakes x
                               where x.tenant_id = ops.tenant() and x.agent = %(agent)s
                               order by x.seq, x.ordinal limit %(limit)s)
returning w.seq, w.ordinal, w.topic, w.payload, w.taint, w.hops, w.root, w.created_at;

-- name: add_to_session
-- More for a session that nobody has taken up yet.
select ops.add_to_session(%(id)s, %(events)s, %(taint)s, %(hops)s) as added;

-- name: present
-- What the sessions say of the agents' presence, and with which step the one that is not over lay down.
select p.*, (select j.payload from ops.journal j
              where p.waiting > 0 and j.tenant_id = ops.tenant() and j.session_id = p.live and j.kind = 'wait'
              order by j.step desc limit 1) as wait
  from (select s.agent, count(*) filter (where s.state = 'running' and s.lease_until > clock_timestamp()) as running,
               count(*) filter (where s.state = 'queued') as queued, count(*) filter (where s.state = 'waiting') as waiting,
               max(s.ended_at) as ended_at,
               (array_agg(s.id order by s.created_at desc) filter (where ops.live(s.state)))[1] as live
          from ops.sessions s
         where s.tenant_id = ops.tenant() and s.kind = 'agent' and (%(agent)s::text is null or s.agent = %(agent)s)
           and (ops.live(s.state) or s.ended_at > %(since)s)
         group by s.agent) p;

-- name: busy_beside
-- Who is at work beside its own sessions: a conversation before helpers.
select agent, min(kind) as kind from ops.sessions
 where tenant_id = ops.tenant() and kind <> 'agent' and ops.busy(state) and (%(agent)s::text is null or agent = %(agent)s)
 group by agent;

-- name: live_sessions
-- Sessions of an agent that are not over.
select s.id, s.state, s.trigger_kind, s.trigger from ops.sessions s
 where s.tenant_id = ops.tenant() and s.kind = 'agent' and (%(agent)s::text is null or s.agent = %(agent)s)
   and s.state = any(%(states)s) and s.created_at < %(before)s and s.stop is null
 order by s.created_at, s.id;

-- name: chain
-- How many wakes by agents led to this session, where that began, and whether it did more than talk.
select coalesce((s.trigger ->> 'hops')::integer, 0) as hops, coalesce((s.trigger ->> 'root')::uuid, s.id) as root,
       exists (select 1 from ops.journal j
                join ops.agent_actions a on a.tenant_id = j.tenant_id and a.id = j.action_id
               where j.tenant_id = s.tenant_id and j.session_id = %(id)s and a.kind in ('write', 'effect')
                 and a.status = 'ok' and a.action_type <> all(%(talk)s)) as worked
  from ops.sessions s where s.tenant_id = ops.tenant() and s.id = ops.head_session(%(id)s);

-- name: employed
-- The company, and what the graph knows of one of its agents.
select t.slug as company, n.props,
       exists (select 1 from (select * from ops.seats x where x.tenant_id = ops.tenant() and x.agent_slug = %(agent)s offset 0) s
                 join graph.edges h on h.tenant_id = s.tenant_id and h.from_id = s.position and h.type = 'has_role' and h.live
                 join graph.nodes r on r.tenant_id = s.tenant_id and r.id = h.to_id
                where r.props ->> 'name' = 'ar-director') as directs
  from ops.tenants t
  left join graph.nodes n on n.tenant_id = t.id and n.slug = %(agent)s and n.type = 'agent'
 where t.id = ops.tenant();

-- name: held_counts
-- How many events wait for each agent.
select agent, count(*) as many from ops.wakes where tenant_id = ops.tenant() group by agent;

-- name: put_resume
-- A pause ends by itself then.
insert into ops.jobs (tenant_id, name, kind, agent, says, next_at)
values (ops.tenant(), 'resume:' || %(agent)s, 'resume', %(agent)s, 'the pause of ' || %(agent)s || ' ends', %(due)s)
on conflict (tenant_id, name) do update set next_at = excluded.next_at, taken = null;

-- name: forget_resume
-- A pause that ends by itself no longer does.
delete from ops.jobs where tenant_id = ops.tenant() and name = 'resume:' || %(agent)s;

-- name: continue
-- A session was ended that another is to go on with.
insert into ops.wakes (tenant_id, agent, seq, ordinal, topic, payload, created_at)
values (ops.tenant(), %(agent)s, %(seq)s, %(ordinal)s, 'session.rotated', %(about)s, %(now)s)
on conflict do nothing;

-- name: watched
-- The session an agent works on, or worked on last.
select s.id, s.state from ops.sessions s
 where s.tenant_id = ops.tenant() and s.agent = %(agent)s and (%(id)s::uuid is null or s.id = %(id)s)
 order by ops.live(s.state) desc, s.created_at desc, s.id desc
 limit 1;

-- name: last_steps
-- The latest steps of a session, in order.
select * from (select step, kind, payload, created_at from ops.journal
                where tenant_id = ops.tenant() and session_id = %(id)s and step > %(after)s
                order by step desc limit %(limit)s) s
 order by step;

-- name: watch
-- What is wrong, that nobody was told of yet.
select * from ops.watch(%(silent)s, %(idle)s, %(failures)s, %(memories)s, %(now)s);

-- name: leads
-- Whether an agent sits above one of some others.
with recursive above as (
    select s.position, 0 as far from ops.seats s where s.tenant_id = ops.tenant() and s.agent_slug = any(%(others)s)
    union
    select e.to_id, a.far + 1
      from above a join graph.edges e on e.tenant_id = ops.tenant() and e.from_id = a.position
     where e.type = 'reports_to' and e.live and a.far < 20
)
select exists (select 1 from ops.seats s
                where s.tenant_id = ops.tenant() and s.agent_slug = %(agent)s
                  and s.position in (select a.position from above a where a.far > 0 offset 0)) as leads;

-- name: belongs
-- Whether an agent works in an organisation: by its seat, or without one.
select exists (select 1 from ops.seats s
                where s.tenant_id = ops.tenant() and s.agent_slug = %(agent)s and s.organisation = %(organisation)s)
    or exists (select 1
                 from graph.nodes a
                 join graph.edges i on i.tenant_id = a.tenant_id and i.from_id = a.id and i.type = 'in_organisation' and i.live
                where a.tenant_id = ops.tenant() and a.type = 'agent' and a.slug = %(agent)s and a.archived_at is null
                  and i.to_id = %(organisation)s) as belongs;

-- name: sight
-- Somebody and whom they lead: the agents, their nodes with their personas, seats and organisations, and as what they
-- call and write.
select agents, parties, principals, producers from ops.sight(%(agent)s, %(principal)s);

-- name: founders_thread
-- The live thread of that name.
select id::text from ops.sessions
 where tenant_id = ops.tenant() and name = %(name)s and kind = 'thread' and ops.live(state);
