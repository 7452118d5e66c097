-- Written by `scripts/sql_views.py` from triggers.py and triggers.sql; do not edit.

-- Events that a trigger is about.
create or replace function ops.heard_topics() returns text[]
    language sql immutable
    set search_path = pg_catalog, pg_temp
    return array['mission.done', 'mission.failed', 'mission.submitted', 'approval.done', 'approval.failed', 'approval.rejected', 'approval.expired', 'budget.warned', 'budget.exceeded', 'approval.nudged', 'approval.escalated', 'session.closed', 'schedule.failed', 'job.failed', 'escalation.resolved', 'question.answered', 'proposal.nudged', 'proposal.escalated', 'review.nudged', 'review.escalated', 'escalation.nudged', 'escalation.escalated', 'question.nudged', 'question.escalated'];

-- What there is to notice in a company, found without asking any model. A row is an occurrence nobody was told of yet: `n`
-- is 1, or one more where its trigger comes again.
create or replace function ops.notice(_tenant uuid, _now timestamptz)
    returns table (trigger text, subject text, n integer, severity text, facts jsonb)
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
as $$
    with events as materialized (
        select u.seq || '.' || u.ordinal as id, u.seq, u.topic, u.payload
          from ops.unheard(_tenant, ops.heard_topics(), _now) u
    ), since as materialized (
        -- When the CEO last looked.
        select coalesce((select j.last_at from ops.jobs j where j.tenant_id = _tenant and j.name = 'heartbeat'),
                        _now - interval '1 day') as at
    ), team as materialized (
        -- Who could work, and whether they do.
        select a.slug, a.title, a.props ->> 'role' as role,
               exists (select 1 from ops.sessions s
                        where s.tenant_id = _tenant and s.agent = a.slug and s.kind = 'agent'
                          and ops.busy(s.state))
               or exists (select 1 from graph.edges e
                            join graph.nodes m on m.tenant_id = _tenant and m.id = e.from_id and m.type = 'mission'
                           where e.tenant_id = _tenant and e.to_id = a.id and e.type = 'assigned_to' and e.live
                             and ops.mission_is(m.status, 'in_hand')) as busy
          from graph.nodes a
         where a.tenant_id = _tenant and a.type = 'agent' and a.status = 'active' and a.archived_at is null
           and a.props ->> 'kind' in ('team', 'project')
    ), waiting as materialized (
        -- Missions that nobody has, the most urgent first; `at` says since which event: it came back, or its deadline passed.
        select m.id, m.slug, m.title, m.priority, m.created_at, e.seq as given, m.props ->> 'status_reason' as why,
               m.props ->> 'deadline' as deadline, d.passed as overdue,
               m.id || '@' || coalesce(e.seq, 0) || case when d.passed then '!' || (m.props ->> 'deadline') else '' end as at
          from graph.nodes m
          left join graph.edges e on e.tenant_id = _tenant and e.from_id = m.id and e.type = 'assigned_to' and e.slot
         cross join lateral (select coalesce((m.props ->> 'deadline')::timestamptz <= _now, false) as passed) d
         where m.tenant_id = _tenant and m.type = 'mission' and m.status = 'backlog' and m.archived_at is null
           and (m.created_at <= _now - interval '10 minutes' or e.seq is not null or d.passed) and e.live is not true
           -- An agent that gave it out was told when it came back, and has its time to give it to another: one wake for one event.
           and not (e.seq is not null and m.updated_at > _now - interval '10 minutes'
                    and exists (select 1 from graph.edges x
                                  join graph.nodes g on g.tenant_id = _tenant and g.id = x.to_id and g.type = 'agent' and g.status = 'active'
                                 where x.tenant_id = _tenant and x.from_id = m.id and x.type = 'commanded_by' and x.live))
           -- Whether a part is given out is what its delegation asks.
           and not exists (select 1 from graph.edges x
                             join graph.nodes d on d.tenant_id = _tenant and d.id = x.from_id and d.type = 'delegation'
                            where x.tenant_id = _tenant and x.to_id = m.id and x.type = 'for_mission' and x.live
                              and d.status = 'requested')
           -- A whole is worked on in its parts.
           and not exists (select 1 from graph.edges x
                             join graph.nodes c on c.tenant_id = _tenant and c.id = x.from_id and c.archived_at is null
                            where x.tenant_id = _tenant and x.to_id = m.id and x.type = 'parent_mission' and x.live)
           -- Nor is anything begun of what rests, such as a list that was imported and not started.
           and ops.clock_stop(_tenant, array[m.id], _now) is null
         order by array_position(array['critical', 'high', 'medium', 'low'], m.priority), m.created_at
         limit 20
    ), pending as materialized (
        -- What waits for the founder's word.
        select q.id, q.type, q.slug, q.title, q.at, q.says, q.agent, q.asked_by, q.mission, q.props, q.taint, q.card
          from ops.asks(_tenant, 'founder', _now) q
    ), found (trigger, again, most, subject, severity, facts) as (
        select 'founder_message', null::interval, null::integer, x.subject, x.severity, x.facts from (
            -- The message, or the answer to it.
            select s.id || case when s.state = 'queued' then '@' || s.updated_at else '.end' end as subject, 'warning' as severity,
                   jsonb_build_object('why', case when s.state = 'queued' then 'nobody took it up' else s.closed_as end) as facts
              from ops.sessions s
             where s.tenant_id = _tenant and s.kind = 'thread' and s.name = 'thread:founder:' || ops.ceo(_tenant)
               and (s.state = 'queued' and s.updated_at <= _now - interval '2 minutes'
                    or s.state = 'failed' and s.ended_at > _now - interval '1 day')
        ) x
        union all
        select 'task_done', null::interval, null::integer, x.subject, x.severity, x.facts from (
            with heard as (select * from events e where e.topic in ('mission.done', 'mission.failed', 'mission.submitted'))
            -- The event.
            select e.id as subject,
                   case when e.topic = 'mission.failed' and not coalesce((m.props ->> 'called_off')::boolean, false) then 'warning' else 'info' end as severity,
                   jsonb_build_object('mission', m.slug, 'id', m.id, 'title', m.title, 'status', m.status,
                                      'called_off', coalesce((m.props ->> 'called_off')::boolean, false),
                                      'outcome', m.props ->> 'outcome_summary', 'why', m.props ->> 'status_reason',
                                      'files', m.props ->> 'files_at', 'start', m.props ->> 'start_with',
                                      -- What its evidence closed the house has checked, and nobody signed off.
                                      'signed', case when e.topic = 'mission.done' and c.action_type in ('mission.sign_off', 'mission.close') then p.actor end,
                                      'signs', (select a.slug from graph.edges x
                                                  join graph.nodes a on a.tenant_id = _tenant and a.id = x.to_id and a.type = 'agent'
                                                 where x.tenant_id = _tenant and x.from_id = m.id and x.type = 'commanded_by' and x.live),
                                      'agent', (select a.slug from graph.edges x
                                                  join graph.nodes a on a.tenant_id = _tenant and a.id = x.to_id
                                                 where x.tenant_id = _tenant and x.from_id = m.id and x.type = 'assigned_to')) as facts
              from heard e
              join graph.nodes m on m.tenant_id = _tenant and m.type = 'mission' and m.slug = e.payload ->> 'slug'
              join ops.agent_actions c on c.tenant_id = _tenant and c.seq = e.seq
              join ops.principals p on p.tenant_id = _tenant and p.id = c.principal_id
             where (e.topic = 'mission.done' or e.topic = 'mission.failed' and p.kind not in ('founder', 'device')
                    or e.topic = 'mission.submitted' and m.status = 'review')
               -- What was called off in the conversation with the founder they know.
               and not (e.topic = 'mission.failed' and coalesce((m.props ->> 'called_off')::boolean, false)
                        and exists (select 1 from ops.sessions s where s.tenant_id = _tenant and s.id = c.session_id and s.kind = 'thread'))
               -- Handed in, it was put before the founder: that card says what became of it, where it was shown before it was moot.
               and not (e.topic = 'mission.done' and c.action_type <> 'mission.submit'
                        and exists (select 1 from ops.cards r
                                     where r.tenant_id = _tenant and r.about = m.id and r.kind = 'report' and r.open_while = array['review']
                                       and r.shown_at is not null))
               -- What is part of something is told with the whole.
               and not exists (select 1 from graph.edges x
                                where x.tenant_id = _tenant and x.from_id = m.id and x.type = 'parent_mission' and x.live)
        ) x
        union all
        select 'approval_waiting', null::interval, null::integer, x.subject, x.severity, x.facts from (
            -- The approval. Whoever has used up what a mission or a run may take stands still, so that is said at once.
            select p.id::text as subject, 'info' as severity,
                   jsonb_build_object('approval', p.slug, 'verb', p.props ->> 'verb', 'by', p.asked_by, 'why', p.says) as facts
              from pending p
             where p.type = 'approval' and p.at > _now - interval '4 hours' and (p.at <= _now - interval '10 minutes'
                    or p.props ->> 'verb' = 'budget.raise' and p.props -> 'arguments' ->> 'period' in ('total', 'run'))
        ) x
        union all
        select 'approval_resolved', null::interval, null::integer, x.subject, x.severity, x.facts from (
            with heard as (select * from events e where e.topic in ('approval.done', 'approval.failed', 'approval.rejected', 'approval.expired'))
            -- The event.
            select e.id as subject,
                   case when e.topic in ('approval.failed', 'approval.expired') then 'warning' else 'info' end as severity,
                   e.payload || jsonb_build_object('became', split_part(e.topic, '.', 2)) as facts
              from heard e
        ) x
        union all
        select 'backlog', interval '1 days', 3, x.subject, x.severity, x.facts from (
            -- The mission, who had it last, and whether it is overdue: as many as there are idle agents, and every one that was given back or is
            -- overdue. One that could not be given out today takes no place from those behind it.
            select w.at as subject, case when w.overdue then 'warning' else 'info' end as severity,
                   jsonb_build_object('mission', w.slug, 'title', w.title, 'priority', w.priority, 'why', w.why)
                   || case when w.deadline is null then '{}' else jsonb_build_object('deadline', w.deadline, 'overdue', w.overdue) end as facts
              from (select w.*, row_number() over (partition by w.tried order by array_position(array['critical', 'high', 'medium', 'low'], w.priority), w.created_at) as place
                      from (select w.*, exists (select 1 from ops.occurrences o
                                                 where o.tenant_id = _tenant and o.trigger = 'backlog' and o.seen_at > _now - interval '1 day'
                                                   and o.subject = w.at) as tried
                              from waiting w) w) w
             where (w.given is not null or w.overdue or w.tried or w.place <= (select count(*) from team where not busy))
               and (select count(*) from ops.occurrences o
                     where o.tenant_id = _tenant and o.trigger = 'backlog' and o.subject like w.id || '@%' and (o.subject like '%!%') = w.overdue) < 6
        ) x
        union all
        select 'overload', interval '7 days', null::integer, x.subject, x.severity, x.facts from (
            -- The company, with so many agents and so much to do: one agent more, or twice as much, is another matter. Who rests for a while is
            -- still there.
            select 'company@' || t.many || '/' || floor(log(2, w.many)) as subject, 'info' as severity,
                   jsonb_build_object('agents', t.many, 'busy', t.busy, 'backlog', w.many, 'titles', w.titles, 'taken', t.names) as facts
              from (select count(*) as many, (select count(*) from team where busy) as busy, jsonb_agg(a.slug) as names
                      from graph.nodes a
                     where a.tenant_id = _tenant and a.type = 'agent' and not graph.over(a.type, a.status) and a.archived_at is null
                       and a.props ->> 'kind' in ('team', 'project')) t,
                   (select count(*) as many, jsonb_agg(title) filter (where place <= 5) as titles
                      from (select title, row_number() over () as place from waiting) x) w
             where t.many = 0 and w.many > 0 or t.many > 0 and t.busy > 0.8 * t.many and w.many >= 3
        ) x
        union all
        select 'missing_skill', interval '7 days', null::integer, x.subject, x.severity, x.facts from (
            -- The skill, for a mission that changed since the last look and names it: it is off, was never enabled, or is not its agent's.
            select distinct on (k.slug) k.slug || case when k.status = 'enabled' then '@' || a.slug else '' end as subject, 'info' as severity,
                   jsonb_build_object('skill', k.slug, 'id', k.id, 'title', k.title, 'says', k.says, 'mission', m.slug, 'for', m.title,
                                      'state', k.status, 'agent', a.slug) as facts
              from since s
              cross join graph.nodes m
              left join lateral (select x.id, x.slug, x.props ->> 'kind' as kind from graph.edges e
                                   join graph.nodes x on x.tenant_id = _tenant and x.id = e.to_id
                                  where e.tenant_id = _tenant and e.from_id = m.id and e.type = 'assigned_to' and e.live
                                    and x.type = 'agent' and x.archived_at is null limit 1) a on true
              cross join lateral (
                  select n.slug, n.id, n.title, n.props ->> 'description' as says, n.status,
                         coalesce((n.props ->> 'mandatory')::boolean, false) as everybodys, coalesce(h.looks, false) as looks
                    from graph.nodes n
                    left join ops.shipped_skills() h on h.slug = n.slug
                   where n.tenant_id = _tenant and n.type = 'skill' and n.archived_at is null
                  union all
                  select h.slug, null, h.title, h.description, case when h.looks then 'enabled' else 'available' end, false, h.looks
                    from ops.shipped_skills() h
                   where not exists (select 1 from graph.nodes n where n.tenant_id = _tenant and n.type = 'skill' and n.slug = h.slug
                                        and n.archived_at is null)
              ) k
             where m.tenant_id = _tenant and m.type = 'mission' and m.archived_at is null
               and m.updated_at > s.at - interval '5 minutes'
               and (m.status = 'backlog' or ops.mission_is(m.status, 'in_hand'))
               and (coalesce(m.props -> 'skills', '[]') ? k.slug
                    or to_tsvector('english', m.title || ' ' || coalesce(m.props ->> 'description', ''))
                       @@ plainto_tsquery('english', k.title))
               and (k.status <> 'enabled'
                    or a.slug is not null and not k.everybodys and not (k.looks and a.kind in ('ceo', 'operator'))
                       and not exists (select 1 from graph.edges g where g.tenant_id = _tenant and g.from_id = a.id and g.to_id = k.id
                                          and g.type = 'has_skill' and g.live)
                       -- For as long as the mission takes its brief has lent it.
                       and not exists (select 1 from graph.edges w
                                         join graph.nodes b on b.tenant_id = _tenant and b.id = w.from_id and b.type = 'brief'
                                        where w.tenant_id = _tenant and w.to_id = m.id and w.type = 'for_mission' and w.live
                                          and b.props -> 'skills' ? k.slug))
        ) x
        union all
        select 'budget', null::interval, null::integer, x.subject, x.severity, x.facts from (
            with heard as (select * from events e where e.topic in ('budget.warned', 'budget.exceeded'))
            -- The event, which there is once per limit and period.
            select e.id as subject, case when e.topic = 'budget.exceeded' then 'critical' else 'warning' end as severity,
                   e.payload || jsonb_build_object('reached', e.topic = 'budget.exceeded',
                                                   'working', (select jsonb_agg(slug) from team where busy)) as facts
              from heard e
             -- Whoever was asked for more of it already needs no warning.
             where not (e.topic = 'budget.warned'
                        and exists (select 1 from pending p
                                     where p.type = 'approval' and p.props ->> 'verb' = 'budget.raise'
                                       and coalesce(p.props -> 'arguments' ->> 'on', 'company') = e.payload ->> 'on'
                                       and coalesce(p.props -> 'arguments' ->> 'period', 'day') = e.payload ->> 'period'))
        ) x
        union all
        select 'approval_stale', null::interval, null::integer, x.subject, x.severity, x.facts from (
            with heard as (select * from events e where e.topic in ('approval.nudged', 'approval.escalated'))
            -- The event.
            select e.id as subject, case when e.topic like '%.escalated' then 'warning' else 'info' end as severity, e.payload as facts
              from heard e
              join graph.nodes p on p.tenant_id = _tenant and p.id = (e.payload ->> 'id')::uuid and ops.ask_waits(p.type, p.status)
        ) x
        union all
        select 'silence', null::interval, null::integer, x.subject, x.severity, x.facts from (
            -- What happened last, a day ago.
            select o.seq::text as subject, 'info' as severity, jsonb_build_object('since', o.created_at) as facts
              from (select x.seq, x.created_at from ops.outbox x
                     where x.tenant_id = _tenant
                       and x.topic !~ '^(card|ceo|session|schedule)\.|^(memory\.tended|agent\.loaded)$'
                     order by x.seq desc limit 1) o
             where o.created_at <= _now - interval '1 day'
               and not exists (select 1 from pending p where p.type <> 'question' or p.props ->> 'kind' = 'message')
        ) x
        union all
        select 'schedule_done', null::interval, null::integer, x.subject, x.severity, x.facts from (
            with heard as (select * from events e where e.topic in ('session.closed', 'schedule.failed'))
            -- The event.
            select e.id as subject, 'info' as severity,
                   jsonb_build_object('schedule', s.trigger ->> 'schedule', 'session', s.id, 'state', s.state, 'agent', s.agent,
                                      'notify', s.trigger ->> 'notify', 'why', s.closed_as,
                                      'text', left(s.result ->> 'text', 4000)) as facts
              from heard e
              join ops.sessions s on s.tenant_id = _tenant and s.id = (e.payload ->> 'id')::uuid
             where e.topic = 'session.closed' and s.trigger ? 'schedule'
            union all
            select e.id, 'warning', e.payload || '{"state": "failed"}' from heard e where e.topic = 'schedule.failed'
        ) x
        union all
        select 'job_failed', null::interval, null::integer, x.subject, x.severity, x.facts from (
            with heard as (select * from events e where e.topic in ('job.failed'))
            -- The event: a job begins to fail.
            select e.id as subject, 'warning' as severity, e.payload as facts from heard e
        ) x
        union all
        select 'mind_away', null::interval, null::integer, x.subject, x.severity, x.facts from (
            -- The provider and since when; whoever lay down because of it waits.
            select d.door || '@' || d.since as subject, 'warning' as severity,
                   jsonb_build_object('why', d.why, 'until', case when d.closed_until > _now then to_char(d.closed_until at time zone 'UTC', 'HH24:MI:SS') end,
                                      'since', to_char(d.since at time zone 'UTC', 'HH24:MI'), 'waiting', w.agents,
                                      'others', coalesce(m.others, '[]'), 'scripted', coalesce(m.scripted, false)) as facts
              from ops.mind_doors d,
                   lateral (select jsonb_agg(distinct s.agent) as agents from ops.sessions s
                             where s.tenant_id = _tenant and s.state in ('waiting', 'queued')
                               and (select j.kind = 'wait' and j.payload ?| array['busy', 'down'] from ops.journal j
                                     where j.tenant_id = _tenant and j.session_id = s.id order by j.step desc limit 1)) w,
                   lateral (select jsonb_agg(x.name order by x.rank, x.name)
                                       filter (where x.provider <> 'script' and cardinality(x.tiers) < 3) as others,
                                   bool_or(x.provider = 'script') as scripted
                              from ops.minds x where x.tenant_id = _tenant) m
             where d.tenant_id = _tenant and not d.refused and d.since <= _now - interval '2 minutes'
               and d.closed_until > _now - interval '2 minutes' and w.agents is not null
        ) x
        union all
        select 'mission_left', null::interval, null::integer, x.subject, x.severity, x.facts from (
            with heard as (select * from events e where e.topic in ('session.closed'))
            -- The session that ended without handing in.
            select s.id || case when s.trigger ? 'mission' then '' else '@' || m.id end as subject, 'warning' as severity,
                   jsonb_build_object('mission', m.slug, 'id', m.id, 'title', m.title, 'status', m.status, 'agent', s.agent,
                                      'why', m.props ->> 'status_reason',
                                      'ended', coalesce(nullif(s.closed_as, ''), s.state)) as facts
              from heard e
              join ops.sessions s on s.tenant_id = _tenant and s.id = (e.payload ->> 'id')::uuid and s.kind = 'agent'
              join graph.nodes a on a.tenant_id = _tenant and a.type = 'agent' and a.slug = s.agent
              join graph.edges x on x.tenant_id = _tenant and x.to_id = a.id and x.type = 'assigned_to' and x.live
              join graph.nodes m on m.tenant_id = _tenant and m.id = x.from_id and m.type = 'mission' and m.archived_at is null
             -- Whoever was called for something else may have gone on with what was taken on, and left it there.
             where case when s.trigger ? 'mission' then m.id = (s.trigger ->> 'mission')::uuid and ops.mission_is(m.status, 'in_hand')
                        else m.status in ('planning', 'in_progress') end
               -- What was over before the mission was given left nothing lying, and of several sessions the last one did.
               and x.valid_from <= s.ended_at
               and not exists (select 1 from ops.sessions o
                                where o.tenant_id = _tenant and o.agent = s.agent and o.kind = 'agent' and o.ended_at > s.ended_at
                                  and case when o.trigger ? 'mission' then o.trigger ->> 'mission' = m.id::text
                                           else m.status in ('planning', 'in_progress') end)
               -- It may go on in another session, with those it was handed down to, or once somebody answers. A session
               -- that is about another mission does nothing for this one.
               and not exists (select 1 from ops.sessions o
                                where o.tenant_id = _tenant and o.agent = s.agent and ops.live(o.state)
                                  and o.kind = 'agent' and coalesce(o.trigger ->> 'mission', m.id::text) = m.id::text)
               and not exists (select 1 from ops.wakes w where w.tenant_id = _tenant and w.agent = s.agent)
               and not exists (select 1 from graph.edges x
                                 join graph.nodes c on c.tenant_id = _tenant and c.id = x.from_id
                                where x.tenant_id = _tenant and x.to_id = m.id and x.live
                                  and (x.type = 'parent_mission' and not ops.mission_is(c.status, 'over')
                                       or x.type = 'for_mission' and c.type = 'escalation' and ops.ask_waits(c.type, c.status)))
        ) x
        union all
        select 'founder_asked', null::interval, null::integer, x.subject, x.severity, x.facts from (
            -- The ask, where whoever asks cannot go on; what the CEO asked itself is before the founder already.
            select p.id::text as subject, 'warning' as severity,
                   jsonb_build_object('id', p.id, 'ask', p.slug, 'title', p.title, 'agent', p.agent, 'mission', p.mission, 'taint', p.taint) as facts
              from pending p
             where p.card is null
               and (p.type = 'escalation' or p.type = 'question' and p.props ->> 'kind' = 'message'
                    or p.type = 'proposal' and p.props ->> 'kind' in ('plan', 'terms', 'start', 'delegation'))
        ) x
        union all
        select 'decided_alone', null::interval, null::integer, x.subject, x.severity, x.facts from (
            with heard as (select * from events e where e.topic in ('escalation.resolved', 'question.answered'))
            -- The event, where it was an agent that decided what another asked, or what is to be done about what the house found; what
            -- the founder had said in these words nobody decided.
            select e.id as subject, 'info' as severity,
                   jsonb_build_object('ask', n.slug, 'type', n.type, 'title', n.title, 'by', split_part(e.payload ->> 'by', ':', 2),
                                      'found', coalesce(n.props ->> 'trigger' not in ('self_report', 'low_confidence'), false),
                                      'answer', coalesce(n.props ->> 'resolution', n.props ->> 'answer'), 'options', n.props -> 'options',
                                      'because', (select jsonb_agg(b.title) from jsonb_array_elements_text(n.props -> 'because') w (slug)
                                                    join graph.nodes b on b.tenant_id = _tenant and b.slug = w.slug),
                                      'agent', (select a.slug from graph.edges x
                                                  join graph.nodes a on a.tenant_id = _tenant and a.id = x.to_id
                                                 where x.tenant_id = _tenant and x.from_id = n.id and x.type = 'requested_by' and x.live limit 1),
                                      'taint', n.taint) as facts
              from heard e
              join graph.nodes n on n.tenant_id = _tenant and n.id = (e.payload ->> 'id')::uuid
             where e.payload ->> 'by' like 'agent:%' and not e.payload ? 'founder_said'
               and (n.type = 'escalation'
                    or n.type = 'question' and n.props ->> 'kind' = 'message' and jsonb_array_length(n.props -> 'options') > 0)
        ) x
        union all
        select 'ask_stale', null::interval, null::integer, x.subject, x.severity, x.facts from (
            with heard as (select * from events e where e.topic in ('proposal.nudged', 'proposal.escalated', 'review.nudged', 'review.escalated', 'escalation.nudged', 'escalation.escalated', 'question.nudged', 'question.escalated'))
            -- The event.
            select e.id as subject, case when e.topic like '%.escalated' then 'warning' else 'info' end as severity, e.payload as facts
              from heard e
              join pending p on p.id = (e.payload ->> 'id')::uuid
        ) x
        union all
        select 'founder_written', interval '1 days', 3, x.subject, x.severity, x.facts from (
            -- The message, until it is read.
            select o.id::text as subject, 'warning' as severity,
                   jsonb_build_object('message', o.id, 'title', left(o.body, 200), 'agent', split_part(o.sender, ':', 2),
                                      'says', case when length(o.body) > 200 then o.body end, 'taint', o.taint) as facts
              from ops.messages o
             where o.tenant_id = _tenant and o.recipient = 'founder' and o.sender like 'agent:%'
               and o.kind in ('command', 'escalation', 'interrupt') and o.state in ('queued', 'delivered')
        ) x
    )
    select f.trigger, f.subject, coalesce(o.n, 0) + 1, f.severity, f.facts
      from found f
      left join lateral (select x.n, x.seen_at from ops.occurrences x
                          where x.tenant_id = _tenant and x.trigger = f.trigger and x.subject = f.subject
                          order by x.n desc limit 1) o on true
     where o.n is null or coalesce(o.n < f.most, true) and o.seen_at <= _now - f.again
$$;

revoke all on function ops.heard_topics, ops.notice from public;
