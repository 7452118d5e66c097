-- The heartbeat's eyes: what there is to notice in a company, found without asking any model.

-- Settled events behind the last look that a trigger may be about: 500 at most, the rest is for the next look.
create or replace function ops.unheard(_tenant uuid, _now timestamptz)
    returns table (seq bigint, ordinal smallint, topic text, payload jsonb)
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    select o.seq, o.ordinal, o.topic, o.payload
      from ops.announcer a, ops.outbox o
     where o.tenant_id = _tenant and o.seq <= a.chained
       and o.seq > coalesce((select j.upto from ops.jobs j where j.tenant_id = _tenant and j.name = 'heartbeat'),
                            (select coalesce(max(x.seq), 0) from ops.outbox x
                              where x.tenant_id = _tenant and x.created_at < _now - interval '1 day'))
       and o.topic in ('mission.done', 'mission.failed', 'mission.submitted', 'approval.done', 'approval.failed',
                       'approval.rejected', 'approval.nudged', 'approval.escalated', 'approval.expired',
                       'proposal.nudged', 'proposal.escalated', 'review.nudged', 'review.escalated', 'escalation.nudged',
                       'escalation.escalated', 'question.nudged', 'question.escalated', 'budget.warned', 'budget.exceeded', 'session.closed', 'schedule.failed', 'job.failed')
     order by o.seq, o.ordinal
     limit 500;
end;

-- How far the caller's company has been looked at once what is unheard now is written down. Asked in the statement that
-- writes it down: an event that is settled in between would never be heard.
create or replace function ops.heard_upto(_now timestamptz) returns bigint
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    select case when count(u.seq) = 500 then max(u.seq) - 1 else (select a.chained from ops.announcer a) end
      from ops.unheard(ops.tenant(), _now) u;
end;

-- The ten triggers of seed 004, scheduled work that came back, and work that was left lying. A row is an occurrence nobody was told of yet: `n` is 1,
-- or one more where its rule arms it again. What counts as the same is in `subject`:
--   founder_message    the message nobody took up for two minutes, or the answer that broke off   never again
--   task_done          the event                                                                  never again
--   approval_waiting   the approval, once it has waited ten minutes                               never again
--   approval_resolved  the event                                                                  never again
--   backlog            the mission and who had it last; only as many as there are idle agents,    after a day, thrice;
--                      and every one that was given back                                          six times in all
--   overload           the company: no agent, or more than 80 % of them busy and three missions   after a week
--   missing_skill      the skill, for a mission that changed since the last look                  after a week
--   budget             the event, which there is once per limit and period                        never again
--   approval_stale     the event: nudged after 4 and 24 hours, escalated after 48                  never again
--   silence            what happened last, a day ago, while nothing waits                              never again
--   schedule_done      the event                                                                  never again
--   job_failed         the event: a job begins to fail                                            never again
--   mission_left       the session that ended without handing in, while nothing else goes on for it   never again
--   founder_asked      the ask: a question, other terms, a plan, help, whoever asks cannot go on without it   never again
--   ask_stale          the event: nudged after 4 and 24 hours, escalated after 48, of what is no approval    never again
--   founder_written    the message that an agent wrote to the founder, until it is read           after a day, thrice
create or replace function ops.notice(_tenant uuid, _now timestamptz)
    returns table (trigger text, subject text, n integer, severity text, facts jsonb)
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
as $$
    with since as (
        select coalesce((select j.last_at from ops.jobs j where j.tenant_id = _tenant and j.name = 'heartbeat'),
                        _now - interval '1 day') as at
    ), events as materialized (
        select u.seq || '.' || u.ordinal as id, u.seq, u.topic, u.payload from ops.unheard(_tenant, _now) u
    ), team as materialized (
        select a.slug, a.title, a.props ->> 'role' as role,
               exists (select 1 from ops.sessions s
                        where s.tenant_id = _tenant and s.agent = a.slug and s.kind = 'agent'
                          and s.state in ('queued', 'running'))
               or exists (select 1 from graph.edges e
                            join graph.nodes m on m.tenant_id = _tenant and m.id = e.from_id and m.type = 'mission'
                           where e.tenant_id = _tenant and e.to_id = a.id and e.type = 'assigned_to' and e.live
                             and m.status in ('assigned', 'planning', 'in_progress')) as busy
          from graph.nodes a
         where a.tenant_id = _tenant and a.type = 'agent' and a.status = 'active' and a.archived_at is null
           and a.props ->> 'kind' in ('team', 'project')
    ), waiting as materialized (
        select m.id, m.slug, m.title, m.priority, e.seq as given, m.props ->> 'status_reason' as why
          from graph.nodes m
          left join graph.edges e on e.tenant_id = _tenant and e.from_id = m.id and e.type = 'assigned_to' and e.slot
         where m.tenant_id = _tenant and m.type = 'mission' and m.status = 'backlog' and m.archived_at is null
           and (m.created_at <= _now - interval '10 minutes' or e.seq is not null) and e.live is not true
           -- Whether a part is given out is what its delegation asks.
           and not exists (select 1 from graph.edges x
                             join graph.nodes d on d.tenant_id = _tenant and d.id = x.from_id and d.type = 'delegation'
                            where x.tenant_id = _tenant and x.to_id = m.id and x.type = 'for_mission' and x.live
                              and d.status = 'requested')
         order by array_position(array['critical', 'high', 'medium', 'low'], m.priority), m.created_at
         limit 20
    ), pending as materialized (
        select q.id, q.type, q.slug, q.title, q.at, q.says, q.agent, q.asked_by, q.mission, q.props, q.taint, q.card
          from ops.asks(_tenant, 'founder', _now) q
    ), found (trigger, subject, severity, rearm, most, facts) as (
        select 'founder_message', s.id || case when s.state = 'queued' then '@' || s.updated_at else '.end' end, 'warning',
               null::interval, 1,
               jsonb_build_object('why', case when s.state = 'queued' then 'nobody took it up' else s.closed_as end)
          from ops.sessions s
         where s.tenant_id = _tenant and s.kind = 'thread' and s.name = 'thread:founder:' || ops.ceo(_tenant)
           and (s.state = 'queued' and s.updated_at <= _now - interval '2 minutes'
                or s.state = 'failed' and s.ended_at > _now - interval '1 day')
        union all
        select 'task_done', e.id, case when e.topic = 'mission.failed' then 'warning' else 'info' end, null, 1,
               jsonb_build_object('mission', m.slug, 'id', m.id, 'title', m.title, 'status', m.status,
                                  'outcome', m.props ->> 'outcome_summary', 'why', m.props ->> 'status_reason',
                                  'files', m.props ->> 'files_at', 'start', m.props ->> 'start_with',
                                  'agent', (select a.slug from graph.edges x
                                              join graph.nodes a on a.tenant_id = _tenant and a.id = x.to_id
                                             where x.tenant_id = _tenant and x.from_id = m.id and x.type = 'assigned_to'))
          from events e
          join graph.nodes m on m.tenant_id = _tenant and m.type = 'mission' and m.slug = e.payload ->> 'slug'
          join ops.agent_actions c on c.tenant_id = _tenant and c.seq = e.seq
          join ops.principals p on p.tenant_id = _tenant and p.id = c.principal_id
         where (e.topic = 'mission.done' or e.topic = 'mission.failed' and p.kind not in ('founder', 'device')
                or e.topic = 'mission.submitted' and m.status = 'review')
           -- What is part of something is told with the whole.
           and not exists (select 1 from graph.edges x
                            where x.tenant_id = _tenant and x.from_id = m.id and x.type = 'parent_mission' and x.live)
        union all
        select 'approval_waiting', p.id::text, 'info', null, 1,
               jsonb_build_object('approval', p.slug, 'verb', p.props ->> 'verb', 'by', p.asked_by, 'why', p.says)
          from pending p
         where p.type = 'approval' and p.at > _now - interval '4 hours' and p.at <= _now - interval '10 minutes'
        union all
        select 'approval_stale', e.id, case when e.topic = 'approval.escalated' then 'warning' else 'info' end, null, 1, e.payload
          from events e
          join graph.nodes p on p.tenant_id = _tenant and p.id = (e.payload ->> 'id')::uuid and p.status = 'pending'
         where e.topic in ('approval.nudged', 'approval.escalated')
        union all
        select 'ask_stale', e.id, case when e.topic like '%.escalated' then 'warning' else 'info' end, null, 1, e.payload
          from events e
          join pending p on p.id = (e.payload ->> 'id')::uuid
         where e.topic in ('proposal.nudged', 'proposal.escalated', 'review.nudged', 'review.escalated', 'escalation.nudged',
                           'escalation.escalated', 'question.nudged', 'question.escalated')
        union all
        select 'approval_resolved', e.id, case when e.topic in ('approval.failed', 'approval.expired') then 'warning' else 'info' end, null, 1,
               e.payload || jsonb_build_object('became', split_part(e.topic, '.', 2))
          from events e where e.topic in ('approval.done', 'approval.failed', 'approval.rejected', 'approval.expired')
        union all
        select 'backlog', w.id || '@' || coalesce(w.given, 0), 'info', interval '1 day', 3,
               jsonb_build_object('mission', w.slug, 'title', w.title, 'priority', w.priority, 'why', w.why)
          from (select w.*, row_number() over () as place from waiting w) w
         where (w.given is not null or w.place <= (select count(*) from team where not busy))
           and (select count(*) from ops.occurrences o
                 where o.tenant_id = _tenant and o.trigger = 'backlog' and o.subject like w.id || '@%') < 6
        union all
        select 'overload', 'company', 'info', interval '7 days', 1000,
               jsonb_build_object('agents', t.many, 'busy', t.busy, 'backlog', w.many, 'titles', w.titles, 'taken', t.names)
          from (select count(*) as many, count(*) filter (where busy) as busy, jsonb_agg(slug) as names from team) t,
               (select count(*) as many, jsonb_agg(title) filter (where place <= 5) as titles
                  from (select title, row_number() over () as place from waiting) x) w
         where t.many = 0 and w.many > 0 or t.many > 0 and t.busy > 0.8 * t.many and w.many >= 3
        union all
        select distinct on (k.slug) 'missing_skill', k.slug, 'info', interval '7 days', 1000,
               jsonb_build_object('skill', k.slug, 'id', k.id, 'title', k.title, 'says', k.props ->> 'description',
                                  'mission', m.slug, 'for', m.title)
          from since s, graph.nodes m, graph.nodes k
         where m.tenant_id = _tenant and m.type = 'mission' and m.archived_at is null
           and m.updated_at > s.at - interval '5 minutes'
           and m.status in ('backlog', 'planning', 'assigned', 'in_progress')
           and k.tenant_id = _tenant and k.type = 'skill' and k.status = 'disabled' and k.archived_at is null
           and to_tsvector('english', m.title || ' ' || coalesce(m.props ->> 'description', ''))
               @@ plainto_tsquery('english', k.title)
        union all
        select 'budget', e.id, case when e.topic = 'budget.exceeded' then 'critical' else 'warning' end, null, 1,
               e.payload || jsonb_build_object('reached', e.topic = 'budget.exceeded',
                                               'working', (select jsonb_agg(slug) from team where busy))
          from events e where e.topic like 'budget.%'
        union all
        select 'silence', o.seq::text, 'info', null, 1, jsonb_build_object('since', o.created_at)
          from (select x.seq, x.created_at from ops.outbox x
                 where x.tenant_id = _tenant
                   and x.topic !~ '^(card|ceo|session|schedule)\.|^(memory\.tended|agent\.loaded)$'
                 order by x.seq desc limit 1) o
         where o.created_at <= _now - interval '1 day'
           and not exists (select 1 from pending p where p.type <> 'question' or p.props ->> 'kind' = 'message')
        union all
        select 'schedule_done', e.id, 'info', null, 1,
               jsonb_build_object('schedule', s.trigger ->> 'schedule', 'session', s.id, 'state', s.state, 'agent', s.agent,
                                  'notify', s.trigger ->> 'notify', 'why', s.closed_as,
                                  'text', left(s.result ->> 'text', 4000))
          from events e
          join ops.sessions s on s.tenant_id = _tenant and s.id = (e.payload ->> 'id')::uuid
         where e.topic = 'session.closed' and s.trigger ? 'schedule'
        union all
        select 'schedule_done', e.id, 'warning', null, 1, e.payload || '{"state": "failed"}'
          from events e where e.topic = 'schedule.failed'
        union all
        select 'job_failed', e.id, 'warning', null, 1, e.payload from events e where e.topic = 'job.failed'
        union all
        select 'mission_left', s.id || case when s.trigger ? 'mission' then '' else '@' || m.id end, 'warning', null, 1,
               jsonb_build_object('mission', m.slug, 'id', m.id, 'title', m.title, 'status', m.status, 'agent', s.agent,
                                  'why', m.props ->> 'status_reason', 'ended', s.closed_as)
          from events e
          join ops.sessions s on s.tenant_id = _tenant and s.id = (e.payload ->> 'id')::uuid and s.kind = 'agent'
          join graph.nodes a on a.tenant_id = _tenant and a.type = 'agent' and a.slug = s.agent
          join graph.edges x on x.tenant_id = _tenant and x.to_id = a.id and x.type = 'assigned_to' and x.live
          join graph.nodes m on m.tenant_id = _tenant and m.id = x.from_id and m.type = 'mission' and m.archived_at is null
         where e.topic = 'session.closed'
           -- Whoever was called for something else may have gone on with what was taken on, and left it there.
           and case when s.trigger ? 'mission' then m.id = (s.trigger ->> 'mission')::uuid and m.status in ('assigned', 'planning', 'in_progress')
                    else m.status in ('planning', 'in_progress') end
           -- It may go on in another session, with those it was handed down to, or once somebody answers. A session
           -- that is about another mission does nothing for this one.
           and not exists (select 1 from ops.sessions o
                            where o.tenant_id = _tenant and o.agent = s.agent and o.state in ('queued', 'running', 'waiting')
                              and o.kind = 'agent' and coalesce(o.trigger ->> 'mission', m.id::text) = m.id::text)
           and not exists (select 1 from ops.wakes w where w.tenant_id = _tenant and w.agent = s.agent)
           and not exists (select 1 from graph.edges x
                             join graph.nodes c on c.tenant_id = _tenant and c.id = x.from_id
                            where x.tenant_id = _tenant and x.to_id = m.id and x.live
                              and (x.type = 'parent_mission' and c.status not in ('done', 'failed')
                                   or x.type = 'for_mission' and c.type = 'escalation' and c.status = 'open'))
        union all
        -- Somebody cannot go on without the founder; what the CEO asked itself is before the founder already.
        select 'founder_asked', p.id::text, 'warning', null, 1,
               jsonb_build_object('id', p.id, 'ask', p.slug, 'title', p.title, 'agent', p.agent, 'mission', p.mission, 'taint', p.taint)
          from pending p
         where p.card is null
           and (p.type = 'escalation' or p.type = 'question' and p.props ->> 'kind' = 'message'
                or p.type = 'proposal' and p.props ->> 'kind' in ('plan', 'terms', 'delegation'))
        union all
        select 'founder_written', o.id::text, 'warning', interval '1 day', 3,
               jsonb_build_object('message', o.id, 'title', left(o.body, 200), 'agent', split_part(o.sender, ':', 2),
                                  'says', case when length(o.body) > 200 then o.body end, 'taint', o.taint)
          from ops.messages o
         where o.tenant_id = _tenant and o.recipient = 'founder' and o.sender like 'agent:%'
           and o.kind in ('command', 'escalation', 'interrupt') and o.state in ('queued', 'delivered')
    )
    select f.trigger, f.subject, coalesce(o.n, 0) + 1, f.severity, f.facts
      from found f
      left join lateral (select x.n, x.seen_at from ops.occurrences x
                          where x.tenant_id = _tenant and x.trigger = f.trigger and x.subject = f.subject
                          order by x.n desc limit 1) o on true
     where o.n is null or o.n < f.most and o.seen_at <= _now - f.rearm
$$;

-- Companies in which the heart has to beat: something to notice, to finish or to show; or so much happened since that
-- the next look should begin later.
create or replace function ops.beating(_now timestamptz) returns table (tenant_id uuid)
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
as $$
    select t.id from ops.tenants t
      join graph.nodes a on a.tenant_id = t.id and a.slug = ops.ceo(t.id) and a.type = 'agent' and a.status in ('active', 'frozen')
     where exists (select 1 from ops.occurrences o where o.tenant_id = t.id and o.handled_at is null
                      and coalesce(o.taken_at <= _now - interval '5 minutes', true))
        or exists (select 1 from ops.cards c where c.tenant_id = t.id and c.shown_at is null and c.due_at <= _now)
        -- As an older hq left them.
        or exists (select 1 from ops.cards c
                    where c.tenant_id = t.id and c.asks and c.ask is null and c.pressed is null and c.shown_at is not null
                      and coalesce(c.expires_at > _now, true)
                      and (c.open_while is null
                           or exists (select 1 from graph.nodes n
                                       where n.tenant_id = t.id and n.id = c.about and n.status = any(c.open_while))))
        or exists (select 1 from ops.notice(t.id, _now))
        or (select count(*) from (select 1 from ops.outbox o
                                   where o.tenant_id = t.id
                                     and o.seq > coalesce((select j.upto from ops.jobs j
                                                            where j.tenant_id = t.id and j.name = 'heartbeat'), 0)
                                   limit 1000) x) = 1000
     order by t.created_at, t.id
$$;

-- What is to be noticed in the caller's company.
create or replace function ops.noticed(_now timestamptz)
    returns table (trigger text, subject text, n integer, severity text, facts jsonb)
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    select * from ops.notice(ops.tenant(), _now);
end;

-- Whether a card says what came of a mission: somebody waits for that.
create or replace function ops.is_result(_kind text, _about uuid) returns boolean
    language sql stable
    set search_path = pg_catalog, pg_temp
begin atomic
    select _kind = 'report' and exists (select 1 from graph.nodes n
                                         where n.tenant_id = ops.tenant() and n.id = _about and n.type = 'mission');
end;

-- Put a card into the conversation of that name, as the next step of its journal; a conversation that was never begun
-- begins with it. Says no while somebody is speaking there.
create or replace function ops.place_card(_card uuid, _name text, _agent text, _principal uuid, _session uuid,
                                          _task uuid, _now timestamptz) returns boolean
    language plpgsql security definer
    set search_path = pg_catalog, pg_temp
as $$
declare
    s record;
    at integer;
begin
    select x.id, x.state into s from ops.sessions x
     where x.tenant_id = ops.tenant() and x.kind = 'thread' and x.name = _name and x.state in ('queued', 'running', 'waiting')
     order by x.id desc limit 1 for update;
    if not found then
        insert into ops.sessions (tenant_id, id, kind, agent, principal_id, task_id, trigger_kind, trigger, state, name,
                                  created_at, updated_at)
        values (ops.tenant(), _session, 'thread', _agent, _principal, _task, 'dm', '{}', 'waiting', _name, _now, _now);
        s.id := _session;
    elsif s.state = 'running' then
        return false;
    end if;
    select coalesce(max(j.step), 0) + 1 into at from ops.journal j where j.tenant_id = ops.tenant() and j.session_id = s.id;
    insert into ops.journal (tenant_id, session_id, step, kind, payload, holder, created_at)
    select c.tenant_id, s.id, at, 'note',
           jsonb_build_object('card', c.id, 'told', concat_ws(E'\n', c.title, nullif(c.body, ''), c.remark ->> 'text'),
                              'taint', c.taint),
           'heartbeat', _now
      from ops.cards c where c.tenant_id = ops.tenant() and c.id = _card;
    update ops.cards c set session_id = s.id, step = at, shown_at = _now
     where c.tenant_id = ops.tenant() and c.id = _card;
    return true;
end $$;

-- Companies in which something was settled by one of these verbs since the last time that was remembered.
create or replace function ops.with_settled(_verbs text[]) returns table (tenant_id uuid)
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    select t.id
      from ops.announcer a
      cross join ops.tenants t
      left join ops.jobs d on d.tenant_id = t.id and d.name = 'capture'
     where exists (select 1 from unnest(_verbs) v
                    cross join lateral (select 1 from ops.agent_actions c
                                         where c.tenant_id = t.id and c.action_type = v and c.status = 'ok'
                                           and c.seq > coalesce(d.upto, 0) and c.seq <= a.chained
                                         limit 1) x);
end;

revoke all on function ops.with_settled, ops.unheard, ops.heard_upto, ops.notice, ops.beating, ops.noticed, ops.place_card,
    ops.card_shape, ops.is_result from public;
grant execute on function ops.with_settled, ops.heard_upto, ops.beating, ops.noticed, ops.place_card, ops.card_shape,
    ops.is_result to {app};
