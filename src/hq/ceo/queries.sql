-- name: lines_before
-- The newest lines of a conversation that come before a place and were there at a moment, newest first. A message that
-- was not taken up yet is the last; a thread that broke off says so.
with threads as (
    select s.*, (select a.title from graph.nodes a where a.tenant_id = s.tenant_id and a.slug = s.agent) as called
      from ops.sessions s
     where s.tenant_id = ops.tenant() and s.kind = 'thread' and s.name = %(name)s and s.id <= %(session)s
       and (%(then)s::timestamptz is null or s.created_at <= %(then)s)
     order by s.id desc
     limit %(limit)s
)
select l.*, t.called from threads t cross join lateral (
    select t.id as session_id, 0 as step, t.id::text as id, 'user' as role, t.trigger ->> 'from' as sender,
           t.trigger ->> 'text' as body, null::jsonb as parts, null::text as model, t.created_at, null::jsonb as card
     where (t.id, 0) < (%(session)s, %(step)s)
    union all
    (select t.id, coalesce(m.step, 2147483647), m.id::text, case m.sender when 'service:hq' then 'assistant' else 'user' end, m.sender, m.body, null, null, m.created_at, null
       from ops.messages m
      where m.tenant_id = t.tenant_id and m.session_id = t.id
        and (t.id, coalesce(m.step, 2147483647)) < (%(session)s, %(step)s)
        and (%(then)s::timestamptz is null or m.created_at <= %(then)s)
      order by m.step desc nulls first, m.id desc
      limit %(limit)s)
    union all
    (select t.id, j.step, t.id || '.' || j.step, 'assistant', t.agent, null, j.payload -> 'response' -> 'parts',
            j.payload ->> 'model', j.created_at, null
       from ops.journal j
      where j.tenant_id = t.tenant_id and j.session_id = t.id and j.kind = 'mind'
        and (t.id, j.step) < (%(session)s, %(step)s)
        and (%(then)s::timestamptz is null or j.created_at <= %(then)s)
        and j.payload @? '$.response.parts[*] ? (@.part_kind == "text")'
      order by j.step desc
      limit %(limit)s)
    union all
    (select t.id, j.step, t.id || '.' || j.step, 'system', t.agent, concat_ws(e'\n\n', j.payload ->> 'carried', j.payload ->> 'timed_out', j.payload ->> 'partial'),
            null, null, j.created_at, null
       from ops.journal j
      where j.tenant_id = t.tenant_id and j.session_id = t.id and j.kind in ('note', 'wait') and j.payload ?| array['carried', 'timed_out']
        and (t.id, j.step) < (%(session)s, %(step)s)
        and (%(then)s::timestamptz is null or j.created_at <= %(then)s)
      order by j.step desc
      limit %(limit)s)
    union all
    (select t.id, c.step, t.id || '.' || c.step, 'assistant', t.agent, c.title, null, null, c.shown_at,
            ops.card_shape(c.id, %(now)s, %(then)s)
       from ops.cards c
      where c.tenant_id = t.tenant_id and c.session_id = t.id and (t.id, c.step) < (%(session)s, %(step)s)
        and (%(then)s::timestamptz is null or c.shown_at <= %(then)s)
      order by c.step desc
      limit %(limit)s)
    union all
    select t.id, 2147483646, t.id || '.end', 'system', t.agent, t.closed_as, null, null, t.ended_at, null
     where t.state in ('failed', 'stopped') and (t.id, 2147483646) < (%(session)s, %(step)s)
       and (%(then)s::timestamptz is null or t.ended_at <= %(then)s)
) l
 order by l.session_id desc, l.step desc, l.id desc
 limit %(limit)s;

-- name: lines_after
-- The lines of a conversation behind a place, oldest first.
with threads as (
    select s.*, (select a.title from graph.nodes a where a.tenant_id = s.tenant_id and a.slug = s.agent) as called
      from ops.sessions s
     where s.tenant_id = ops.tenant() and s.kind = 'thread' and s.name = %(name)s and s.id >= %(session)s
)
select l.*, t.called from threads t cross join lateral (
    select t.id as session_id, 0 as step, t.id::text as id, 'user' as role, t.trigger ->> 'from' as sender,
           t.trigger ->> 'text' as body, null::jsonb as parts, null::text as model, t.created_at, null::jsonb as card
     where (t.id, 0) > (%(session)s, %(step)s)
    union all
    select t.id, coalesce(m.step, 2147483647), m.id::text, case m.sender when 'service:hq' then 'assistant' else 'user' end, m.sender, m.body, null, null, m.created_at, null
      from ops.messages m
     where m.tenant_id = t.tenant_id and m.session_id = t.id
       and (t.id, coalesce(m.step, 2147483647)) > (%(session)s, %(step)s)
    union all
    select t.id, j.step, t.id || '.' || j.step, 'assistant', t.agent, null, j.payload -> 'response' -> 'parts',
           j.payload ->> 'model', j.created_at, null
      from ops.journal j
     where j.tenant_id = t.tenant_id and j.session_id = t.id and j.kind = 'mind' and j.step > 0
       and (t.id, j.step) > (%(session)s, %(step)s)
       and j.payload @? '$.response.parts[*] ? (@.part_kind == "text")'
    union all
    select t.id, j.step, t.id || '.' || j.step, 'system', t.agent, concat_ws(e'\n\n', j.payload ->> 'carried', j.payload ->> 'timed_out', j.payload ->> 'partial'),
           null, null, j.created_at, null
      from ops.journal j
     where j.tenant_id = t.tenant_id and j.session_id = t.id and j.kind in ('note', 'wait') and j.payload ?| array['carried', 'timed_out'] and j.step > 0
       and (t.id, j.step) > (%(session)s, %(step)s)
    union all
    select t.id, c.step, t.id || '.' || c.step, 'assistant', t.agent, c.title, null, null, c.shown_at,
           ops.card_shape(c.id, %(now)s)
      from ops.cards c
     where c.tenant_id = t.tenant_id and c.session_id = t.id and (t.id, c.step) > (%(session)s, %(step)s)
    union all
    select t.id, 2147483646, t.id || '.end', 'system', t.agent, t.closed_as, null, null, t.ended_at, null
     where t.state in ('failed', 'stopped') and (t.id, 2147483646) > (%(session)s, %(step)s)
) l
 order by l.session_id, l.step, l.id
 limit %(limit)s;

-- name: standing
-- What the newest thread of a conversation is doing: its state, its last step, what it is saying, and how much waits for the
-- founder where it is the CEO's.
select t.id, t.state, t.closed_as, t.wake_at, n.status as agent_status, j.step, j.kind, j.payload, d.body as draft,
       d.step as draft_step, c.asks, l.last as last_step
  from graph.nodes n
  left join lateral (select s.* from ops.sessions s
                      where s.tenant_id = n.tenant_id and s.kind = 'thread' and s.name = %(name)s
                      order by s.id desc limit 1) t on true
  left join lateral (select x.step, x.kind, case when x.kind = 'wait' then x.payload end as payload
                       from ops.journal x
                      where x.tenant_id = t.tenant_id and x.session_id = t.id
                        and not (x.kind = 'note' and x.payload ? 'card')
                      order by x.step desc limit 1) j on true
  left join lateral (select max(x.step) as last from ops.journal x
                      where x.tenant_id = t.tenant_id and x.session_id = t.id) l on true
  left join ops.drafts d on d.tenant_id = t.tenant_id and d.session_id = t.id and t.state = 'running'
                        and d.step = coalesce(l.last, 0) + 1
  cross join lateral (select case when n.slug = ops.ceo(n.tenant_id) then ops.asks_waiting('founder', %(now)s) else 0 end as asks) c
 where n.tenant_id = ops.tenant() and n.slug = %(agent)s and n.type = 'agent';

-- name: settled
-- How far the events are settled.
select chained as line from ops.announcer;

-- name: covered
-- How many lines of a thread come before a step.
select count(*) as lines from ops.journal
 where tenant_id = ops.tenant() and session_id = %(session)s and step < %(upto)s and kind in ('open', 'wake', 'mind');

-- name: noticed
-- What there is to notice that nobody was told of.
select * from ops.noticed(%(now)s);

-- name: keep_occurrences
-- Write down what was noticed, and in the same look how far that was; what somebody else wrote down just now is left to
-- them.
with kept as (
    insert into ops.occurrences (tenant_id, trigger, subject, n, severity, facts, seen_at)
    select ops.tenant(), x.trigger, x.subject, x.n, x.severity, x.facts, %(now)s from ops.noticed(%(now)s) x
    on conflict do nothing
)
insert into ops.jobs (tenant_id, name, kind, upto, last_at)
values (ops.tenant(), 'heartbeat', 'house', ops.heard_upto(%(now)s), %(now)s)
on conflict (tenant_id, name) do update set upto = excluded.upto, last_at = excluded.last_at;

-- name: unhandled
-- What was noticed and not acted on yet.
select trigger, subject, n, severity, facts from ops.occurrences
 where tenant_id = ops.tenant() and handled_at is null
 order by seen_at, trigger, subject;

-- name: take_occurrences
-- What is to be acted on now, by whoever asks first; what somebody took and never finished comes again.
with taken as (
    update ops.occurrences o set taken_at = %(now)s
     where o.tenant_id = ops.tenant() and o.handled_at is null
       and coalesce(o.taken_at <= %(now)s::timestamptz - interval '5 minutes', true)
    returning o.trigger, o.subject, o.n, o.severity, o.facts, o.seen_at
)
select trigger, subject, n, severity, facts from taken order by seen_at, trigger, subject;

-- name: handled
-- An occurrence was acted on.
update ops.occurrences set handled_at = %(now)s, decided_by = %(by)s, actions = %(actions)s
 where tenant_id = ops.tenant() and trigger = %(trigger)s and subject = %(subject)s and n = %(n)s and handled_at is null;

-- name: occurrences
-- What was noticed lately, newest first.
select trigger, subject, n, severity, facts, seen_at, handled_at, decided_by, actions from ops.occurrences
 where tenant_id = ops.tenant() and (%(trigger)s::text is null or trigger = %(trigger)s)
 order by seen_at desc, trigger, subject limit %(limit)s;

-- name: one_tick
-- Two that look at the same company wait for each other here.
select pg_advisory_xact_lock(hashtextextended('heartbeat:' || ops.tenant(), 0));

-- name: situation
-- What whoever decides is told of the company.
select t.name as company, t.risk_tolerance, f.title as founder,
       array(select n.title from graph.nodes n
              where n.tenant_id = t.id and n.type = 'skill' and n.status = 'enabled' and n.archived_at is null
              order by n.title limit 50) as skills,
       array(select n.slug || ' (' || coalesce(n.props ->> 'role', '') || ')' from graph.nodes n
              where n.tenant_id = t.id and n.type = 'agent' and n.status = 'active' and n.archived_at is null
              order by n.slug limit 50) as agents,
       array(select n.slug || ' (' || n.status || '): ' || n.title from graph.nodes n
              where n.tenant_id = t.id and n.type = 'mission' and n.archived_at is null
                and n.status in ('in_progress', 'review', 'assigned', 'planning', 'paused')
              order by n.created_at desc limit 50) as missions,
       array(select distinct unnest(n.taint) from graph.nodes n
              where n.tenant_id = t.id and n.type = 'mission' and n.archived_at is null
                and n.status in ('backlog', 'in_progress', 'review', 'assigned', 'planning', 'paused')) as marks
  from ops.tenants t left join graph.nodes f on f.tenant_id = t.id and f.id = t.founder_id
 where t.id = ops.tenant();

-- name: when_to_speak
-- What decides whether the founder is disturbed now: quiet hours, whether they are here, and how much they heard lately.
select t.time_zone, t.quiet_from, t.quiet_to,
       coalesce((select max(l.created_at)
                   from ops.principals p
                  cross join lateral (select a.created_at, a.kind from ops.agent_actions a
                                       where a.tenant_id = p.tenant_id and a.actor = p.actor
                                       order by a.seq desc limit 100) l
                  where p.tenant_id = t.id and p.kind in ('founder', 'device') and l.kind in ('write', 'effect'))
                > %(now)s - interval '15 minutes', false) as here,
       (select count(*) from ops.cards c
         where c.tenant_id = t.id and c.shown_at > %(now)s - interval '1 hour' and c.severity <> 'critical') as heard,
       (select min(c.shown_at) from ops.cards c
         where c.tenant_id = t.id and c.shown_at > %(now)s - interval '1 hour' and c.severity <> 'critical') as first
  from ops.tenants t where t.id = ops.tenant();

-- name: set_quiet
-- When the founder is not to be disturbed.
update ops.tenants set quiet_from = %(from)s, quiet_to = %(to)s where id = ops.tenant();

-- name: put_card
-- A card, not shown yet.
insert into ops.cards (tenant_id, id, agent, kind, severity, title, body, facts, buttons, asks, ask, about, open_while,
                       expires_at, due_at, taint, created_at)
values (ops.tenant(), %(id)s, %(agent)s, %(kind)s, %(severity)s, %(title)s, %(body)s, %(facts)s, %(buttons)s, %(asks)s,
        %(ask)s, %(about)s, %(open_while)s, %(expires_at)s, %(due)s, %(taint)s, %(now)s);

-- name: place_card
-- Into the conversation with it.
select ops.place_card(%(id)s, %(name)s, %(agent)s, %(principal)s, %(session)s, %(task)s, %(now)s) as placed;

-- name: hold_card
-- Not now.
update ops.cards set due_at = %(due)s where tenant_id = ops.tenant() and id = %(id)s;

-- name: due_cards
-- Cards whose time has come, in order.
select id, agent, severity,
       exists (select 1 from graph.nodes n
                where n.tenant_id = ops.tenant() and n.id = cards.ask and n.external_source is distinct from 'card') as blocking
  from ops.cards where tenant_id = ops.tenant() and shown_at is null and due_at <= %(now)s
 order by created_at, id limit 50 for update;

-- name: card
-- A card as every face has it, or had it at a moment.
select ops.card_shape(c.id, %(now)s, %(then)s) as shape
  from (select 1) x
  left join ops.cards c on c.tenant_id = ops.tenant() and c.id = %(id)s
                       and (%(then)s::timestamptz is null or c.created_at <= %(then)s);

-- name: to_press
-- A card that somebody is about to press; nobody else meanwhile.
select id, kind, title, buttons, asks, ask, pressed, pressed_at, taint from ops.cards where tenant_id = ops.tenant() and id = %(id)s for update;

-- name: press
-- A button of it is pressed.
update ops.cards set pressed = %(button)s, pressed_by = %(by)s, pressed_at = %(now)s, shown_at = coalesce(shown_at, %(now)s)
 where tenant_id = ops.tenant() and id = %(id)s;

-- name: to_adopt
-- A card that has no ask yet.
select kind, severity, title, body, buttons, about, open_while, expires_at, taint from ops.cards
 where tenant_id = ops.tenant() and id = %(id)s;

-- name: adopted
-- It is a face of that.
update ops.cards set ask = %(ask)s where tenant_id = ops.tenant() and id = %(id)s;

-- name: unasked_cards
-- Cards with buttons, as an older hq left them: what they ask is no ask yet.
select c.id from ops.cards c
 where c.tenant_id = ops.tenant() and c.asks and c.ask is null and c.pressed is null
   and ops.card_shape(c.id, %(now)s) ->> 'state' in ('open', 'held')
 limit 100;

-- name: cards
-- Cards that were there at a moment, newest first.
select c.id, s.shape
  from ops.cards c
  cross join lateral (select ops.card_shape(c.id, %(now)s, %(then)s) as shape) s
 where c.tenant_id = ops.tenant() and (%(before)s::uuid is null or c.id < %(before)s)
   and (%(then)s::timestamptz is null or c.created_at <= %(then)s)
   and (not %(asks)s or c.asks)
   and (not %(open)s or (c.pressed is null or c.pressed_at > %(then)s) and c.shown_at is not null
                        and s.shape ->> 'state' = 'open')
 order by c.id desc limit %(limit)s;

-- name: last_here
-- When a person was last here before this visit: the newest moment at which one did, read or caught up with something that
-- nothing followed for so long. What is done now is one visit, so it does not move.
with seen as (
    select l.created_at as at
      from ops.principals p
      cross join lateral (select a.created_at from ops.agent_actions a
                           where a.tenant_id = p.tenant_id and a.actor = p.actor and a.seq < %(seq)s
                             and (a.kind in ('write', 'effect') or a.action_type = 'ceo.brief')
                           order by a.seq desc limit 1000) l
     where p.tenant_id = ops.tenant() and p.kind in ('founder', 'device')
    union all
    select r.read_at from ops.chat_reads r where r.tenant_id = ops.tenant() and r.read_at <= %(now)s
)
select max(at) as at from (select at, coalesce(lead(at) over (order by at), %(now)s) as next from seen) s
 where s.next - s.at >= %(away)s;

-- name: brief
-- What happened in a stretch of time, and what is open now; each row a line of a section.
select * from (
    (select 1 as place, 'done' as section, m.slug, m.title, left(m.props ->> 'outcome_summary', 300) as says, m.taint
       from graph.nodes m
      where m.tenant_id = ops.tenant() and m.type = 'mission' and m.status = 'done' and m.archived_at is null
        and m.updated_at >= %(since)s and (m.props ->> 'completed_at')::timestamptz >= %(since)s
      order by m.updated_at desc limit 20)
    union all
    (select 2, 'failed', m.slug, m.title, left(m.props ->> 'status_reason', 300), m.taint
       from graph.nodes m
      where m.tenant_id = ops.tenant() and m.type = 'mission' and m.status = 'failed' and m.archived_at is null
        and m.updated_at >= %(since)s
      order by m.updated_at desc limit 20)
    union all
    (select 3, 'went wrong', i.slug, i.title, i.props ->> 'severity', i.taint
       from graph.nodes i
      where i.tenant_id = ops.tenant() and i.type = 'agent_incident' and i.archived_at is null and i.created_at >= %(since)s
      order by i.created_at desc limit 20)
    union all
    (select 4, 'decided', d.slug, d.title, null, d.taint
       from graph.nodes d
      where d.tenant_id = ops.tenant() and d.type = 'decision' and d.archived_at is null and d.created_at >= %(since)s
      order by d.created_at desc limit 20)
    union all
    (select 5, 'learned', o.slug, o.title, o.props ->> 'category', o.taint
       from graph.nodes o
      where o.tenant_id = ops.tenant() and o.type = 'org_memory' and o.archived_at is null and o.created_at >= %(since)s
      order by o.created_at desc limit 20)
    union all
    (select 6, 'waits for you', w.slug, w.title, w.says, w.taint
       from (select q.slug, case when q.type = 'proposal' then coalesce(q.mission_title, q.title) else q.title end as title,
                    case when q.type = 'escalation' then 'a question of ' || q.agent
                         when q.type = 'question' and q.props ->> 'kind' = 'message' then 'a message of ' || q.agent
                         when q.props ->> 'kind' = 'terms' then q.agent || ' asks for other terms'
                         when q.props ->> 'kind' = 'plan' then q.agent || ' has a plan and waits for your yes'
                         when q.props ->> 'kind' = 'delegation' then q.agent || ' asks for help: ' || q.says
                         else q.says end as says, q.taint, q.at
               from ops.my_asks('founder', %(now)s) q
             union all
             select o.id::text, left(o.body, 200), 'a message of ' || split_part(o.sender, ':', 2), o.taint, o.created_at
               from ops.messages o
              where o.tenant_id = ops.tenant() and o.recipient = 'founder' and o.sender like 'agent:%%'
                and o.kind in ('command', 'escalation', 'interrupt') and o.state in ('queued', 'delivered')) w
      order by w.at limit 20)
    union all
    (select 7, 'under way', m.slug, m.title, m.status, m.taint
       from graph.nodes m
      where m.tenant_id = ops.tenant() and m.type = 'mission' and m.archived_at is null
        and m.status in ('in_progress', 'review')
      order by m.created_at desc limit 20)
) b order by place;

-- name: spent
-- What models cost since a day.
select coalesce(sum(cost_usd), 0) as usd, coalesce(sum(tokens_in + tokens_out), 0) as tokens, coalesce(sum(unpriced), 0) as unpriced
  from ops.llm_daily where tenant_id = ops.tenant() and day >= (%(since)s::timestamptz at time zone 'UTC')::date;
-- name: thread_number
-- The number of a conversation: of the call that began it.
select opened_seq as id from ops.sessions
 where tenant_id = ops.tenant() and kind = 'thread' and name = %(name)s order by id limit 1;

-- name: run
-- A run as it was asked for, and where in which session it was taken up; no step means that it was not yet.
select a.seq as id, a.created_at, a.input ->> 'task' as task, (a.output ->> 'thread_id')::bigint as thread_id,
       (a.output ->> 'session')::uuid as session_id, s.state, s.closed_as, s.agent, s.ended_at,
       case when a.output ->> 'message' = a.output ->> 'session'
            then (select 1 from ops.journal j where j.tenant_id = s.tenant_id and j.session_id = s.id and j.step = 1)
            else m.step end as step
  from ops.agent_actions a
  join ops.sessions s on s.tenant_id = a.tenant_id and s.id = (a.output ->> 'session')::uuid
  left join ops.messages m on m.tenant_id = a.tenant_id and m.id = (a.output ->> 'message')::uuid
 where a.tenant_id = ops.tenant() and a.action_type = 'run.start' and a.seq = %(id)s and a.status = 'ok';

-- name: runs
-- The newest runs.
select seq as id, created_at, input ->> 'task' as task from ops.agent_actions
 where tenant_id = ops.tenant() and action_type = 'run.start' and status = 'ok' and (%(before)s::bigint is null or seq < %(before)s)
 order by seq desc limit %(limit)s;

-- name: run_steps
-- What a run has come to: the steps of its thread from where it was taken up to where that rested. Only what is told.
select j.step, j.kind, j.created_at,
       case j.kind when 'mind' then jsonb_build_object('parts', j.payload -> 'response' -> 'parts')
                   when 'verb' then jsonb_build_object('verb', j.payload -> 'verb', 'ok', j.payload -> 'ok',
                                                       'session', j.payload #> '{data,session}',
                                                       'approval', j.payload #> '{data,approval}',
                                                       'why', j.payload #> '{error,message}')
                   when 'wait' then j.payload else '{}' end as payload
  from ops.journal j
 where j.tenant_id = ops.tenant() and j.session_id = %(session)s and j.step >= %(from)s
   and j.step <= coalesce((select min(r.step) from ops.journal r
                            where r.tenant_id = ops.tenant() and r.session_id = %(session)s and r.step > %(from)s
                              and r.kind = 'wait' and r.payload ? 'rests'), 2147483647)
 order by j.step;

-- name: run_cost
-- What a run used: its thread while it was at it, and its workers. Nothing where a call has no price.
select coalesce(sum(tokens_in + tokens_out), 0) as tokens,
       case when bool_and(priced) then coalesce(sum(cost_usd), 0) end as cost
  from ops.llm_call_log
 where tenant_id = ops.tenant() and (session_id = any(%(workers)s)
       or session_id = %(session)s and started_at >= %(since)s and (%(upto)s::timestamptz is null or started_at <= %(upto)s));

-- name: typical_run
-- How long the last runs took, in the middle, in seconds.
select percentile_cont(0.5) within group (order by extract(epoch from f.created_at - a.created_at)) as seconds
  from (select * from ops.agent_actions x
         where x.tenant_id = ops.tenant() and x.action_type = 'run.finish' and x.status = 'ok' order by x.seq desc limit 20) f
  join ops.agent_actions a on a.tenant_id = f.tenant_id and a.action_type = 'run.start' and a.seq = (f.input ->> 'run')::bigint;

-- name: asked_run
-- Who works on a run, and whether somebody wants to hear of its end.
select (output ->> 'session')::uuid as session_id, coalesce((input ->> 'notify')::boolean, false) as notify
  from ops.agent_actions
 where tenant_id = ops.tenant() and action_type = 'run.start' and seq = %(id)s and status = 'ok';

-- name: onboarded
-- What was said in the onboarding, oldest first.
select input from ops.agent_actions
 where tenant_id = ops.tenant() and action_type = 'onboard.answer' and status = 'ok' order by seq;

-- name: company_slug
-- The company's own name on disk.
select slug from ops.tenants where id = ops.tenant();

-- name: mark_read
-- How far a device has read; never back.
insert into ops.chat_reads as r (tenant_id, principal_id, thread, session_id, step, read_at)
values (ops.tenant(), %(principal)s, %(name)s, %(session)s, %(step)s, %(now)s)
on conflict (tenant_id, principal_id, thread) do update
   set session_id = excluded.session_id, step = excluded.step, read_at = excluded.read_at
 where (r.session_id, r.step) < (excluded.session_id, excluded.step);

-- name: read_upto
-- How far a device has read.
select session_id as session, step from ops.chat_reads
 where tenant_id = ops.tenant() and principal_id = %(principal)s and thread = %(name)s;

-- name: unread
-- Lines of others behind a place, as far as is worth counting. A conversation that was never read counts from its beginning.
select count(*) as many from (
    select 1 from ops.sessions t
      cross join lateral (
          select j.step from ops.journal j
           where j.tenant_id = t.tenant_id and j.session_id = t.id and j.kind = 'mind' and j.step > 0
             and (t.id, j.step) > (%(session)s, %(step)s)
             and j.payload @? '$.response.parts[*] ? (@.part_kind == "text")'
          union all
          select m.step from ops.messages m
           where m.tenant_id = t.tenant_id and m.session_id = t.id and m.sender like 'agent:%%'
             and (t.id, coalesce(m.step, 2147483647)) > (%(session)s, %(step)s)) l
     where t.tenant_id = ops.tenant() and t.kind = 'thread' and t.name = %(name)s and t.id >= %(session)s
     limit 100) counted;

-- name: called_in
-- Whether a session was asked to say something in another conversation.
select exists (select 1 from ops.messages m
                where m.tenant_id = ops.tenant() and m.session_id = %(id)s and m.run ->> 'mention' = %(into)s)
    or exists (select 1 from ops.sessions s
                where s.tenant_id = ops.tenant() and s.id = %(id)s
                  and s.trigger @> jsonb_build_object('runs', jsonb_build_array(jsonb_build_object('mention', %(into)s::text)))) as so;

-- name: founders_thread
-- The live thread of a conversation.
select id from ops.sessions
 where tenant_id = ops.tenant() and name = %(name)s and kind = 'thread' and state in ('queued', 'running', 'waiting');

-- name: settings
-- How the company is set, as far as that is no node.
select t.name, t.risk_tolerance, t.time_zone, t.quiet_from, t.quiet_to,
       array(select m.name from ops.minds m where m.tenant_id = t.id order by m.rank, m.name) as minds
  from ops.tenants t where t.id = ops.tenant();

-- name: to_capture
-- Settled calls since the last time, oldest first; one that takes another back stands for that one.
with recursive calls as (
    (select a.seq, a.id, a.undoes, a.action_type as meant, a.target_id, a.input
       from ops.agent_actions a
      where a.tenant_id = ops.tenant() and a.action_type = any(%(verbs)s) and a.status = 'ok'
        and a.seq > coalesce((select j.upto from ops.jobs j where j.tenant_id = ops.tenant() and j.name = 'capture'), 0)
        and a.seq <= (select chained from ops.announcer)
      order by a.seq
      limit 100)
    union all
    select c.seq, c.id, u.undoes, u.action_type, u.target_id, u.input
      from calls c
      join ops.agent_actions u on u.tenant_id = ops.tenant() and u.id = c.undoes
)
select seq, id, meant, target_id, input from calls where undoes is null order by seq;

-- name: captured
-- How far the ledger was followed.
insert into ops.jobs (tenant_id, name, kind, upto, last_at) values (ops.tenant(), 'capture', 'house', %(upto)s, %(now)s)
on conflict (tenant_id, name) do update set upto = excluded.upto, last_at = excluded.last_at;

-- name: other_minds
-- The minds that are set beside one.
select m.name from ops.minds m where m.tenant_id = ops.tenant() and m.name <> %(name)s order by m.name;
