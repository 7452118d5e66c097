-- name: open_session
-- A session in the queue.
select ops.open_session(%(id)s, %(kind)s, %(agent)s, %(principal)s, %(parent)s, %(task)s, %(trigger_kind)s, %(trigger)s,
                        %(taint)s, %(now)s);

-- name: sessions
-- Sessions, newest first; of a moment, each as its journal tells that it was then.
select s.id, s.kind, s.agent, t.state, s.trigger_kind, s.trigger, s.exit_code, s.created_at, s.ended_at,
       case when not ops.live(t.state) then s.closed_as end as closed_as,
       s.parent_id, s.task_id, s.wake_at, s.holder,
       %(at)s::timestamptz is null and s.lease_until < clock_timestamp() as silent
  from ops.sessions s
  left join lateral (select x.kind from ops.journal x
                      where x.tenant_id = s.tenant_id and x.session_id = s.id and x.created_at <= %(at)s
                        and not (x.kind = 'note' and x.payload ? 'card')
                      order by x.step desc limit 1) j on %(at)s::timestamptz is not null
  cross join lateral (select case when %(at)s::timestamptz is null or s.ended_at <= %(at)s then s.state
                                  when j.kind is null then 'queued'
                                  when j.kind = 'wait' then 'waiting'
                                  else 'running' end as state) t
 where s.tenant_id = ops.tenant() and (%(agent)s::text is null or s.agent = %(agent)s)
   and (%(sees)s::text[] is null or s.agent = any(%(sees)s))
   and (%(at)s::timestamptz is null or s.created_at <= %(at)s)
   and (%(state)s::text is null or t.state = %(state)s)
   and (%(parent)s::uuid is null or s.parent_id = %(parent)s)
   and (%(before)s::uuid is null
        or (s.created_at, s.id) < (select b.created_at, b.id from ops.sessions b
                                    where b.tenant_id = ops.tenant() and b.id = %(before)s))
 order by s.created_at desc, s.id desc
 limit %(limit)s;

-- name: steps
-- The journal of a session, all of it or up to a moment.
select step, kind, action_id, payload, holder, created_at from ops.journal
 where tenant_id = ops.tenant() and session_id = %(id)s and step > %(after)s
   and (%(at)s::timestamptz is null or created_at <= %(at)s)
 order by step
 limit %(limit)s;

-- name: waits
-- What a session waits for.
select thing from ops.waits where tenant_id = ops.tenant() and session_id = %(id)s order by thing;

-- name: fork
-- A session that begins with the steps of another, up to one of them.
select ops.fork_session(%(id)s, %(of)s, %(upto)s, %(edited)s, %(now)s);

-- name: raised
-- The incident of an occurrence, if it was raised.
select id from graph.nodes where tenant_id = ops.tenant() and external_source = 'watchdog' and external_id = %(once)s;

-- name: close
-- The last step of somebody's session, and its end.
select s.agent, s.kind, s.parent_id,
       num_nonnulls(ops.append_step(s.tenant_id, s.id, %(step)s, 'close', null, %(payload)s, %(holder)s, %(now)s),
                    ops.close_session(s.id, %(holder)s, %(state)s, %(exit)s::smallint, %(why)s, %(result)s, %(now)s)::text) as done
  from ops.sessions s
 where s.tenant_id = ops.tenant() and s.id = %(id)s and s.principal_id = %(principal)s;

-- name: thread
-- The live thread of that name.
select id, agent, state from ops.sessions
 where tenant_id = ops.tenant() and name = %(name)s and kind = 'thread' and ops.live(state);

-- name: caused_by_word
-- What was done by somebody's own hand or word and stands: their calls, those that followed from one, and those of the conversation. Newest first.
-- In the conversation the word is theirs where they spoke last before it.
select a.id, a.action_type, a.created_at, n.title,
       a.session_id is distinct from %(thread)s::uuid
       or coalesce((select m.sender = %(actor)s from ops.messages m
                     where m.tenant_id = a.tenant_id and m.session_id = a.session_id and m.sender <> %(house)s
                       and m.created_at <= a.created_at
                     order by m.created_at desc, m.step desc nulls last limit 1), true) as by_word
  from ops.agent_actions a
  left join graph.nodes n on n.tenant_id = a.tenant_id and n.id = a.target_id
 where a.tenant_id = ops.tenant() and a.status = 'ok' and a.kind not in ('read', 'inner') and a.undoes is null
   and a.actor <> %(house)s
   and (a.actor = %(actor)s or a.session_id = %(thread)s::uuid
        or exists (select 1 from ops.agent_actions p
                    where p.tenant_id = a.tenant_id and p.id = a.parent_id and p.actor = %(actor)s))
   and not exists (select 1 from ops.agent_actions u
                    where u.tenant_id = a.tenant_id and u.undoes = a.id and u.status = 'ok'
                      and not exists (select 1 from ops.agent_actions r
                                       where r.tenant_id = u.tenant_id and r.undoes = u.id and r.status = 'ok'))
 order by a.seq desc
 limit 50;

-- name: name_thread
-- The name by which a thread is found again; there is one of it at a time.
select ops.name_session(%(id)s, %(name)s, null) as name;

-- name: tell_session
-- Something more is said to a session; what it was doing, or nothing where it just ended.
select ops.tell_session(%(session)s, %(id)s, %(kind)s, %(actor)s, %(body)s, %(taint)s, %(run)s, %(now)s) as was;

-- name: state
-- What a session is doing.
select state from ops.sessions where tenant_id = ops.tenant() and id = %(id)s;

-- name: settled
-- How far the events are settled.
select chained as line from ops.announcer;

-- name: recorded
-- What was said to minds and what they answered, session by session in the order in which these began.
select j.session_id, s.agent, s.kind as session_kind, s.trigger_kind, s.trigger, j.step, j.kind, j.payload
  from ops.journal j
  join ops.sessions s on s.tenant_id = j.tenant_id and s.id = j.session_id
 where j.tenant_id = ops.tenant() and j.created_at >= %(since)s and j.kind in ('open', 'wake', 'mind', 'verb', 'note', 'wait')
   and (%(session)s::uuid is null or j.session_id = %(session)s)
   and (%(agent)s::text is null or s.agent = %(agent)s)
 order by s.created_at, s.id, j.step
 limit %(limit)s;
