-- name: settle_in
-- Work for this tenant until the transaction ends.
select set_config('hq.tenant', %(tenant)s, true);

-- name: claim
-- Take sessions that nobody works on.
select * from ops.claim_sessions(%(holder)s, %(many)s, %(lease)s, %(tokens)s, %(credentials)s, %(now)s);

-- name: at_work
-- Whether anybody works on a session.
select ops.any_at_work() as so;

-- name: keep
-- Still there.
select * from ops.keep_sessions(%(holder)s, %(sessions)s, %(lease)s);

-- name: append
-- One more step.
select ops.append_step(%(session)s, %(step)s, %(kind)s, %(action)s, %(payload)s, %(holder)s, %(now)s);

-- name: steps
-- What happened in a session so far, the older part summed up.
select step, kind, action_id, payload, created_at from ops.steps(%(session)s);

-- name: park
-- What it waits for.
select ops.park_session(%(session)s, %(things)s, %(topics)s, %(since)s, %(wake_at)s);

-- name: let_go
-- It waits, or goes on at once.
select ops.let_go(%(session)s, %(holder)s, %(now)s) as state;

-- name: hand_back
-- Somebody else may go on.
select ops.hand_back(%(session)s, %(holder)s, %(now)s);

-- name: has_mail
-- Whether something was said meanwhile.
select ops.has_mail(%(tenant)s, %(session)s) as told;

-- name: take_messages
-- What was said meanwhile, in order.
select * from ops.take_messages(%(session)s, %(step)s, %(now)s) order by created_at, id;

-- name: draft
-- What a mind has said so far.
select ops.draft(%(session)s, %(step)s, %(holder)s, %(body)s);
