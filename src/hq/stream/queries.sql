-- name: settled
-- How far events are settled: none can come any more at or before this call.
select chained as line from ops.announcer;

-- name: look_out
-- How far events are settled, who has new ones, and which credentials have ended.
select line, tenants, ended from ops.look_out(%(line)s, %(tenants)s, %(credentials)s, %(now)s);

-- name: events_after
-- Events behind a position, in order. Those whose topic is not wanted come without what they say.
select * from ops.events_after(%(tenant)s, %(seq)s, %(ordinal)s::smallint, %(line)s, %(topics)s, %(limit)s);

-- name: events_before
-- Settled events before a position, newest first, with what they say.
select o.seq, o.ordinal, o.topic, o.action_id, o.created_at, a.actor, a.taint, o.payload
  from ops.outbox o
  join ops.agent_actions a on a.tenant_id = o.tenant_id and a.seq = o.seq
 where o.tenant_id = ops.tenant() and (o.seq, o.ordinal) < (%(seq)s::bigint, %(ordinal)s::smallint)
   and o.topic ~ %(topics)s
   and (%(by)s::uuid[] is null or a.principal_id = any(%(by)s)
        or a.kind = 'write' and split_part(o.topic, '.', 1) = any(%(nouns)s::text[])
           and coalesce(a.target_kind = any(%(nouns)s), true))
   and (%(since)s::timestamptz is null or o.created_at >= %(since)s)
   and (%(action)s::uuid is null or o.action_id = %(action)s)
   and o.created_at <= %(seen_at)s and (%(upto)s::bigint is null or o.seq <= %(upto)s)
 order by o.seq desc, o.ordinal desc
 limit %(limit)s;

-- name: last_steps
-- How far sessions have come, and the words on their way.
select * from ops.last_steps(%(tenants)s::uuid[], %(sessions)s::uuid[]);
