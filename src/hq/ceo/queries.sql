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
       -- In the founder's words: what was answered when they set the company up, or else what the organisation says of itself.
       coalesce((select a.input ->> 'philosophy' from ops.agent_actions a
                  where a.tenant_id = t.id and a.action_type = 'onboard.answer' and a.status = 'ok'
                    and a.input ->> 'philosophy' is not null order by a.seq desc limit 1),
                (select o.props ->> 'philosophy' from graph.nodes o
                  where o.tenant_id = t.id and o.type = 'organisation' and o.archived_at is null
                    and o.props ->> 'philosophy' is not null order by o.created_at limit 1)) as philosophy,
       array(select q.slug || ' (' || q.type || coalesce(', asked by ' || q.asked_by, '') || '): ' || q.title
               from ops.my_asks('founder', %(now)s, null, 10) q where q.taint = '{}') as asks,
       ops.asks_waiting('founder', %(now)s) as waiting,
       array(select ops.scope_title(l.scope) || ': ' || round(u.usd, 2) || ' of ' || round(l.usd_hard, 2) || ' US dollars this ' || l.period
               from ops.limits(ops.scopes_of(ops.ceo(t.id), null)) l cross join lateral ops.used(l.scope, l.period, null, %(now)s) u
              where l.period in ('day', 'month') and l.usd_hard is not null order by l.scope, l.period) as budget,
       array(select to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI') || ' ' || e.topic
                    || coalesce(' ' || coalesce(e.payload ->> 'slug', e.payload ->> 'agent'), '')
               from (select o.created_at, o.topic, o.payload from ops.outbox o
                      where o.tenant_id = t.id and o.topic !~ '^(session|schedule|message|job|events?)[.]|^(ceo[.]ticked|agent[.]loaded)$'
                      order by o.seq desc, o.ordinal desc limit 15) e) as events,
       array(select a.value ->> 'action' || ': ' || (a.value ->> 'refused')
               from ops.occurrences c, jsonb_array_elements(c.actions) a
              where c.tenant_id = t.id and c.handled_at > %(now)s - interval '1 day' and a.value ? 'refused'
              order by c.handled_at desc limit 5) as refused,
       array(select n.title from graph.nodes n
              where n.tenant_id = t.id and n.type = 'skill' and n.status = 'enabled' and n.archived_at is null
              order by n.title limit 50) as skills,
       array(select n.slug || ' (' || coalesce(n.props ->> 'role', '') || '): '
                    || coalesce((select 'on ' || m.slug from graph.edges e
                                   join graph.nodes m on m.tenant_id = t.id and m.id = e.from_id and m.type = 'mission'
                                  where e.tenant_id = t.id and e.to_id = n.id and e.type = 'assigned_to' and e.live
                                    and ops.mission_is(m.status, 'in_hand') limit 1), 'free')
               from graph.nodes n
              where n.tenant_id = t.id and n.type = 'agent' and n.status = 'active' and n.archived_at is null
              order by n.slug limit 50) as agents,
       array(select n.slug || ' (' || n.status || '): ' || n.title from graph.nodes n
              where n.tenant_id = t.id and n.type = 'mission' and n.archived_at is null
                and ops.mission_is(n.status, 'open')
              order by n.created_at desc limit 50) as missions,
       array(select distinct unnest(n.taint) from graph.nodes n
              where n.tenant_id = t.id and n.type = 'mission' and n.archived_at is null
                and ops.mission_is(n.status, 'open')) as marks
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
                > %(now)s::timestamptz - interval '15 minutes', false) as here,
       h.heard, h.first
  from ops.tenants t
  -- What somebody waits for is no chatter, and what is said twice is heard once.
  cross join lateral (select count(distinct (c.kind, c.title, c.about)) as heard, min(c.shown_at) as first
                        from ops.cards c
                       where c.tenant_id = t.id and c.shown_at > %(now)s::timestamptz - interval '1 hour' and c.severity <> 'critical'
                         and not c.asks and not ops.is_result(c.kind, c.about)) h
 where t.id = ops.tenant();

-- name: set_quiet
-- When the founder is not to be disturbed.
update ops.tenants set quiet_from = %(from)s, quiet_to = %(to)s where id = ops.tenant();

-- name: put_card
-- A card, not shown yet.
insert into ops.cards (tenant_id, id, agent, kind, severity, title, body, facts, buttons, remark, asks, ask, about,
                       open_while, expires_at, due_at, taint, created_at)
values (ops.tenant(), %(id)s, %(agent)s, %(kind)s, %(severity)s, %(title)s, %(body)s, %(facts)s, %(buttons)s, %(remark)s,
        %(asks)s, %(ask)s, %(about)s, %(open_while)s, %(expires_at)s, %(due)s, %(taint)s, %(now)s);

-- name: in_conversation
-- Whether a session is that conversation.
select exists (select 1 from ops.sessions s
                where s.tenant_id = ops.tenant() and s.id = %(session)s and s.kind = 'thread' and s.name = %(name)s) as so;

-- name: place_card
-- Into the conversation with it.
select ops.place_card(%(id)s, %(name)s, %(agent)s, %(principal)s, %(session)s, %(task)s, %(now)s) as placed;

-- name: hold_card
-- Not now.
update ops.cards set due_at = %(due)s where tenant_id = ops.tenant() and id = %(id)s;

-- name: due_cards
-- Cards whose time has come, in order.
select id, agent, severity,
       asks or ops.is_result(kind, about) as waited_for
  from ops.cards c where tenant_id = ops.tenant() and shown_at is null and due_at <= %(now)s
   and not exists (select 1 from graph.nodes k  -- put off, so not brought to mind
                    where k.tenant_id = c.tenant_id and k.id = c.ask and (k.props ->> 'defer_until')::timestamptz > %(now)s)
 order by created_at, id limit 50 for update;

-- name: card
-- A card as every face has it, or had it at a moment.
select ops.card_shape(c.id, %(now)s, %(then)s) as shape
  from (select 1) x
  left join ops.cards c on c.tenant_id = ops.tenant() and c.id = %(id)s
                       and (%(sees)s::text[] is null or c.agent = any(%(sees)s))
                       and (%(then)s::timestamptz is null or c.created_at <= %(then)s);

-- name: to_press
-- A card that somebody is about to press; nobody else meanwhile.
select id, kind, title, buttons, asks, ask, pressed, pressed_by, pressed_at, taint from ops.cards
 where tenant_id = ops.tenant() and id = %(id)s for update;

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
   and (%(sees)s::text[] is null or c.agent = any(%(sees)s))
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
    (select 2, case when (m.props ->> 'called_off')::boolean then 'called off' else 'failed' end as section, m.slug, m.title, left(m.props ->> 'status_reason', 300), m.taint
       from graph.nodes m
      where m.tenant_id = ops.tenant() and m.type = 'mission' and m.status = 'failed' and m.archived_at is null
        and m.updated_at >= %(since)s
      order by section desc, m.updated_at desc limit 20)
    union all
    (select 2, 'taken back', m.slug, m.title, null, m.taint
       from graph.nodes m
      where m.tenant_id = ops.tenant() and m.type = 'mission' and m.status = 'taken_back' and m.archived_at is null
        and m.updated_at >= %(since)s
      order by m.updated_at desc limit 20)
    union all
    (select 3, 'went wrong', i.slug, i.title, to_char(i.created_at at time zone w.time_zone, 'FMDay HH24:MI'), i.taint
       from graph.nodes i join ops.tenants w on w.id = i.tenant_id
      where i.tenant_id = ops.tenant() and i.type = 'agent_incident' and i.archived_at is null and i.created_at >= %(since)s
      order by i.created_at desc limit 20)
    union all
    (select 4, 'decided', d.slug, d.title, left(d.props ->> 'decision_md', 300), d.taint
       from graph.nodes d
      where d.tenant_id = ops.tenant() and d.type = 'decision' and d.archived_at is null and d.status is distinct from 'superseded' and d.created_at >= %(since)s
      order by d.created_at desc limit 20)
    union all
    (select 5, 'learned', o.slug, o.title, null, o.taint
       from graph.nodes o
      where o.tenant_id = ops.tenant() and o.type = 'org_memory' and o.status = 'active' and o.archived_at is null
        and o.created_at >= %(since)s
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
               from ops.my_asks('founder', %(now)s) q) w
      order by w.at limit 200)
    union all
    (select 7, 'written to you', o.id::text, left(o.body, 200), 'a message of ' || split_part(o.sender, ':', 2), o.taint
       from ops.messages o
      where o.tenant_id = ops.tenant() and o.recipient = 'founder' and o.sender like 'agent:%%'
        and o.kind in ('command', 'escalation', 'interrupt') and o.state in ('queued', 'delivered')
      order by o.created_at limit 20)
    union all
    (select 8, 'held', c.id::text, c.title, 'shown at ' || to_char(c.due_at at time zone t.time_zone, 'HH24:MI'), c.taint
       from ops.cards c join ops.tenants t on t.id = c.tenant_id
      where c.tenant_id = ops.tenant() and c.shown_at is null and c.pressed is null and c.due_at > %(now)s
      order by c.due_at, c.id limit 20)
    union all
    (select 9, 'under way', m.slug, m.title, m.status, m.taint
       from graph.nodes m
      where m.tenant_id = ops.tenant() and m.type = 'mission' and m.archived_at is null
        and m.status in ('in_progress', 'review')
      order by m.created_at desc limit 20)
) b order by place, section desc;

-- name: spent
-- What models cost since a day.
select coalesce(sum(cost_usd), 0) as usd, coalesce(sum(tokens_in + tokens_out), 0) as tokens,
       coalesce(sum(tokens_cached), 0) as cached, coalesce(sum(unpriced), 0) as unpriced, coalesce(sum(estimated), 0) as estimated
  from ops.llm_daily where tenant_id = ops.tenant() and day >= (%(since)s::timestamptz at time zone 'UTC')::date;

-- name: onboarded
-- What was said in the onboarding, oldest first.
select input from ops.agent_actions
 where tenant_id = ops.tenant() and action_type = 'onboard.answer' and status = 'ok' order by seq;

-- name: company_slug
-- The company's own name on disk.
select slug from ops.tenants where id = ops.tenant();

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
