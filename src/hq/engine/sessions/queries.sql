-- name: settle_in
-- Work for this tenant until the transaction ends.
select set_config('hq.tenant', %(tenant)s, true);

-- name: claim
-- Take sessions that nobody works on.
select * from ops.claim_sessions(%(holder)s, %(free)s, %(lease)s, %(tokens)s, %(credentials)s, %(now)s);

-- name: at_work
-- Whether anybody works on a session.
select ops.any_at_work() as so;

-- name: keep
-- Still there.
select * from ops.keep_sessions(%(holder)s, %(sessions)s, %(lease)s);

-- name: append
-- One more step; and whether something was said meanwhile.
select ops.append_step(%(tenant)s, %(session)s, %(step)s, %(kind)s, null, %(payload)s, %(holder)s, %(now)s) as has_mail;

-- name: steps
-- What happened in a session so far, the older part summed up.
select step, kind, action_id, payload, created_at from ops.steps(%(session)s);

-- name: steps_alone
-- The same, and nothing else.
select step, kind, action_id, payload, created_at from ops.steps_alone(%(tenant)s, %(session)s);

-- name: park
-- What it waits for.
select ops.park_session(%(session)s, %(things)s, %(topics)s, %(since)s, %(wake_at)s);

-- name: let_go
-- It waits, or goes on at once.
select ops.let_go(%(session)s, %(holder)s, %(now)s) as state;

-- name: hand_back
-- Somebody else may go on.
select ops.hand_back(%(session)s, %(holder)s, %(now)s);

-- name: worker_lives
-- Who was taken for lost is still there.
select id from ops.worker_lives(%(holder)s, %(sessions)s);

-- name: has_mail
-- Whether something was said meanwhile.
select ops.has_mail(%(tenant)s, %(session)s) as told;

-- name: take_messages
-- What was said meanwhile, in order.
select * from ops.take_messages(%(session)s, %(step)s, %(now)s) order by created_at, id;

-- name: draft
-- What a mind has said so far.
select ops.draft(%(session)s, %(step)s, %(holder)s, %(body)s);

-- name: opened_session
-- One session as it was opened.
select id, kind, agent, trigger_kind, trigger from ops.sessions where tenant_id = ops.tenant() and id = %(id)s;

-- name: session
-- One session, with how far it came; or had come at a moment, as its journal tells.
select s.*, p.actor, coalesce(j.steps, 0) as steps, coalesce(j.turns, 0) as turns, j.last_at, j.last_kind,
       s.lease_until < clock_timestamp() as silent
  from ops.sessions s
  join ops.principals p on p.tenant_id = s.tenant_id and p.id = s.principal_id
  left join lateral (select max(step) as steps, count(*) filter (where kind = 'mind') as turns, max(created_at) as last_at,
                            -- What was put into a conversation is nothing that it did.
                            (array_agg(kind order by step desc) filter (where not (kind = 'note' and payload ? 'card')))[1]
                                as last_kind
                       from ops.journal
                      where tenant_id = s.tenant_id and session_id = s.id
                        and (%(at)s::timestamptz is null or created_at <= %(at)s)) j on true
 where s.tenant_id = ops.tenant() and s.id = %(id)s and (%(at)s::timestamptz is null or s.created_at <= %(at)s);

-- name: stop
-- Ask a session to stop.
select ops.stop_session(%(id)s, %(why)s, %(now)s) as was;
