-- name: settle_in
-- Work for this tenant until the transaction ends.
select set_config('hq.tenant', %(tenant)s, true);

-- name: append
-- What one append brought.
insert into ops.agent_sessions (tenant_id, key, entries, created_at)
values (ops.tenant(), %(key)s, %(entries)s, %(now)s);

-- name: load
-- All of one transcript, in order.
select entries from ops.agent_sessions where tenant_id = ops.tenant() and key = %(key)s order by id;

-- name: keys
-- The transcripts whose key begins like this, each with when it was last added to.
select key, (extract(epoch from max(created_at)) * 1000)::bigint as mtime from ops.agent_sessions
 where tenant_id = ops.tenant() and key >= %(from_)s and key < %(upto)s
 group by key order by key;

-- name: delete
-- One transcript, and what lies below it.
delete from ops.agent_sessions
 where tenant_id = ops.tenant() and (key = %(key)s or key >= %(from_)s and key < %(upto)s);
