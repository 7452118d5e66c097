-- name: open_to_write
-- Who calls, for which tenant, and what stands in the way; the transaction stays open.
begin;
select * from ops.open_call(%s, %s, %s, %s, %s, %s, %s, %s, %s);

-- name: open_to_read
-- The same for a read: everything it looks at is of one moment.
begin isolation level repeatable read;
select * from ops.open_call(%s, %s, %s, %s, %s, %s, %s, %s, %s);

-- name: close_write
-- The call, in the ledger, with what it said to the world.
select ops.record(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s::real, %s, %s, %s, %s, %s);
commit;

-- name: close_read
-- The same for a read, with what was settled and what is seen beyond that.
select b.watermark, b.seen
  from ops.record(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s::real, %s, %s, %s, %s, %s), ops.seen_beyond() b;
commit;

-- name: close_reads
-- Several reads, in the ledger.
select ops.record_reads(%s, %s, %s, %s);
commit;

-- name: record_inner
-- A call that was part of this one, in the ledger.
select ops.record_inner(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s::real, %s, %s);

-- name: journal_step
-- The outcome, in the journal of the session that made the call; and whether something was said to that meanwhile.
select ops.append_step(ops.tenant(), %s, %s, 'verb', %s, %s, %s, current_setting('hq.now')::timestamptz) as has_mail;

-- name: still_held
-- Whether the session is still ours: asked right before something happens outside.
select 1 from ops.sessions
 where tenant_id = ops.tenant() and id = %s and holder = %s and state = 'running' and lease_until > clock_timestamp();

-- name: landed
-- Whether a call is in the ledger.
select 1 from ops.agent_actions where tenant_id = ops.tenant() and id = %s;

-- name: begin_effect
-- An outside effect begins.
select ops.begin_effect(%s, %s, %s, %s, %s) as begun;

-- name: drop_effect
-- An outside effect that did not happen after all.
select ops.drop_effect(%s);

-- name: moment_of
-- When the call of this number, or the last before it, was made.
select created_at from ops.agent_actions where tenant_id = ops.tenant() and seq <= %s order by seq desc limit 1;

-- name: rested_by
-- Who brought a node into the state in which it is.
select actor from ops.rested_by(ops.tenant(), %s, %s, current_setting('hq.now')::timestamptz);

-- name: called
-- Nodes of a type that go by a name: as slug, number or title, in whatever case.
select n.slug, n.number, n.title from graph.nodes n
 where n.tenant_id = ops.tenant() and n.type = %(type)s and n.archived_at is null
   and (n.slug = lower(%(name)s) or n.slug = %(name)s or n.number::text = %(name)s or lower(n.title) = lower(%(name)s))
 order by n.slug
 limit 20;
