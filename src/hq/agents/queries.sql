-- name: open_session
-- A session in the queue.
select ops.open_session(%(id)s, %(kind)s, %(agent)s, %(principal)s, %(parent)s, %(task)s, %(trigger_kind)s, %(trigger)s,
                        %(taint)s, %(now)s);

-- name: session
-- One session, with how far it came.
select s.*, p.actor, coalesce(j.steps, 0) as steps, coalesce(j.turns, 0) as turns, j.last_at
  from ops.sessions s
  join ops.principals p on p.tenant_id = s.tenant_id and p.id = s.principal_id
  left join lateral (select max(step) as steps, count(*) filter (where kind = 'mind') as turns, max(created_at) as last_at
                       from ops.journal where tenant_id = s.tenant_id and session_id = s.id) j on true
 where s.tenant_id = ops.tenant() and s.id = %(id)s;

-- name: sessions
-- Sessions, newest first.
select s.id, s.kind, s.agent, s.state, s.trigger_kind, s.trigger, s.closed_as, s.exit_code, s.created_at, s.ended_at,
       s.parent_id, s.task_id, s.wake_at, s.holder, s.lease_until < clock_timestamp() as silent
  from ops.sessions s
 where s.tenant_id = ops.tenant() and (%(agent)s::text is null or s.agent = %(agent)s)
   and (%(state)s::text is null or s.state = %(state)s)
   and (%(parent)s::uuid is null or s.parent_id = %(parent)s)
   and (%(before)s::uuid is null
        or (s.created_at, s.id) < (select b.created_at, b.id from ops.sessions b
                                    where b.tenant_id = ops.tenant() and b.id = %(before)s))
 order by s.created_at desc, s.id desc
 limit %(limit)s;

-- name: steps
-- The journal of a session.
select step, kind, action_id, payload, holder, created_at from ops.journal
 where tenant_id = ops.tenant() and session_id = %(id)s and step > %(after)s
 order by step
 limit %(limit)s;

-- name: waits
-- What a session waits for.
select thing from ops.waits where tenant_id = ops.tenant() and session_id = %(id)s order by thing;

-- name: stop
-- Ask a session to stop.
select ops.stop_session(%(id)s, %(why)s, %(now)s) as was;

-- name: fork
-- A session that begins with the steps of another, up to one of them.
select ops.fork_session(%(id)s, %(of)s, %(upto)s, %(edited)s, %(now)s);

-- name: last_closed
-- The last session of an agent that is over.
select id, closed_as, ended_at from ops.sessions
 where tenant_id = ops.tenant() and agent = %(agent)s and kind = 'agent' and state in ('done', 'failed', 'stopped') and id <> %(except)s
 order by created_at desc, id desc limit 1;

-- name: held
-- A session that is about to be closed.
select id, agent, kind, principal_id, parent_id from ops.sessions where tenant_id = ops.tenant() and id = %(id)s;

-- name: close
-- The last step of a session, and its end.
select ops.append_step(%(id)s, %(step)s, 'close', null, %(payload)s, %(holder)s, %(now)s),
       ops.close_session(%(id)s, %(holder)s, %(state)s, %(exit)s::smallint, %(why)s, %(result)s, %(now)s);

-- name: thread
-- The live thread of that name.
select id, agent, state from ops.sessions
 where tenant_id = ops.tenant() and name = %(name)s and kind = 'thread' and state in ('queued', 'running', 'waiting');

-- name: name_thread
-- The name by which a thread is found again; there is one of it at a time.
select ops.name_session(%(id)s, %(name)s, null) as name;

-- name: say_to_thread
-- Something more is said; what the thread was doing, or nothing where it just ended.
select ops.say_to_thread(%(session)s, %(id)s, %(actor)s, %(body)s, %(taint)s, %(now)s) as was;

-- name: settle_in
-- Work for this tenant until the transaction ends.
select set_config('hq.tenant', %(tenant)s, true);

-- name: state
-- What a session is doing.
select state from ops.sessions where tenant_id = ops.tenant() and id = %(id)s;

-- name: ended
-- Whether a credential has ended. (No event is looked for beyond the last number there is.)
select cardinality(ended) > 0 as revoked
  from ops.look_out(9223372036854775807, array[%(tenant)s]::uuid[], array[%(credential)s]::uuid[], %(now)s);
