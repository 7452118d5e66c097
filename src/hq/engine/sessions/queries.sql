-- name: settle_in
-- Work for this tenant until the transaction ends.
select set_config('hq.tenant', %(tenant)s, true);

-- name: claim
-- Take sessions that nobody works on.
select * from ops.claim_sessions(%(holder)s, %(many)s, %(lease)s, %(tokens)s, %(credentials)s, %(now)s);

-- name: keep
-- Still there.
select * from ops.keep_sessions(%(holder)s, %(sessions)s, %(lease)s);

-- name: append
-- One more step.
select ops.append_step(%(session)s, %(step)s, %(kind)s, %(action)s, %(payload)s, %(holder)s, %(now)s);

-- name: steps
-- What happened in a session so far.
select step, kind, action_id, payload, created_at from ops.journal
 where tenant_id = ops.tenant() and session_id = %(session)s and step > %(after)s
 order by step;

-- name: park
-- What it waits for.
select ops.park_session(%(session)s, %(things)s, %(since)s, %(wake_at)s);

-- name: let_go
-- It waits, or goes on at once.
select ops.let_go(%(session)s, %(holder)s, %(now)s) as state;

-- name: hand_back
-- Somebody else may go on.
select ops.hand_back(%(session)s, %(holder)s, %(now)s);

-- name: take_messages
-- What was said to a thread meanwhile.
select ops.take_messages(%(session)s, %(step)s, %(holder)s, %(now)s) as said;
