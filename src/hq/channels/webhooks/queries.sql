-- name: begin_behind
-- A new endpoint starts behind a position.
insert into ops.webhooks (tenant_id, webhook_id, seq, ordinal, last)
values (ops.tenant(), %(id)s, %(seq)s, %(ordinal)s, %(last)s);

-- name: start_again
-- An endpoint goes on at once, where it was or behind a position, as if it had never failed.
update ops.webhooks
   set next_try_at = null, failing_since = null,
       seq = coalesce(%(seq)s, seq), ordinal = coalesce(%(ordinal)s, ordinal), last = coalesce(%(last)s, last)
 where tenant_id = ops.tenant() and webhook_id = %(id)s;

-- name: forget
-- An endpoint and its deliveries are gone.
with gone as (delete from ops.webhook_deliveries where tenant_id = ops.tenant() and webhook_id = %(id)s)
delete from ops.webhooks where tenant_id = ops.tenant() and webhook_id = %(id)s;

-- name: doing
-- How endpoints are doing.
select w.webhook_id, w.last, w.next_try_at, w.failing_since,
       (select count(*) from ops.webhook_deliveries d
         where d.tenant_id = ops.tenant() and d.webhook_id = w.webhook_id and d.status = 'dead') as dead
  from ops.webhooks w
 where w.tenant_id = ops.tenant() and w.webhook_id = any(%(ids)s);

-- name: deliveries
-- What became of deliveries, newest event first.
select seq, ordinal, topic, status, attempts, response_status, error, duration_ms, tried_at
  from ops.webhook_deliveries
 where tenant_id = ops.tenant() and webhook_id = %(id)s
   and (%(status)s::text is null or status = %(status)s)
   and (seq, ordinal) < (%(seq)s::bigint, %(ordinal)s::smallint)
 order by seq desc, ordinal desc
 limit %(limit)s;

-- name: repeat
-- Deliver again: one event, or all that were given up.
update ops.webhook_deliveries set status = 'again'
 where tenant_id = ops.tenant() and webhook_id = %(id)s
   and ((%(seq)s::bigint is null and status = 'dead')
        or (seq = %(seq)s and ordinal = %(ordinal)s and status in ('dead', 'delivered')))
returning seq;

-- name: due
-- Endpoints of every tenant that may have something to be sent now.
select * from ops.webhooks_due(%(now)s);

-- name: again
-- Deliveries of an endpoint that somebody asked to repeat.
select * from ops.webhook_again(%(tenant)s, %(webhook)s);

-- name: begin
-- A delivery is about to be tried.
select ops.webhook_begin(%(tenant)s, %(webhook)s, %(seq)s, %(ordinal)s::smallint, %(topic)s, %(now)s) as attempts;

-- name: end
-- What became of it.
select * from ops.webhook_end(%(tenant)s, %(webhook)s, %(seq)s, %(ordinal)s::smallint, %(status)s, %(response)s,
                              %(error)s, %(duration)s::real, %(next)s, %(now)s);

-- name: skip
-- Nothing up to here was wanted.
select ops.webhook_skip(%(tenant)s, %(webhook)s, %(seq)s, %(ordinal)s::smallint);

-- name: forget_delivered
-- Old deliveries that went well.
with gone as (
    delete from ops.webhook_deliveries
     where tenant_id = ops.tenant() and status = 'delivered' and tried_at < %(before)s returning 1)
select count(*) as many from gone;

-- name: any
-- Whether there is any webhook at all.
select ops.any_webhook() as any;
