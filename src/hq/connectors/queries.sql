-- name: tools
-- What a connector offers, by name.
select name, definition, hash, seen_at, gone_at, approved, approved_hash, approved_by, approved_at
  from ops.connector_tools where tenant_id = ops.tenant() and connector_id = %(connector)s
 order by name;

-- name: tool
-- One tool of a connector.
select name, definition, hash, seen_at, gone_at, approved, approved_hash, approved_by, approved_at
  from ops.connector_tools where tenant_id = ops.tenant() and connector_id = %(connector)s and name = %(name)s;

-- name: usable
-- Every tool that may be used now: there, accepted, and still what was accepted.
select n.slug, n.title, t.name, t.approved
  from ops.connector_tools t
  join graph.nodes n on n.tenant_id = ops.tenant() and n.id = t.connector_id
 where t.tenant_id = ops.tenant() and t.gone_at is null and t.hash = t.approved_hash
   and n.archived_at is null and n.status = 'active'
 order by n.slug, t.name;

-- name: see
-- A tool as it is offered now.
insert into ops.connector_tools (tenant_id, connector_id, name, definition, hash, seen_at)
values (ops.tenant(), %(connector)s, %(name)s, %(definition)s, %(hash)s, %(now)s)
on conflict (tenant_id, connector_id, name) do update
   set definition = excluded.definition, hash = excluded.hash, seen_at = excluded.seen_at, gone_at = null;

-- name: lose
-- Tools that are no longer offered.
update ops.connector_tools set gone_at = %(now)s
 where tenant_id = ops.tenant() and connector_id = %(connector)s and gone_at is null and name <> all(%(names)s)
returning name;

-- name: approve
-- Accept tools as they are offered now.
update ops.connector_tools
   set approved = definition, approved_hash = hash, approved_by = %(by)s, approved_at = %(now)s
 where tenant_id = ops.tenant() and connector_id = %(connector)s and gone_at is null
   and (%(names)s::text[] is null or name = any(%(names)s)) and approved_hash is distinct from hash
returning name;
