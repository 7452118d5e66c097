-- name: held_snapshots
-- What workspaces hold that are not gone.
select n.id, n.props ->> 'snapshot' as snapshot
  from graph.nodes n
 where n.tenant_id = ops.tenant() and n.type = 'workspace' and n.id = any(%(workspaces)s)
   and n.status <> 'deleted' and n.archived_at is null;
