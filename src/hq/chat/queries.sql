-- name: lines_before
-- The newest lines of a conversation that come before a place and were there at a moment, newest first. A message that
-- was not taken up yet is the last; a thread that broke off says so. What agents report to the one at the other end is no line.
with threads as (
    select s.*, (select a.title from graph.nodes a where a.tenant_id = s.tenant_id and a.slug = s.agent and a.type = 'agent') as called
      from ops.sessions s
     where s.tenant_id = ops.tenant() and s.kind = 'thread' and s.name = %(name)s and s.id <= %(session)s
       and (%(then)s::timestamptz is null or s.created_at <= %(then)s)
     order by s.id desc
     limit %(limit)s
)
select l.*, case when l.sender = t.agent then t.called
                 else (select a.title from graph.nodes a where a.tenant_id = t.tenant_id and a.slug = l.sender and a.type = 'agent') end as called
  from threads t cross join lateral (
    select t.id as session_id, 0 as step, t.id::text as id, 'user' as role, t.trigger ->> 'from' as sender,
           t.trigger ->> 'text' as body, null::jsonb as parts, null::text as model, t.created_at, null::jsonb as card
     where (t.id, 0) < (%(session)s, %(step)s)
    union all
    (select t.id, coalesce(m.step, 2147483647), m.id::text, case when m.sender = 'service:hq' or m.sender like 'agent:%%' then 'assistant' else 'user' end, regexp_replace(m.sender, '^agent:', ''), m.body, null, null, m.created_at, null
       from ops.messages m
      where m.tenant_id = t.tenant_id and m.session_id = t.id and m.kind <> 'report'  -- which is the agent's to read
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
    (select t.id, j.step, t.id || '.' || j.step, case when j.payload ?| array['carried', 'house'] then 'assistant' else 'system' end,
           case when j.payload ? 'house' then 'service:hq' else t.agent end, concat_ws(e'\n\n', j.payload ->> 'carried', j.payload ->> 'house', j.payload ->> 'timed_out', j.payload ->> 'broke_off', j.payload ->> 'partial'),
            null, null, j.created_at, null
       from ops.journal j
      where j.tenant_id = t.tenant_id and j.session_id = t.id and j.kind in ('note', 'wait') and j.payload ?| array['carried', 'house', 'timed_out', 'broke_off']
        and (t.id, j.step) < (%(session)s, %(step)s)
        and (%(then)s::timestamptz is null or j.created_at <= %(then)s)
      order by j.step desc
      limit %(limit)s)
    union all
    (select t.id, coalesce(c.step, 2147483647), c.id::text, 'assistant', t.agent, c.title, null, null, c.shown_at,
            ops.card_shape(c.id, %(now)s, %(then)s)
       from ops.cards c
      where c.tenant_id = t.tenant_id and c.session_id = t.id and (t.id, coalesce(c.step, 2147483647)) < (%(session)s, %(step)s)
        and (%(then)s::timestamptz is null or c.shown_at <= %(then)s)
      order by c.step desc nulls first
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
    select s.*, (select a.title from graph.nodes a where a.tenant_id = s.tenant_id and a.slug = s.agent and a.type = 'agent') as called
      from ops.sessions s
     where s.tenant_id = ops.tenant() and s.kind = 'thread' and s.name = %(name)s and s.id >= %(session)s
)
select l.*, case when l.sender = t.agent then t.called
                 else (select a.title from graph.nodes a where a.tenant_id = t.tenant_id and a.slug = l.sender and a.type = 'agent') end as called
  from threads t cross join lateral (
    select t.id as session_id, 0 as step, t.id::text as id, 'user' as role, t.trigger ->> 'from' as sender,
           t.trigger ->> 'text' as body, null::jsonb as parts, null::text as model, t.created_at, null::jsonb as card
     where (t.id, 0) > (%(session)s, %(step)s)
    union all
    select t.id, coalesce(m.step, 2147483647), m.id::text, case when m.sender = 'service:hq' or m.sender like 'agent:%%' then 'assistant' else 'user' end, regexp_replace(m.sender, '^agent:', ''), m.body, null, null, m.created_at, null
      from ops.messages m
     where m.tenant_id = t.tenant_id and m.session_id = t.id and m.kind <> 'report'
       and (t.id, coalesce(m.step, 2147483647)) > (%(session)s, %(step)s)
    union all
    select t.id, j.step, t.id || '.' || j.step, 'assistant', t.agent, null, j.payload -> 'response' -> 'parts',
           j.payload ->> 'model', j.created_at, null
      from ops.journal j
     where j.tenant_id = t.tenant_id and j.session_id = t.id and j.kind = 'mind' and j.step > 0
       and (t.id, j.step) > (%(session)s, %(step)s)
       and j.payload @? '$.response.parts[*] ? (@.part_kind == "text")'
    union all
    select t.id, j.step, t.id || '.' || j.step, case when j.payload ?| array['carried', 'house'] then 'assistant' else 'system' end,
           case when j.payload ? 'house' then 'service:hq' else t.agent end, concat_ws(e'\n\n', j.payload ->> 'carried', j.payload ->> 'house', j.payload ->> 'timed_out', j.payload ->> 'broke_off', j.payload ->> 'partial'),
           null, null, j.created_at, null
      from ops.journal j
     where j.tenant_id = t.tenant_id and j.session_id = t.id and j.kind in ('note', 'wait') and j.payload ?| array['carried', 'house', 'timed_out', 'broke_off'] and j.step > 0
       and (t.id, j.step) > (%(session)s, %(step)s)
    union all
    select t.id, coalesce(c.step, 2147483647), c.id::text, 'assistant', t.agent, c.title, null, null, c.shown_at,
           ops.card_shape(c.id, %(now)s)
      from ops.cards c
     where c.tenant_id = t.tenant_id and c.session_id = t.id and (t.id, coalesce(c.step, 2147483647)) > (%(session)s, %(step)s)
    union all
    select t.id, 2147483646, t.id || '.end', 'system', t.agent, t.closed_as, null, null, t.ended_at, null
     where t.state in ('failed', 'stopped') and (t.id, 2147483646) > (%(session)s, %(step)s)
) l
 order by l.session_id, l.step, l.id
 limit %(limit)s;

-- name: standing
-- What the newest thread of a conversation with each of these agents is doing: its state, its last step, what it is saying, the missions it
-- waits for with how far their parts are, and how much waits for the founder where it is the CEO's. What it does now it does since its
-- last step, or since it was taken up after a rest.
select n.slug as agent, t.id, t.state, t.closed_as, t.wake_at, n.status as agent_status, j.step, j.payload,
       greatest(j.created_at, t.updated_at) as step_at, u.calls, d.body as draft,
       d.step as draft_step, c.asks, h.held, h.held_until, f.frozen, l.last as last_step, v.waited,
       t.state = 'running' and t.lease_until < clock_timestamp() as silent
  from unnest(%(agents)s::text[], %(names)s::text[]) w(agent, name)
  join graph.nodes n on n.tenant_id = ops.tenant() and n.slug = w.agent and n.type = 'agent'
  left join lateral (select s.* from ops.sessions s
                      where s.tenant_id = n.tenant_id and s.kind = 'thread' and s.name = w.name
                      order by s.id desc limit 1) t on true
  left join lateral (select x.step, x.created_at, case when x.kind = 'wait' then x.payload end as payload
                       from ops.journal x
                      where x.tenant_id = t.tenant_id and x.session_id = t.id
                        and not (x.kind = 'note' and x.payload ? 'card')
                      order by x.step desc limit 1) j on true
  left join lateral (select exists (select 1 from jsonb_array_elements(x.payload -> 'response' -> 'parts') p
                                    where p ->> 'part_kind' = 'tool-call'
                                      and not exists (select 1 from ops.journal v
                                                       where v.tenant_id = x.tenant_id and v.session_id = x.session_id and v.step > x.step
                                                         and v.kind = 'verb' and v.payload ->> 'call' = p ->> 'tool_call_id')) as calls
                       from ops.journal x
                      where x.tenant_id = t.tenant_id and x.session_id = t.id and x.kind = 'mind' and t.state = 'running'
                      order by x.step desc limit 1) u on true
  left join lateral (select max(x.step) as last from ops.journal x
                      where x.tenant_id = t.tenant_id and x.session_id = t.id) l on true
  left join ops.drafts d on d.tenant_id = t.tenant_id and d.session_id = t.id and t.state = 'running'
                        and d.step = coalesce(l.last, 0) + 1
  cross join lateral (select case when n.slug = ops.ceo(n.tenant_id) then ops.asks_waiting('founder', %(now)s) end as asks) c
  left join lateral (select count(*) as held, to_char(min(k.due_at) at time zone w.time_zone, 'HH24:MI') as held_until
                       from ops.cards k join ops.tenants w on w.id = k.tenant_id
                      where k.tenant_id = n.tenant_id and k.agent = n.slug and k.shown_at is null and k.pressed is null
                        and k.due_at > %(now)s + interval '1 minute'
                      group by w.time_zone) h on true
  left join lateral (
      select case when count(*) > 3 then count(*) || ' missions' else string_agg(
                 '“' || left(m.title, 60) || '”' || case when p.parts > 0 then ' (' || p.done || ' of ' || p.parts || ' parts done)' else '' end,
                 ' and ' order by m.created_at) end as waited
        from jsonb_array_elements_text(j.payload -> 'for') x (thing)
        join graph.nodes m on m.tenant_id = n.tenant_id and 'mission:' || m.id = x.thing and not ops.mission_is(m.status, 'over')
        cross join lateral (select count(*) as parts, count(*) filter (where y.status = 'done') as done
                              from graph.edges e
                              join graph.nodes y on y.tenant_id = e.tenant_id and y.id = e.from_id and y.archived_at is null
                             where e.tenant_id = n.tenant_id and e.to_id = m.id and e.type = 'parent_mission' and e.live) p) v on true
  left join lateral (select 'everything is stopped' || case when x.reason = '' then '' else ': ' || x.reason end as frozen
                       from ops.freezes x
                      where x.tenant_id = n.tenant_id and x.scope = 'all' and ops.in_force(x, %(now)s)) f on true;

-- name: settled
-- How far the events are settled.
select chained as line from ops.announcer;

-- name: covered
-- How many lines of a thread come before a step.
select count(*) as lines from ops.journal
 where tenant_id = ops.tenant() and session_id = %(session)s and step < %(upto)s and kind in ('open', 'wake', 'mind');

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
-- What a run has come to: the steps of its thread from where it was taken up to where that rested with its answer. Only what is told,
-- and only of its own turns: what is said to who asks something while it waits is no part of it.
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
                              and r.kind = 'wait' and r.payload ? 'rests'
                              and (not r.payload ? 'answers' or r.payload -> 'answers' @> to_jsonb(%(run)s::bigint))), 2147483647)
   and (select t.step = %(from)s or t.payload -> 'runs' @> jsonb_build_array(jsonb_build_object('id', %(run)s::bigint))
          from ops.journal t
         where t.tenant_id = j.tenant_id and t.session_id = j.session_id and t.step between %(from)s and j.step
           and (t.step = %(from)s or t.kind = 'wake' or t.kind = 'note' and t.payload ? 'settled')
         order by t.step desc limit 1)
 order by j.step;

-- name: run_cost
-- What a run used: the calls of its thread that were made behind a step of its turns, and those of its workers. Nothing where a call
-- has no price.
select coalesce(sum(tokens_in + tokens_out), 0) as tokens,
       case when bool_and(priced) then coalesce(sum(cost_usd), 0) end as cost
  from ops.llm_call_log
 where tenant_id = ops.tenant()
   and (session_id = any(%(workers)s) or session_id = %(session)s and step - 1 = any(%(steps)s));

-- name: typical_run
-- How long the last runs took from where they were taken up, in the middle, in seconds.
select percentile_cont(0.5) within group (order by extract(epoch from f.created_at - j.created_at)) as seconds
  from (select * from ops.agent_actions x
         where x.tenant_id = ops.tenant() and x.action_type = 'run.finish' and x.status = 'ok' order by x.seq desc limit 20) f
  join ops.agent_actions a on a.tenant_id = f.tenant_id and a.action_type = 'run.start' and a.seq = (f.input ->> 'run')::bigint
  left join ops.messages m on m.tenant_id = a.tenant_id and m.id = (a.output ->> 'message')::uuid
  join ops.journal j on j.tenant_id = a.tenant_id and j.session_id = (a.output ->> 'session')::uuid
   and j.step = case when a.output ->> 'message' = a.output ->> 'session' then 1 else m.step end;

-- name: asked_run
-- Who works on a run, and whether somebody wants to hear of its end.
select (output ->> 'session')::uuid as session_id, coalesce((input ->> 'notify')::boolean, false) as notify
  from ops.agent_actions
 where tenant_id = ops.tenant() and action_type = 'run.start' and seq = %(id)s and status = 'ok';

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

-- name: line_place
-- Where a line of a conversation stands, by its id: a step, a card, or a message, which was written when it was said, whenever it is
-- taken up.
select t.id as session, l.step, l.at
  from ops.sessions t
  cross join lateral (
      select j.step, j.created_at as at from ops.journal j
       where j.tenant_id = t.tenant_id and j.session_id = t.id and t.id = %(id)s and j.step <= %(step)s::int
         and (j.step = %(step)s::int or %(step)s::int = 2147483647)
      union all
      select c.step, c.shown_at from ops.cards c
       where c.tenant_id = t.tenant_id and c.session_id = t.id and c.id = %(id)s and c.shown_at is not null
      union all
      select null, m.created_at from ops.messages m
       where m.tenant_id = t.tenant_id and m.session_id = t.id and m.id = %(id)s) l
 where t.tenant_id = ops.tenant() and t.kind = 'thread' and t.name = %(name)s
 order by l.step desc nulls last limit 1;

-- name: unread
-- Lines and cards of others behind a place, as far as is worth counting. A conversation that was never read counts from its beginning.
select count(*) as many from (
    select 1 from ops.sessions t
      cross join lateral (
          select j.step from ops.journal j
           where j.tenant_id = t.tenant_id and j.session_id = t.id and j.kind = 'mind' and j.step > 0
             and (t.id, j.step) > (%(session)s, %(step)s)
             -- Who only says that nothing is to be said has said nothing.
             and j.payload @? '$.response.parts[*] ? (@.part_kind == "text" && !(@.content like_regex "^\\s*<task-complete[^>]*>\\s*$" flag "i"))'
          union all
          select m.step from ops.messages m
           where m.tenant_id = t.tenant_id and m.session_id = t.id and m.sender like 'agent:%%' and m.kind <> 'report'
             and (t.id, coalesce(m.step, 2147483647)) > (%(session)s, %(step)s)
          union all
          select c.step from ops.cards c
           where c.tenant_id = t.tenant_id and c.session_id = t.id and c.shown_at is not null
             and (t.id, coalesce(c.step, 2147483647)) > (%(session)s, %(step)s)) l
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
 where tenant_id = ops.tenant() and name = %(name)s and kind = 'thread' and ops.live(state);
