-- name: put_due
-- When a schedule starts next.
insert into ops.schedules (tenant_id, id, due_at) values (ops.tenant(), %(id)s, %(due)s)
on conflict (tenant_id, id) do update set due_at = excluded.due_at;

-- name: drop_due
-- It starts no more.
delete from ops.schedules where tenant_id = ops.tenant() and id = %(id)s;

-- name: take_due
-- Take what is due, once for this occurrence and for those that were missed; nothing where somebody was first.
update ops.schedules s set last_at = %(now)s, due_at = coalesce(%(next)s, s.due_at)
 where s.tenant_id = ops.tenant() and s.id = %(id)s and s.due_at <= %(now)s
returning s.id;

-- name: due
-- When schedules start next, and started last.
select s.id, s.due_at, s.last_at from ops.schedules s where s.tenant_id = ops.tenant() and s.id = any(%(ids)s);

-- name: zone
-- The company's own time zone.
select time_zone from ops.tenants where id = ops.tenant();
