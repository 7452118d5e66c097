-- name: put_due
-- A schedule's clock: on, and when it starts next.
insert into ops.jobs (tenant_id, name, kind, node_id, cron, zone, says, next_at)
values (ops.tenant(), 'schedule:' || %(slug)s, 'schedule', %(id)s, %(cron)s, %(zone)s, %(says)s, %(due)s)
on conflict (tenant_id, name) do update set next_at = excluded.next_at, state = 'on';

-- name: rest
-- It starts nothing until it is resumed.
update ops.jobs set state = 'paused' where tenant_id = ops.tenant() and name = 'schedule:' || %(slug)s;

-- name: drop_due
-- It starts no more.
delete from ops.jobs where tenant_id = ops.tenant() and name = 'schedule:' || %(slug)s;

-- name: zone
-- The company's own time zone.
select time_zone from ops.tenants where id = ops.tenant();

-- name: by_a_person
-- Whether what a producer made, a person made.
select exists (select 1 from ops.principals p
                where p.tenant_id = ops.tenant() and p.producer_id = %(producer)s and p.kind in ('founder', 'device'));
